package language

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"companion/text"
	"companion/tools"
)

// errShape: an answer is not what LSP has for its method.
var errShape = errors.New("an answer of the wrong shape")

type span struct {
	Start *position `json:"start"`
	End   *position `json:"end"`
}

// place is a Location or a LocationLink.
type place struct {
	URI       string `json:"uri"`
	Range     *span  `json:"range"`
	TargetURI string `json:"targetUri"`
	Selection *span  `json:"targetSelectionRange"`
}

func isNull(raw []byte) bool { return len(raw) == 0 || string(raw) == "null" }

// symbols reads Location | Location[] | LocationLink[] | null. Places that are
// no files (a class in a jar) are left out: no tool could read them.
func (l *Language) symbols(ctx context.Context, raw json.RawMessage) ([]tools.Symbol, error) {
	raw = bytes.TrimSpace(raw)
	if isNull(raw) {
		return nil, nil
	}
	if raw[0] != '[' {
		raw = bytes.Join([][]byte{{'['}, raw, {']'}}, nil)
	}
	var list []place
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("%w: places: %w", errShape, err)
	}
	var out []tools.Symbol
	indexes := map[string]*text.Index{}
	for _, p := range list {
		if p.TargetURI != "" {
			p.URI, p.Range = p.TargetURI, p.Selection
		}
		if p.URI == "" || p.Range == nil || p.Range.Start == nil || p.Range.End == nil {
			return nil, fmt.Errorf("%w: a place without uri or range", errShape)
		}
		f, err := l.o.Workspace.ResolveURI(p.URI)
		if err != nil {
			continue
		}
		x, ok := indexes[f.Path]
		if !ok {
			if snap, err := l.o.Workspace.Read(ctx, f.Path); err == nil && snap.Exists {
				x = text.NewIndex(snap.Text)
			}
			indexes[f.Path] = x
		}
		out = append(out, l.symbol(f.Path, *p.Range, x))
	}
	return out, nil
}

// symbol names a place by its text; without an index (a file that cannot be
// read) its range stays as it was told.
func (l *Language) symbol(path string, r span, x *text.Index) tools.Symbol {
	at := text.Range{
		Start: text.Position{Line: int(r.Start.Line), Character: int(r.Start.Character)},
		End:   text.Position{Line: int(r.End.Line), Character: int(r.End.Character)},
	}
	if x == nil {
		return tools.Symbol{Path: path, Range: at}
	}
	start := x.Offset(at.Start, l.o.Encoding)
	end := max(start, x.Offset(at.End, l.o.Encoding))
	name, _, _ := strings.Cut(x.Text()[start:end], "\n")
	return tools.Symbol{
		Name: strings.TrimRight(name, "\r"), Path: path,
		Range: text.Range{Start: x.Position(start, text.UTF16), End: x.Position(end, text.UTF16)},
	}
}

// hover reads Hover | null.
func hover(raw json.RawMessage) (string, error) {
	if isNull(bytes.TrimSpace(raw)) {
		return "", nil
	}
	var h struct {
		Contents json.RawMessage `json:"contents"`
	}
	if err := json.Unmarshal(raw, &h); err != nil {
		return "", fmt.Errorf("%w: hover: %w", errShape, err)
	}
	return contents(h.Contents)
}

// contents reads MarkupContent, a MarkedString, or a list of those.
func contents(raw json.RawMessage) (string, error) {
	raw = bytes.TrimSpace(raw)
	if isNull(raw) {
		return "", fmt.Errorf("%w: a hover without contents", errShape)
	}
	switch raw[0] {
	case '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return "", err
		}
		var parts []string
		for _, one := range list {
			s, err := contents(one)
			if err != nil {
				return "", err
			}
			if s != "" {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, "\n\n"), nil
	}
	var m struct {
		Language string  `json:"language"`
		Value    *string `json:"value"`
	}
	if err := json.Unmarshal(raw, &m); err != nil || m.Value == nil {
		return "", fmt.Errorf("%w: a hover's contents have no value", errShape)
	}
	if m.Language != "" {
		return "```" + m.Language + "\n" + *m.Value + "\n```", nil
	}
	return *m.Value, nil
}

// hasRange says whether a diagnostic has what LSP requires of it.
func hasRange(raw json.RawMessage) bool {
	var d struct {
		Range   *span           `json:"range"`
		Message json.RawMessage `json:"message"`
	}
	return json.Unmarshal(raw, &d) == nil && d.Range != nil && d.Range.Start != nil && d.Range.End != nil && !isNull(d.Message)
}
