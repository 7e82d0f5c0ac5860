package language

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"companion/diagnostics/ask"
	"companion/text"
	"companion/tools"
)

// Methods of the call hierarchy; callers need both.
const (
	prepareCalls  = "textDocument/prepareCallHierarchy"
	incomingCalls = "callHierarchy/incomingCalls"
)

// node is a DocumentSymbol, SymbolInformation or WorkspaceSymbol.
type node struct {
	Name      string `json:"name"`
	Kind      int    `json:"kind"`
	Container string `json:"containerName"`
	Selection *span  `json:"selectionRange"`
	Location  *struct {
		URI   string `json:"uri"`
		Range *span  `json:"range"` // a WorkspaceSymbol may have none
	} `json:"location"`
	Children []node `json:"children"`
}

// mostDeep bounds how deep a tree of symbols is read.
const mostDeep = 64

// tree reads the symbols of a file, or with path "" those of a project.
func (l *Language) tree(ctx context.Context, raw json.RawMessage, path string) ([]tools.Symbol, error) {
	if isNull(bytes.TrimSpace(raw)) {
		return nil, nil
	}
	var list []node
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("%w: symbols: %w", errShape, err)
	}
	r := reader{l: l, ctx: ctx, indexes: map[string]*text.Index{}}
	var out []tools.Symbol
	var walk func(list []node, container string, deep int) error
	walk = func(list []node, container string, deep int) error {
		for _, n := range list {
			s := tools.Symbol{Name: tools.OneLine(n.Name), Kind: ask.Kind(n.Kind), Container: tools.OneLine(n.Container), Path: path}
			at := n.Selection
			if s.Container == "" {
				s.Container = container
			}
			if n.Location != nil {
				if at = n.Location.Range; at == nil {
					at = &span{&position{}, &position{}}
				}
				f, err := l.o.Workspace.ResolveURI(n.Location.URI)
				if err != nil {
					continue
				}
				s.Path = f.Path
			}
			if s.Name == "" || s.Path == "" || at == nil || at.Start == nil || at.End == nil {
				return fmt.Errorf("%w: a symbol without a name or place", errShape)
			}
			s.Range = l.symbol(s.Path, *at, r.index(s.Path)).Range
			out = append(out, s)
			if deep < mostDeep {
				if err := walk(n.Children, s.Name, deep+1); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if err := walk(list, "", 0); err != nil {
		return nil, err
	}
	return out, nil
}

// callers asks for the calls of what was prepared.
func (l *Language) callers(ctx context.Context, prepared json.RawMessage) ([]tools.Symbol, error) {
	if isNull(bytes.TrimSpace(prepared)) {
		return nil, nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(prepared, &items); err != nil {
		return nil, fmt.Errorf("%w: call hierarchy: %w", errShape, err)
	}
	r := reader{l: l, ctx: ctx, indexes: map[string]*text.Index{}}
	var out []tools.Symbol
	for _, item := range items {
		params, err := json.Marshal(map[string]any{"item": item})
		if err != nil {
			return nil, err
		}
		raw, err := l.o.Editor.Language(ctx, incomingCalls, params)
		if err != nil {
			return nil, err
		}
		if isNull(bytes.TrimSpace(raw)) {
			continue
		}
		got, err := ask.CallersOf(raw)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errShape, err)
		}
		for _, s := range got {
			if f, err := l.o.Workspace.Resolve(s.Path); err == nil {
				s.Path = f.Path
			}
			s.Range = r.here(s.Path, s.Range)
			out = append(out, s)
		}
	}
	return out, nil
}

// reader turns places of the connection into utf-16.
type reader struct {
	l       *Language
	ctx     context.Context
	indexes map[string]*text.Index
}

// index is nil for what cannot be read.
func (r reader) index(path string) *text.Index {
	x, ok := r.indexes[path]
	if !ok {
		if snap, err := r.l.o.Workspace.Read(r.ctx, path); err == nil && snap.Exists {
			x = text.NewIndex(snap.Text)
		}
		r.indexes[path] = x
	}
	return x
}

func (r reader) here(path string, at text.Range) text.Range {
	x := r.index(path)
	if x == nil {
		return at
	}
	start := x.Offset(at.Start, r.l.o.Encoding)
	end := max(start, x.Offset(at.End, r.l.o.Encoding))
	return text.Range{Start: x.Position(start, text.UTF16), End: x.Position(end, text.UTF16)}
}
