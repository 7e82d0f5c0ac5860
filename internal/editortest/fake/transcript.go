package fake

import (
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strings"
	"time"
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

func (e *Editor) record(x Entry) {
	x.At = time.Since(e.started)
	e.entries = append(e.entries, x)
	if e.opt.Heard != nil {
		e.opt.Heard(x)
	}
}

// Entries returns all that went over the wire so far.
func (e *Editor) Entries() []Entry {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]Entry(nil), e.entries...)
}

// Transcript writes a readable line or more for each message, with the time
// since Connect in milliseconds.
func (e *Editor) Transcript(w io.Writer) error {
	for _, x := range e.Entries() {
		if _, err := fmt.Fprintf(w, "%6d %s\n", x.At.Milliseconds(), x); err != nil {
			return err
		}
	}
	return nil
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
	var m message
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

func summary(method string, params json.RawMessage) string {
	var p struct {
		TextDocument struct {
			URI     string `json:"uri"`
			Version *int   `json:"version"`
		} `json:"textDocument"`
		Range   *Range `json:"range"`
		Message string `json:"message"`
		Command string `json:"command"`
		Edit    struct {
			DocumentChanges []fileEdit            `json:"documentChanges"`
			Changes         map[string][]TextEdit `json:"changes"`
		} `json:"edit"`
		ContentChanges []struct {
			Range *Range `json:"range"`
			Text  string `json:"text"`
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

func writeEdits(b *strings.Builder, edits []TextEdit) {
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
