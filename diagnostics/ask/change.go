package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"companion/diagnostics/lspclient"
	"companion/diagnostics/wire"
	"companion/text"
	"companion/tools"
)

// Rename gives the edits that rename what stands at a position. A server that
// gives none refuses, in words where it has some.
func Rename(ctx context.Context, c *lspclient.Client, path string, pos text.Position, name string) ([]tools.FileEdit, error) {
	_, version, _ := c.Document(path)
	var raw json.RawMessage
	if err := c.Request(ctx, protocol.MethodTextDocumentRename, map[string]any{
		"textDocument": map[string]any{"uri": c.URI(path)}, "position": wirePos(pos), "newName": name,
	}, &raw); err != nil {
		return nil, err
	}
	if _, now, _ := c.Document(path); now != version {
		return nil, fmt.Errorf("%s: the file changed while it was asked for a rename; ask again", c.Name())
	}
	if !wire.Offers(raw) {
		return nil, fmt.Errorf("%s: what stands there cannot be renamed", c.Name())
	}
	var edit protocol.WorkspaceEdit
	if err := protocol.Unmarshal(raw, &edit); err != nil {
		return nil, fmt.Errorf("%s: rename: %w", c.Name(), err)
	}
	return fileEdits(c, &edit)
}

// Format gives the edits that format the file; none = there is nothing to do.
// Tabs or spaces are as most indented lines of the file have them.
func Format(ctx context.Context, c *lspclient.Client, path string) ([]tools.FileEdit, error) {
	src, version, _ := c.Document(path)
	size, spaces := indentation(src)
	var raw json.RawMessage
	if err := c.Request(ctx, protocol.MethodTextDocumentFormatting, map[string]any{
		"textDocument": map[string]any{"uri": c.URI(path)},
		"options":      map[string]any{"tabSize": size, "insertSpaces": spaces},
	}, &raw); err != nil {
		return nil, err
	}
	var edits []protocol.TextEdit
	if err := protocol.Unmarshal(raw, &edits); err != nil {
		return nil, fmt.Errorf("%s: format: %w", c.Name(), err)
	}
	if len(edits) == 0 {
		return nil, nil
	}
	fe, err := fileEdit(c, c.URI(path), &version, edits)
	if err != nil {
		return nil, err
	}
	return []tools.FileEdit{fe}, nil
}

// indentation guesses how a text is indented: by tabs, or by so many spaces.
func indentation(src string) (size int, spaces bool) {
	tabs, by := 0, map[int]int{}
	last := 0
	for line := range strings.Lines(src) {
		rest := strings.TrimLeft(line, " ")
		switch n := len(line) - len(rest); {
		case strings.HasPrefix(line, "\t"):
			tabs++
		case strings.TrimSpace(rest) == "":
		default:
			if step := n - last; step > 1 && step <= 8 {
				by[step]++
			}
			last = n
		}
	}
	size, most := 4, 0
	for _, n := range []int{2, 4, 8, 3} {
		if by[n] > most {
			size, most = n, by[n]
		}
	}
	return size, tabs < max(most, 1) && most > 0
}

// Callers gives where what stands at a position is called from: the name of the
// caller, at its first call.
func Callers(ctx context.Context, c *lspclient.Client, path string, pos text.Position) ([]tools.Symbol, error) {
	var prepared json.RawMessage
	if err := c.Request(ctx, protocol.MethodTextDocumentPrepareCallHierarchy, map[string]any{
		"textDocument": map[string]any{"uri": c.URI(path)}, "position": wirePos(pos),
	}, &prepared); err != nil {
		return nil, err
	}
	var items []json.RawMessage
	if err := json.Unmarshal(prepared, &items); err != nil {
		return nil, fmt.Errorf("%s: call hierarchy: %w", c.Name(), err)
	}
	var out []tools.Symbol
	for _, item := range items {
		var raw json.RawMessage
		if err := c.Request(ctx, protocol.MethodCallHierarchyIncomingCalls, map[string]any{"item": item}, &raw); err != nil {
			return nil, err
		}
		got, err := CallersOf(raw)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name(), err)
		}
		out = append(out, got...)
	}
	return out, nil
}

// CallersOf reads CallHierarchyIncomingCall[] | null; ranges are as they were
// sent, paths not yet as the workspace spells them.
func CallersOf(raw json.RawMessage) ([]tools.Symbol, error) {
	var calls []struct {
		From *struct {
			Name      string      `json:"name"`
			Kind      int         `json:"kind"`
			Detail    string      `json:"detail"`
			URI       string      `json:"uri"`
			Selection *wire.Range `json:"selectionRange"`
		} `json:"from"`
		Ranges []wire.Range `json:"fromRanges"`
	}
	if err := json.Unmarshal(raw, &calls); err != nil {
		return nil, fmt.Errorf("incoming calls: %w", err)
	}
	var out []tools.Symbol
	for _, call := range calls {
		if call.From == nil || call.From.URI == "" || call.From.Selection == nil {
			return nil, errors.New("incoming calls: a caller without a name or place")
		}
		f := call.From
		s := tools.Symbol{Name: wire.Visible(f.Name), Kind: Kind(f.Kind), Path: wire.PathOf(f.URI)}
		if s.Path == "" {
			continue
		}
		ranges := call.Ranges
		if len(ranges) == 0 {
			ranges = []wire.Range{*f.Selection}
		}
		for _, r := range ranges {
			s.Range = wire.Clamp(r.Text(), nil)
			out = append(out, s)
		}
	}
	return out, nil
}
