package wire

import (
	"bytes"
	"encoding/json"
	"runtime"
	"strings"
	"unicode/utf8"

	"go.lsp.dev/uri"

	"companion/text"
	"companion/tools"
)

// Range is LSP's, wide enough for what servers send.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Position is LSP's, wide enough for what servers send.
type Position struct {
	Line      int64 `json:"line"`
	Character int64 `json:"character"`
}

// Text gives the range as it was sent.
func (w Range) Text() text.Range {
	return text.Range{
		Start: text.Position{Line: int(w.Start.Line), Character: int(w.Start.Character)},
		End:   text.Position{Line: int(w.End.Line), Character: int(w.End.Character)},
	}
}

// DecodeDiagnostic reads one LSP diagnostic; Path, URI and Server stay empty.
func DecodeDiagnostic(raw json.RawMessage) (tools.Diagnostic, error) {
	var w struct {
		Range    Range           `json:"range"`
		Severity int             `json:"severity"`
		Code     json.RawMessage `json:"code"`
		Source   string          `json:"source"`
		Message  json.RawMessage `json:"message"`
	}
	if err := json.Unmarshal(raw, &w); err != nil {
		return tools.Diagnostic{}, err
	}
	if w.Severity < 1 || w.Severity > 4 {
		w.Severity = 1
	}
	return tools.Diagnostic{
		Range: w.Range.Text(), Severity: tools.Severity(w.Severity), Code: tag(scalar(w.Code)), Source: tag(w.Source),
		Message: Message(w.Message), Raw: raw,
	}, nil
}

// quoted gives a JSON string. raw is valid JSON; one without escapes is not
// parsed again, since servers send tens of thousands of these at once.
func quoted(raw json.RawMessage) (s string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1]), true
	}
	return s, json.Unmarshal(raw, &s) == nil
}

// scalar renders a code that is a number or a string.
func scalar(raw json.RawMessage) string {
	if s, ok := quoted(raw); ok {
		return s
	}
	if string(raw) == "null" {
		return ""
	}
	return string(raw)
}

// Message takes a string or MarkupContent.
func Message(raw json.RawMessage) string {
	if s, ok := quoted(raw); ok {
		return Visible(s)
	}
	var m struct {
		Value string `json:"value"`
	}
	_ = json.Unmarshal(raw, &m)
	return Visible(m.Value)
}

// Clamp orders a range and, with an index, brings it inside the text.
func Clamp(r text.Range, x *text.Index) text.Range {
	fix := func(p text.Position) text.Position {
		p.Line, p.Character = max(p.Line, 0), max(p.Character, 0)
		if x == nil {
			return p
		}
		return x.Position(x.Offset(p, text.UTF16), text.UTF16)
	}
	r.Start, r.End = fix(r.Start), fix(r.End)
	if r.End.Less(r.Start) {
		r.End = r.Start
	}
	return r
}

// PathOf gives the path of a file URI, "" for any other.
func PathOf(s string) string {
	u, err := uri.Parse(s)
	if err != nil || !u.IsFile() {
		return ""
	}
	path := u.FsPath()
	if runtime.GOOS == "windows" && len(path) > 1 && path[1] == ':' {
		path = strings.ToUpper(path[:1]) + path[1:] // as the workspace spells drives
	}
	return path
}
