package lspbridge

import (
	"encoding/json"

	"companion/lspbridge/action"
	"companion/lspbridge/document"
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
	for _, d := range list {
		raw := s.docs.FromUTF16(uri, encodeDiagnostic(d))
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
