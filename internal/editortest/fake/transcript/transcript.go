// Package transcript words what goes over the wire for a person.
//
// Never: show more of a message than a line or two.
package transcript

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"

	"companion/internal/editortest/fake/buffer"
	"companion/internal/editortest/fake/wire"
)

// Entry is one message, or one problem, in the order of the wire.
type Entry struct {
	At      time.Duration // since Connect
	Server  bool          // it came from the server
	Method  string        // "" = an answer
	ID      string        // JSON, "" = a notification
	Body    []byte        // the whole message
	Problem string
}

// String is the entry for a person: direction, method and what matters of it.
func (x Entry) String() string {
	if x.Problem != "" {
		return "!! " + x.Problem
	}
	arrow := "→"
	if x.Server {
		arrow = "←"
	}
	var m wire.Message
	_ = json.Unmarshal(x.Body, &m)
	switch {
	case x.Method != "":
		s := arrow + " " + x.Method
		if x.ID != "" {
			s += " #" + strings.Trim(x.ID, `"`)
		}
		return s + " " + summary(x.Method, m.Params)
	case m.Error != nil:
		return fmt.Sprintf("%s #%s error %v", arrow, strings.Trim(x.ID, `"`), m.Error)
	}
	return fmt.Sprintf("%s #%s %s", arrow, strings.Trim(x.ID, `"`), short(string(m.Result), 160))
}

// fileEdit is one file's part of a workspace edit.
type fileEdit struct {
	TextDocument struct {
		URI     string `json:"uri"`
		Version *int   `json:"version"`
	} `json:"textDocument"`
	Edits []buffer.TextEdit `json:"edits"`
}

func summary(method string, params json.RawMessage) string {
	var p struct {
		TextDocument struct {
			URI     string `json:"uri"`
			Version *int   `json:"version"`
		} `json:"textDocument"`
		Range   *buffer.Range `json:"range"`
		Message string        `json:"message"`
		Command string        `json:"command"`
		Edit    struct {
			DocumentChanges []fileEdit                   `json:"documentChanges"`
			Changes         map[string][]buffer.TextEdit `json:"changes"`
		} `json:"edit"`
		ContentChanges []struct {
			Range *buffer.Range `json:"range"`
			Text  string        `json:"text"`
		} `json:"contentChanges"`
		Arguments json.RawMessage `json:"arguments"`
		Value     struct {
			Kind, Title, Message string
		} `json:"value"`
	}
	if json.Unmarshal(params, &p) != nil {
		return short(string(params), 160)
	}
	doc := path.Base(p.TextDocument.URI)
	if p.TextDocument.Version != nil {
		doc += fmt.Sprintf(" v%d", *p.TextDocument.Version)
	}
	var b strings.Builder
	switch method {
	case "initialize":
		return ""
	case "textDocument/didOpen", "textDocument/didClose", "textDocument/didSave":
		return doc
	case "textDocument/codeAction":
		return fmt.Sprintf("%s %v", doc, p.Range)
	case "textDocument/didChange":
		b.WriteString(doc)
		for _, c := range p.ContentChanges {
			if c.Range == nil {
				b.WriteString(" (all)")
				continue
			}
			fmt.Fprintf(&b, " %s %q", c.Range, short(c.Text, 60))
		}
		return b.String()
	case "workspace/applyEdit":
		for _, f := range p.Edit.DocumentChanges {
			b.WriteString(path.Base(f.TextDocument.URI))
			if f.TextDocument.Version != nil {
				fmt.Fprintf(&b, " v%d", *f.TextDocument.Version)
			}
			writeEdits(&b, f.Edits)
		}
		for uri, edits := range p.Edit.Changes {
			b.WriteString(path.Base(uri))
			writeEdits(&b, edits)
		}
		return b.String()
	case "workspace/executeCommand":
		return p.Command + " " + short(string(p.Arguments), 160)
	case "$/progress":
		return strings.TrimSpace(p.Value.Kind + " " + p.Value.Title + " " + p.Value.Message)
	case "window/showMessage", "window/logMessage":
		return short(p.Message, 400)
	}
	return short(string(params), 160)
}

func writeEdits(b *strings.Builder, edits []buffer.TextEdit) {
	for _, t := range edits {
		fmt.Fprintf(b, "\n         %s becomes %q", t.Range, short(t.NewText, 120))
	}
}

func short(s string, most int) string {
	r := []rune(s)
	if len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
