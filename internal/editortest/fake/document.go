package fake

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"companion/internal/editortest/fake/buffer"
	"companion/internal/editortest/fake/wire"
)

// Document is an open buffer.
type Document struct {
	URI      string
	Language string
	Version  int
	Text     string
	Dirty    bool // not saved since the last change
	bom      bool // of the file on disk
}

// Open opens a file from disk, as UTF-8 with its endings kept (a BOM stays on
// disk and out of the buffer, as editors do).
func (e *Editor) Open(path string) (uri string, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	text, bom := bytes.CutPrefix(b, []byte("\ufeff"))
	uri = buffer.URI(path)
	e.mu.Lock()
	defer e.mu.Unlock()
	d, err := e.open(uri, buffer.Language(path), string(text))
	if err != nil {
		return "", err
	}
	d.bom = bom
	return uri, nil
}

// OpenText opens a document that need not be on disk (untitled:…).
func (e *Editor) OpenText(uri, lang, text string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, err := e.open(uri, lang, text)
	return err
}

func (e *Editor) open(uri, lang, text string) (*Document, error) {
	if e.docs[uri] != nil {
		return nil, fmt.Errorf("%s is open", uri)
	}
	d := &Document{URI: uri, Language: lang, Version: 1, Text: text}
	e.docs[uri] = d
	e.send(wire.Message{Method: "textDocument/didOpen", Params: wire.Encode(map[string]any{
		"textDocument": map[string]any{"uri": uri, "languageId": lang, "version": 1, "text": text},
	})})
	return d, nil
}

// Buffer returns a copy of an open document.
func (e *Editor) Buffer(uri string) (Document, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if d := e.docs[uri]; d != nil {
		return *d, true
	}
	return Document{}, false
}

// Edit changes a buffer as the user would: all edits in one didChange.
func (e *Editor) Edit(uri string, edits ...TextEdit) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	d := e.docs[uri]
	if d == nil {
		return fmt.Errorf("%s is not open", uri)
	}
	defer e.touch()
	return e.change(d, edits)
}

// Type inserts text at a position.
func (e *Editor) Type(uri string, at Position, text string) error {
	return e.Edit(uri, TextEdit{Range: Range{Start: at, End: at}, NewText: text})
}

// change edits a buffer and tells the server; e.mu is held.
func (e *Editor) change(d *Document, edits []TextEdit) error {
	spans, err := buffer.Resolve(d.Text, edits, e.encoding)
	if err != nil {
		return fmt.Errorf("%s: %w", d.URI, err)
	}
	before := d.Text
	d.Text = buffer.Splice(d.Text, spans)
	d.Version++
	d.Dirty = true
	e.tellChange(d, before, spans)
	return nil
}

func (e *Editor) tellChange(d *Document, before string, spans []buffer.Span) {
	var changes []map[string]any
	if e.syncKind == 2 && buffer.Replays(before, d.Text, spans, e.encoding) {
		for i := len(spans) - 1; i >= 0; i-- {
			changes = append(changes, map[string]any{"range": spans[i].Edit.Range, "text": spans[i].Text})
		}
	} else {
		changes = append(changes, map[string]any{"text": d.Text})
	}
	var version any = d.Version
	if e.opt.Wrong.DropVersions {
		version = nil
	}
	e.send(wire.Message{Method: "textDocument/didChange", Params: wire.Encode(map[string]any{
		"textDocument": map[string]any{"uri": d.URI, "version": version}, "contentChanges": changes,
	})})
}

// Save writes a buffer to disk and tells the server.
func (e *Editor) Save(uri string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	d := e.docs[uri]
	if d == nil {
		return fmt.Errorf("%s is not open", uri)
	}
	return e.save(d)
}

func (e *Editor) save(d *Document) error {
	text := d.Text
	if d.bom {
		text = "\ufeff" + text
	}
	if err := os.WriteFile(buffer.Path(d.URI), []byte(text), 0o644); err != nil {
		return err
	}
	d.Dirty = false
	e.send(wire.Message{Method: "textDocument/didSave", Params: wire.Encode(map[string]any{
		"textDocument": map[string]any{"uri": d.URI},
	})})
	return nil
}

// CloseDocument closes a buffer without saving.
func (e *Editor) CloseDocument(uri string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.docs, uri)
	e.send(wire.Message{Method: "textDocument/didClose", Params: wire.Encode(map[string]any{
		"textDocument": map[string]any{"uri": uri},
	})})
}

// At converts a 1-based line and a 1-based column counted in characters (code
// points) to a position of this connection, clamped to the line.
func (e *Editor) At(uri string, line, column int) (Position, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	d := e.docs[uri]
	if d == nil {
		return Position{}, fmt.Errorf("%s is not open", uri)
	}
	all := buffer.Lines(d.Text)
	if line < 1 || line > len(all) {
		return Position{}, fmt.Errorf("%s has %d lines, no line %d", uri, len(all), line)
	}
	text := []rune(strings.TrimRight(all[line-1], "\r\n"))
	units := 0
	for _, r := range text[:min(len(text), max(0, column-1))] {
		units += buffer.Width(r, e.encoding)
	}
	return Position{Line: line - 1, Character: units}, nil
}

// LineRange is the range of the 1-based lines from to to, without the last
// line ending.
func (e *Editor) LineRange(uri string, from, to int) (Range, error) {
	start, err := e.At(uri, from, 1)
	if err != nil {
		return Range{}, err
	}
	end, err := e.At(uri, to, 1<<30)
	return Range{Start: start, End: end}, err
}
