package language

import (
	"context"
	"errors"
	"fmt"

	"companion/diagnostics/lent"
	wirelsp "companion/diagnostics/wire"
	"companion/lspbridge/editor"
	"companion/lspbridge/wire"
	"companion/text"
	"companion/workspace"
)

// Awaiter puts companion/diagnostics/await to the editor; *editor.Editor
// implements it.
type Awaiter interface {
	OffersDiagnostics() bool
	AwaitDiagnostics(ctx context.Context, p wire.DiagnosticsParams) ([]wire.DiagnosticsItem, error)
}

// Diagnostics gives what asks the editor for diagnostics; nil when the editor
// does not offer that. enc is the unit of positions on its connection.
func Diagnostics(e Awaiter, ws *workspace.Workspace, enc text.Encoding) lent.Ask {
	if !e.OffersDiagnostics() {
		return nil
	}
	return func(ctx context.Context, q lent.Query) ([]lent.Item, error) {
		p := wire.DiagnosticsParams{
			URIs: []string{}, Since: map[string]int32{}, IncludeOthers: q.Others,
			SettleMs: q.Settle.Milliseconds(), TimeoutMs: q.Timeout.Milliseconds(),
		}
		for _, f := range q.Files {
			uri := f.URI
			if uri == "" {
				uri = wire.FileURI(f.Path)
			}
			p.URIs = append(p.URIs, uri)
			if f.Version != nil {
				p.Since[uri] = *f.Version
			}
		}
		items, err := e.AwaitDiagnostics(ctx, p)
		if errors.Is(err, editor.ErrNotOffered) {
			return nil, fmt.Errorf("%w: %w", lent.ErrNotOffered, err)
		}
		if err != nil {
			return nil, err
		}
		var out []lent.Item
		for _, it := range items {
			if item, ok := decodeItem(ctx, ws, enc, it); ok {
				out = append(out, item)
			}
		}
		return out, nil
	}
}

// decodeItem reads what was told of one file; false for what is no file.
func decodeItem(ctx context.Context, ws *workspace.Workspace, enc text.Encoding, it wire.DiagnosticsItem) (lent.Item, bool) {
	f, err := ws.ResolveURI(it.URI)
	if err != nil || f.Path == "" {
		return lent.Item{}, false
	}
	out := lent.Item{Path: f.Path, Version: it.Version, Freshness: it.Freshness, Sources: it.Sources}
	var x *text.Index
	if snap, err := ws.Read(ctx, f.Path); err == nil && snap.Exists && enc != text.UTF16 {
		x = text.NewIndex(snap.Text)
	}
	for i, raw := range it.Diagnostics {
		d, err := wirelsp.DecodeDiagnostic(raw)
		if err == nil && !hasRange(raw) {
			err = errors.New("it has no range or message")
		}
		if err != nil {
			out.Wrong = fmt.Sprintf("diagnostic %d of its answer is none: %v", i, err)
			return out, true
		}
		if x != nil && d.Range.Start.Line < x.Lines() {
			d.Range = text.Range{Start: x.Position(x.Offset(d.Range.Start, enc), text.UTF16), End: x.Position(x.Offset(d.Range.End, enc), text.UTF16)}
		}
		d.Path, d.URI = f.Path, it.URI
		out.Diagnostics = append(out.Diagnostics, d)
	}
	return out, true
}
