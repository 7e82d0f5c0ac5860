package lsptest

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"
)

// Diagnostic is what the server says, as LSP JSON.
type Diagnostic struct {
	Range    Range  `json:"range"`
	Severity int    `json:"severity"`
	Source   string `json:"source"`
	Message  string `json:"message"`
}

// Range is LSP's, utf-16.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Position is LSP's, 0-based.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// diagnose computes the list for a text; s.mu is held.
func (s *Session) diagnose(src string) []any {
	out := []any{}
	for i, line := range strings.Split(src, "\n") {
		add := func(word, message string, severity int) {
			at := len(utf16.Encode([]rune(line[:strings.Index(line, word)])))
			out = append(out, Diagnostic{Range{Position{i, at}, Position{i, at + len(word)}}, severity, "lsptest", message})
		}
		if strings.Contains(line, "BAD") {
			add("BAD", "BAD is not good", 1)
		}
		if strings.Contains(line, "WARN") {
			add("WARN", "WARN is a warning", 2)
		}
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "NEED "); ok && !s.defined(name) {
			add("NEED", "undefined: "+name, 1)
		}
	}
	for _, e := range s.srv.opt.Extra {
		out = append(out, e)
	}
	return out
}

func (s *Session) defined(name string) bool {
	for _, d := range s.docs {
		for _, line := range strings.Split(d.text, "\n") {
			if strings.TrimSpace(line) == "DEF "+name {
				return true
			}
		}
	}
	return false
}

// changed publishes for the changed document and for every other open one
// whose list is another now.
func (s *Session) changed(id string) {
	o := s.srv.opt
	if o.Silent {
		return
	}
	s.mu.Lock()
	hung := s.hung
	ids := slices.Sorted(maps.Keys(s.docs))
	s.mu.Unlock()
	if hung {
		return
	}
	s.publish(id, true)
	for _, other := range ids {
		if other != id {
			s.publish(other, false)
		}
	}
}

func (s *Session) publish(id string, force bool) {
	s.mu.Lock()
	d := s.docs[id]
	if d == nil || !d.open {
		s.mu.Unlock()
		return
	}
	change := d.change
	s.mu.Unlock()
	if s.srv.opt.Debounce == 0 {
		s.later(func() { s.send(id, change, force) })
		return
	}
	s.after(s.srv.opt.Debounce, func() { s.send(id, change, force) })
}

// send publishes unless the document changed since (debounce) or nothing is to
// be said.
func (s *Session) send(id string, change int, force bool) {
	o := s.srv.opt
	s.mu.Lock()
	d := s.docs[id]
	if d == nil || !d.open || d.change != change {
		s.mu.Unlock()
		return
	}
	list := s.diagnose(d.text)
	raw, _ := json.Marshal(list)
	same := string(raw) == d.last && d.published
	if same && (o.SilentUnchanged || !force) || o.SilentAfter > 0 && s.published >= o.SilentAfter {
		s.mu.Unlock()
		return
	}
	version, first := d.version, !d.published
	stale := s.diagnose(d.before)
	d.last, d.published = string(raw), true
	s.published++
	s.mu.Unlock()
	switch {
	case o.StaleOnly && !first:
		s.tell(id, version-1, stale)
	case o.StaleFirst > 0 && !first:
		s.tell(id, version-1, stale)
		s.after(o.StaleFirst, func() { s.tell(id, version, list) })
	case o.TwoPhase > 0:
		s.tell(id, version, []any{})
		s.after(o.TwoPhase, func() { s.tell(id, version, list) })
	default:
		s.tell(id, version, list)
	}
}

func (s *Session) tell(id string, version int32, list []any) {
	p := map[string]any{"uri": id, "diagnostics": list}
	if !s.srv.opt.NoVersion {
		p["version"] = version
	}
	s.Notify("textDocument/publishDiagnostics", p)
}

// Publish sends a list of its own for a URI, now; version nil = none.
func (s *Session) Publish(id string, version *int32, diagnostics ...any) {
	if diagnostics == nil {
		diagnostics = []any{}
	}
	p := map[string]any{"uri": id, "diagnostics": diagnostics}
	if version != nil {
		p["version"] = *version
	}
	s.Notify("textDocument/publishDiagnostics", p)
}

type docParams struct {
	TextDocument struct {
		URI string `json:"uri"`
	} `json:"textDocument"`
	Range Range `json:"range"`
}

func (s *Session) pull(params json.RawMessage) any {
	var p docParams
	_ = json.Unmarshal(params, &p)
	s.mu.Lock()
	defer s.mu.Unlock()
	items := []any{}
	if d := s.docs[p.TextDocument.URI]; d != nil && d.open {
		items = s.diagnose(d.text)
	}
	return map[string]any{"kind": "full", "items": items}
}

// actions offers to replace each BAD in the range by OK.
func (s *Session) actions(params json.RawMessage) any {
	var p docParams
	_ = json.Unmarshal(params, &p)
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []any{}
	d := s.docs[p.TextDocument.URI]
	if d == nil {
		return out
	}
	for _, one := range s.diagnose(d.text) {
		diag, ok := one.(Diagnostic)
		if !ok || !strings.HasPrefix(diag.Message, "BAD") || diag.Range.Start.Line < p.Range.Start.Line || diag.Range.Start.Line > p.Range.End.Line {
			continue
		}
		out = append(out, map[string]any{
			"title": "Replace BAD by OK", "kind": "quickfix", "isPreferred": true, "diagnostics": []any{diag},
			"edit": map[string]any{"documentChanges": []any{map[string]any{
				"textDocument": map[string]any{"uri": p.TextDocument.URI, "version": d.version},
				"edits":        []any{map[string]any{"range": diag.Range, "newText": "OK"}},
			}}},
		})
	}
	return out
}

// symbols answers workspace/symbol with the lines "DEF name" of what the
// session knows.
func (s *Session) symbols(params json.RawMessage) any {
	var p struct {
		Query string `json:"query"`
	}
	_ = json.Unmarshal(params, &p)
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []any{}
	for _, id := range slices.Sorted(maps.Keys(s.docs)) {
		for i, line := range strings.Split(s.docs[id].text, "\n") {
			if strings.TrimSpace(line) == "DEF "+p.Query {
				out = append(out, map[string]any{
					"name": p.Query, "kind": 13,
					"location": map[string]any{"uri": id, "range": Range{Position{i, 0}, Position{i, len(line)}}},
				})
			}
		}
	}
	return out
}
