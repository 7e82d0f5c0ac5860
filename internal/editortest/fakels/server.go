package fakels

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"companion/internal/editortest/fake/wire"
)

type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   any             `json:"error,omitempty"`
}

type document struct {
	TextDocument struct {
		URI     string `json:"uri"`
		Version int    `json:"version"`
		Text    string `json:"text"`
	} `json:"textDocument"`
	ContentChanges []struct {
		Text string `json:"text"`
	} `json:"contentChanges"`
	Range span `json:"range"`
}

// server is one talk.
type server struct {
	rules *Rules
	out   io.Writer
	texts map[string]string
}

// errDied is how a server ends that a rule kills.
var errDied = fmt.Errorf("killed by a rule")

// Serve talks until exit, the end of the input or a rule that ends the server;
// the last is an error.
func Serve(rwc io.ReadWriter, rules *Rules) error {
	s := &server{rules: rules, out: rwc, texts: map[string]string{}}
	r := bufio.NewReader(rwc)
	for {
		body, err := wire.ReadFrame(r)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var m message
		if err := json.Unmarshal(body, &m); err != nil {
			return err
		}
		if m.Method == "exit" {
			return nil
		}
		if err := s.handle(m); err != nil {
			return err
		}
	}
}

func (s *server) handle(m message) error {
	var d document
	if m.Method != "initialize" {
		_ = json.Unmarshal(m.Params, &d)
	}
	uri := d.TextDocument.URI
	switch m.Method {
	case "initialize":
		if s.rules.SilentInitialize {
			return nil
		}
		return s.answer(m, map[string]any{
			"capabilities": map[string]any{
				"textDocumentSync":   map[string]any{"openClose": true, "change": 1, "save": true},
				"codeActionProvider": map[string]any{"codeActionKinds": []string{"quickfix"}},
			},
			"serverInfo": map[string]any{"name": "fakels", "version": "1"},
		})
	case "textDocument/didOpen":
		return s.learn(uri, d.TextDocument.Version, d.TextDocument.Text)
	case "textDocument/didChange":
		return s.learn(uri, d.TextDocument.Version, d.ContentChanges[len(d.ContentChanges)-1].Text)
	case "textDocument/codeAction":
		return s.answer(m, s.actions(uri, d.Range))
	case "shutdown":
		return s.answer(m, nil)
	}
	if m.ID != nil && m.Method != "" {
		return s.send(message{ID: m.ID, Error: map[string]any{"code": -32601, "message": "no such method: " + m.Method}})
	}
	return nil
}

func (s *server) learn(uri string, version int, text string) error {
	if s.rules.DieOn != "" && strings.Contains(text, s.rules.DieOn) {
		return errDied
	}
	s.texts[uri] = text
	if s.rules.Silent {
		return nil
	}
	if s.rules.Delay > 0 {
		time.Sleep(s.rules.Delay)
	}
	params, err := json.Marshal(map[string]any{"uri": uri, "version": version, "diagnostics": s.rules.check(text)})
	if err != nil {
		return err
	}
	return s.send(message{Method: "textDocument/publishDiagnostics", Params: params})
}

func (s *server) actions(uri string, r span) []any {
	out := []any{}
	for _, d := range s.rules.check(s.texts[uri]) {
		if d.fix == nil || d.Range.Start.Line < r.Start.Line || d.Range.Start.Line > r.End.Line {
			continue
		}
		out = append(out, map[string]any{
			"title": fmt.Sprintf("Change %q to %q", d.word, *d.fix), "kind": "quickfix", "diagnostics": []diagnostic{d},
			"edit": map[string]any{"changes": map[string]any{
				uri: []any{map[string]any{"range": d.Range, "newText": *d.fix}},
			}},
		})
	}
	return out
}

func (s *server) answer(m message, result any) error {
	if result == nil {
		result = json.RawMessage("null")
	}
	return s.send(message{ID: m.ID, Result: result})
}

func (s *server) send(m message) error {
	m.JSONRPC = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = s.out.Write(wire.AppendFrame(nil, body))
	return err
}
