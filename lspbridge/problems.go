package lspbridge

import (
	"encoding/json"
	"maps"
	"slices"

	"companion/lspbridge/action"
	"companion/lspbridge/document"
	"companion/lspbridge/wire"
	"companion/text"
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
	st.Hunks, st.Prompts = s.hunks(f.Path), s.prompts()
	if doc, open := s.backend.Workspace.Document(uri); open {
		st.Inside = func(line int) bool { return s.outline.Inside(doc, line) }
	}
	st.HasServer = s.backend.Diagnostics.HasServer(f.Path)
	list, known := s.backend.Diagnostics.Known(f.Path)
	st.IsKnown = known
	st.Known = make([]action.Problem, len(list))
	for i, d := range list {
		st.Known[i] = action.Problem{Message: d.Message, Raw: wire.EncodeDiagnostic(d)}
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
		out[i] = wire.EncodeDiagnostic(d)
	}
	return out
}

// hunks are the pending changes of a file.
func (s *Server) hunks(path string) []action.Hunk {
	if s.backend.Pending == nil {
		return nil
	}
	var out []action.Hunk
	for _, h := range s.backend.Pending(path) {
		last := h.NewRange.End.Line
		if h.NewRange.End.Character == 0 && last > h.NewRange.Start.Line {
			last-- // the range ends before the next line
		}
		out = append(out, action.Hunk{Thread: h.Thread, ID: h.ID, First: h.NewRange.Start.Line, Last: last})
	}
	return out
}

// prompts are the settings' own, by title.
func (s *Server) prompts() []action.Prompt {
	all := call(s.backend.Prompts)
	var out []action.Prompt
	for _, title := range slices.Sorted(maps.Keys(all)) {
		out = append(out, action.Prompt{Title: title, Text: all[title]})
	}
	return out
}
