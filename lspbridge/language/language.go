package language

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

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

// Options of New. All fields are required.
type Options struct {
	Editor    Editor
	Workspace *workspace.Workspace
	// Encoding is the unit of positions on the editor's connection.
	Encoding text.Encoding
	// Own is companion's own client. It is asked where the editor does not
	// offer a method, fails, says nothing or says it in the wrong shape.
	Own nav.Language
}

// Language is nav.Language, with places and hovers of the editor's own language
// servers where it offers them.
type Language struct {
	nav.Language // companion's own
	o            Options
}

// New gives o.Own behind the editor.
func New(o Options) *Language { return &Language{Language: o.Own, o: o} }

// Locations implements nav.Language.
func (l *Language) Locations(ctx context.Context, what, path string, pos text.Position) ([]tools.Symbol, error) {
	method := map[string]string{
		"definition": "textDocument/definition", "references": "textDocument/references",
		"implementation": "textDocument/implementation", "type_definition": "textDocument/typeDefinition",
	}[what]
	own := func() ([]tools.Symbol, error) { return l.Language.Locations(ctx, what, path, pos) }
	if method == "" || !l.o.Editor.Offers(method) {
		return own()
	}
	raw, err := l.ask(ctx, method, path, pos)
	var found []tools.Symbol
	if err == nil {
		found, err = l.symbols(ctx, raw)
	}
	return firstOf(ctx, found, len(found) > 0, err, own)
}

// Hover implements nav.Language.
func (l *Language) Hover(ctx context.Context, path string, pos text.Position) (string, error) {
	const method = "textDocument/hover"
	own := func() (string, error) { return l.Language.Hover(ctx, path, pos) }
	if !l.o.Editor.Offers(method) {
		return own()
	}
	raw, err := l.ask(ctx, method, path, pos)
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

// ask puts one question about a position of a file.
func (l *Language) ask(ctx context.Context, method, path string, pos text.Position) (json.RawMessage, error) {
	snap, err := l.o.Workspace.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	if l.o.Encoding != text.UTF16 {
		x := text.NewIndex(snap.Text)
		pos = x.Position(x.Offset(pos, text.UTF16), l.o.Encoding)
	}
	params := map[string]any{
		"textDocument": map[string]string{"uri": snap.URI},
		"position":     position{uint32(max(pos.Line, 0)), uint32(max(pos.Character, 0))},
	}
	if method == "textDocument/references" {
		params["context"] = map[string]bool{"includeDeclaration": true}
	}
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	return l.o.Editor.Language(ctx, method, raw)
}
