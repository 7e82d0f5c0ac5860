package lspbridge

import (
	"encoding/json"

	"companion/lspbridge/action"
	"companion/lspbridge/document"
	"companion/text"
	"companion/tools"
)

// actionState is what code actions of a document depend on.
func (s *Server) actionState(uri string) action.State {
	if !document.Served(uri) {
		return action.State{}
	}
	st := action.State{Served: true, Running: len(s.backend.Agent.Running()) > 0, Approvals: s.editor.approvals()}
	f, err := s.backend.Workspace.ResolveURI(uri)
	if err != nil {
		return st
	}
	st.HasServer = s.backend.Diagnostics.HasServer(f.Path)
	list, known := s.backend.Diagnostics.Known(f.Path)
	st.IsKnown = known
	for _, d := range list {
		raw := s.fromUTF16(uri, encodeDiagnostic(d))
		if p, err := action.ParseProblem(raw); err == nil {
			st.Known = append(st.Known, p)
		}
	}
	return st
}

// knownRaw are the known problems of a document as LSP diagnostics in utf-16.
func (s *Server) knownRaw(uri string) []json.RawMessage {
	f, err := s.backend.Workspace.ResolveURI(uri)
	if err != nil {
		return nil
	}
	list, _ := s.backend.Diagnostics.Known(f.Path)
	out := make([]json.RawMessage, len(list))
	for i, d := range list {
		out[i] = encodeDiagnostic(d)
	}
	return out
}

// encodeDiagnostic gives the diagnostic as its server sent it, or as LSP would
// write it.
func encodeDiagnostic(d tools.Diagnostic) json.RawMessage {
	if json.Valid(d.Raw) {
		return d.Raw
	}
	type pos struct {
		Line      int `json:"line"`
		Character int `json:"character"`
	}
	raw, err := json.Marshal(struct {
		Range    map[string]pos `json:"range"`
		Severity tools.Severity `json:"severity,omitempty"`
		Code     string         `json:"code,omitempty"`
		Source   string         `json:"source,omitempty"`
		Message  string         `json:"message"`
	}{map[string]pos{"start": pos(d.Range.Start), "end": pos(d.Range.End)}, d.Severity, d.Code, d.Source, d.Message})
	if err != nil {
		return nil
	}
	return raw
}

// toUTF16 converts the positions in a range or a list of diagnostics from the
// encoding of the connection; raw comes back as it is when that is utf-16 or
// the document's text is not known.
func (s *Server) toUTF16(uri string, raw json.RawMessage) json.RawMessage {
	return s.convert(uri, raw, s.encoding, text.UTF16)
}

func (s *Server) fromUTF16(uri string, raw json.RawMessage) json.RawMessage {
	return s.convert(uri, raw, text.UTF16, s.encoding)
}

func (s *Server) convert(uri string, raw json.RawMessage, from, to text.Encoding) json.RawMessage {
	if from == to || len(raw) == 0 {
		return raw
	}
	doc, open := s.backend.Workspace.Document(uri)
	if !open {
		return raw
	}
	x := text.NewIndex(doc.Text)
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return raw
	}
	recode(v, func(p text.Position) text.Position { return x.Position(x.Offset(p, from), to) })
	out, err := json.Marshal(v)
	if err != nil {
		return raw
	}
	return out
}

// recode changes the positions of v in place: a range, a diagnostic ("range"
// only; related information lies in other files), or an array of them.
func recode(v any, f func(text.Position) text.Position) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			recode(e, f)
		}
	case map[string]any:
		if r, ok := v["range"]; ok {
			recode(r, f)
			return
		}
		for _, end := range []string{"start", "end"} {
			p, ok := v[end].(map[string]any)
			if !ok {
				continue
			}
			line, _ := p["line"].(float64)
			char, _ := p["character"].(float64)
			q := f(text.Position{Line: int(line), Character: int(char)})
			p["line"], p["character"] = q.Line, q.Character
		}
	}
}
