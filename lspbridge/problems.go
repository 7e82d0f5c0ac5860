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
	st := action.State{Served: true, Running: len(s.backend.Agent.Running()) > 0, Approvals: s.editor.Approvals()}
	f, err := s.backend.Workspace.ResolveURI(uri)
	if err != nil {
		return st
	}
	st.HasServer = s.backend.Diagnostics.HasServer(f.Path)
	list, known := s.backend.Diagnostics.Known(f.Path)
	st.IsKnown = known
	st.Known = make([]action.Problem, len(list))
	for i, d := range list {
		st.Known[i] = action.Problem{Message: d.Message, Raw: encodeDiagnostic(d)}
		st.Known[i].Range.Start, st.Known[i].Range.End = action.Position(d.Range.Start), action.Position(d.Range.End)
	}
	if s.editor.Encoding != text.UTF16 {
		st.Known = s.recoded(uri, st.Known)
	}
	return st
}

// recoded gives problems with their positions in the encoding of the
// connection; none rather than some at the wrong place.
func (s *Server) recoded(uri string, list []action.Problem) []action.Problem {
	raw := make([]json.RawMessage, len(list))
	for i, p := range list {
		raw[i] = p.Raw
	}
	all, err := json.Marshal(raw)
	if err != nil {
		return nil
	}
	// A fresh slice: decoding into raw would write over the bytes that the
	// diagnostics service still holds.
	var coded []json.RawMessage
	if json.Unmarshal(s.docs.FromUTF16(uri, all), &coded) != nil || len(coded) != len(list) {
		return nil
	}
	out := make([]action.Problem, len(list))
	for i := range coded {
		if out[i], err = action.ParseProblem(coded[i]); err != nil {
			return nil
		}
	}
	return out
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
	if len(d.Raw) > 0 {
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
