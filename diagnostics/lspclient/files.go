package lspclient

import (
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"companion/tools"
)

// file is what is known of one file at this server; Client.mu guards it.
type file struct {
	open    bool
	version int32  // of the text last sent; grows for the life of the client
	text    string // last sent
	synced  uint64 // seq of that
	at      time.Time
	knownAt time.Time // first answer for version
	unasked int32     // version that the server refused to be asked about
	refused refusal   // of a file without a package
	saved   bool      // disk holds text, as far as was told
	edits   []Edit
	push    list
	pull    list
	history []Confirmed
	mergeOf mergeKey           // what merged is of
	merged  []tools.Diagnostic // shared, never changed
}

// list is one channel's diagnostics.
type list struct {
	have     bool
	version  int32 // ours that they were computed for, or taken to be
	told     bool  // the server itself named the version
	seq      uint64
	at       time.Time
	resultID string
	items    []tools.Diagnostic
}

// Edit is one text that the server was sent.
type Edit struct {
	Seq  uint64
	Text string
}

// Confirmed is a list of diagnostics that was known to be that of Text.
type Confirmed struct {
	Seq   uint64
	Open  bool   // false: told of an unopened file, Text is unknown
	Text  string // exact text that the list is of
	Items []tools.Diagnostic
}

// keep bounds how many texts and lists are remembered per file: enough for the
// edits of one step.
const keep = 8

// Sync tells the server the present text of a file: didOpen the first time,
// then didChange with a strictly larger version; nothing when it has it. It
// never blocks.
func (c *Client) Sync(path, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.file(path)
	if f.open && f.text == text {
		return
	}
	c.send(path, f, text, false)
}

func (c *Client) send(path string, f *file, text string, rebuild bool) {
	c.seq++
	f.version++
	f.text, f.synced, f.at, f.saved = text, c.seq, time.Now(), false
	f.knownAt, c.changed = time.Time{}, c.seq
	c.lastSync = f.at
	f.edits = append(f.edits, Edit{c.seq, text})
	if len(f.edits) > keep {
		f.edits = append([]Edit(nil), f.edits[len(f.edits)-keep:]...)
	}
	id := c.uri(path)
	if !f.open {
		f.open = true
		_ = c.notify(protocol.MethodTextDocumentDidOpen, map[string]any{"textDocument": map[string]any{
			"uri": id, "languageId": c.language(path), "version": f.version, "text": text,
		}})
		return
	}
	p := map[string]any{
		"textDocument":   map[string]any{"uri": id, "version": f.version},
		"contentChanges": []any{map[string]any{"text": text}},
	}
	if rebuild { // clangd's extension: publish even if nothing changed
		p["forceRebuild"] = true
	}
	_ = c.notify(protocol.MethodTextDocumentDidChange, p)
}

// Save tells the server that the file's text is on disk now.
func (c *Client) Save(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.files[path]
	if f == nil || !f.open || f.saved {
		return
	}
	f.saved = true
	_ = c.notify(protocol.MethodTextDocumentDidSave, map[string]any{
		"textDocument": map[string]any{"uri": c.uri(path)},
	})
}

// Drop closes the document at the server, which then reads the disk.
func (c *Client) Drop(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.files[path]
	if f == nil || !f.open {
		return
	}
	f.open, f.push, f.pull = false, list{}, list{}
	c.seq++
	c.changed = c.seq
	_ = c.notify(protocol.MethodTextDocumentDidClose, map[string]any{
		"textDocument": map[string]any{"uri": c.uri(path)},
	})
}

// IsOpen says whether the server holds the file's text.
func (c *Client) IsOpen(path string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.files[path]
	return f != nil && f.open
}

func (c *Client) file(path string) *file {
	f := c.files[path]
	if f == nil {
		f = &file{}
		c.files[path] = f
	}
	return f
}

// uri gives the file's URI, always in the same spelling.
func (c *Client) uri(path string) string {
	if s, ok := c.spelled[path]; ok {
		return s
	}
	s := string(uri.File(path))
	c.spelled[path] = s
	return s
}

func (c *Client) language(path string) string {
	if c.cfg.Language == nil {
		return ""
	}
	return c.cfg.Language(path)
}
