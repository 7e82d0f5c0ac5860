package language

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"

	"companion/text"
	"companion/tools"
	"companion/tools/nav"
	"companion/workspace"
)

// Editor is what is asked of the editor; *editor.Editor implements it. It
// withdraws what is not answered by its deadline.
type Editor interface {
	// Offers tells whether the handshake named an LSP method.
	Offers(method string) bool
	// Language gives the raw answer, empty or null when there is none.
	Language(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
}

// Options of New. All fields but Known are required.
type Options struct {
	Editor    Editor
	Workspace *workspace.Workspace
	// Encoding is the unit of positions on the editor's connection.
	Encoding text.Encoding
	// Known are the problems that the editor told of a file, to hand back when
	// it is asked for code actions; nil = none.
	Known func(path string) []tools.Diagnostic
	// Own is companion's own client. It is asked where the editor does not
	// offer a method, fails, says nothing or says it in the wrong shape.
	Own nav.Servers
}

// Language is nav.Servers, with the answers of the editor's own language servers
// where it offers them.
type Language struct {
	nav.Servers // companion's own
	o           Options

	mu     sync.Mutex
	offers map[string]offer // by path, what the editor offered last
}

// New gives o.Own behind the editor.
func New(o Options) *Language {
	return &Language{Servers: o.Own, o: o, offers: map[string]offer{}}
}

// Locations implements nav.Language.
func (l *Language) Locations(ctx context.Context, what, path string, pos text.Position) ([]tools.Symbol, error) {
	method := map[string]string{
		"definition": "textDocument/definition", "references": "textDocument/references",
		"implementation": "textDocument/implementation", "type_definition": "textDocument/typeDefinition",
		"symbols": "textDocument/documentSymbol", "callers": prepareCalls,
	}[what]
	own := func() ([]tools.Symbol, error) { return l.Servers.Locations(ctx, what, path, pos) }
	if method == "" || !l.o.Editor.Offers(method) || what == "callers" && !l.o.Editor.Offers(incomingCalls) {
		return own()
	}
	var found []tools.Symbol
	raw, err := l.ask(ctx, method, path, pos, nil)
	switch {
	case err != nil:
	case what == "symbols":
		found, err = l.tree(ctx, raw, path)
	case what == "callers":
		found, err = l.callers(ctx, raw)
	default:
		found, err = l.symbols(ctx, raw)
	}
	return firstOf(ctx, found, len(found) > 0, err, own)
}

// Find implements nav.Refactor.
func (l *Language) Find(ctx context.Context, query, path string) ([]tools.Symbol, error) {
	const method = "workspace/symbol"
	own := func() ([]tools.Symbol, error) { return l.Servers.Find(ctx, query, path) }
	if !l.o.Editor.Offers(method) {
		return own()
	}
	params, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		return nil, err
	}
	raw, err := l.o.Editor.Language(ctx, method, params)
	var found []tools.Symbol
	if err == nil {
		found, err = l.tree(ctx, raw, "")
	}
	return firstOf(ctx, found, len(found) > 0, err, own)
}

// Hover implements nav.Language.
func (l *Language) Hover(ctx context.Context, path string, pos text.Position) (string, error) {
	const method = "textDocument/hover"
	own := func() (string, error) { return l.Servers.Hover(ctx, path, pos) }
	if !l.o.Editor.Offers(method) {
		return own()
	}
	raw, err := l.ask(ctx, method, path, pos, nil)
	var said string
	if err == nil {
		said, err = hover(raw)
	}
	return firstOf(ctx, said, strings.TrimSpace(said) != "", err, own)
}

// firstOf gives what the editor said, else what own says. An editor that knew
// of nothing outweighs an own client that cannot answer.
func firstOf[T any](ctx context.Context, said T, some bool, err error, own func() (T, error)) (T, error) {
	if err == nil && some {
		return said, nil
	}
	if ctx.Err() != nil {
		var none T
		return none, context.Cause(ctx)
	}
	out, ownErr := own()
	switch {
	case ownErr == nil:
		return out, nil
	case err != nil:
		return out, fmt.Errorf("%w (the editor's language servers: %w)", ownErr, err)
	case ctx.Err() == nil:
		return out, nil
	}
	return out, ownErr
}

// position is LSP's, in the connection's encoding.
type position struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

// ask puts one question about a position of a file; more are further params.
func (l *Language) ask(ctx context.Context, method, path string, pos text.Position, more map[string]any) (json.RawMessage, error) {
	snap, err := l.o.Workspace.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	params := map[string]any{"textDocument": map[string]string{"uri": snap.URI}, "position": l.sent(text.NewIndex(snap.Text), pos)}
	maps.Copy(params, more)
	if method == "textDocument/references" {
		params["context"] = map[string]bool{"includeDeclaration": true}
	}
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	return l.o.Editor.Language(ctx, method, raw)
}

// sent is a position as the connection counts it.
func (l *Language) sent(x *text.Index, pos text.Position) position {
	if l.o.Encoding != text.UTF16 {
		pos = x.Position(x.Offset(pos, text.UTF16), l.o.Encoding)
	}
	return position{uint32(max(pos.Line, 0)), uint32(max(pos.Character, 0))}
}
