package ask

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"companion/diagnostics/lspclient"
	"companion/diagnostics/wire"
	"companion/text"
	"companion/tools"
)

// Locations asks for the places of what stands at a position. what is one of
// definition, type_definition, implementation, references, symbols (of the
// file) and workspace_symbols (pos is ignored, query counts).
func Locations(ctx context.Context, c *lspclient.Client, what, path string, pos text.Position, query string) ([]tools.Symbol, error) {
	doc := map[string]any{"textDocument": map[string]any{"uri": c.URI(path)}}
	at := map[string]any{"textDocument": doc["textDocument"], "position": wirePos(pos)}
	var method string
	params := at
	switch what {
	case "definition":
		method = protocol.MethodTextDocumentDefinition
	case "type_definition":
		method = protocol.MethodTextDocumentTypeDefinition
	case "implementation":
		method = protocol.MethodTextDocumentImplementation
	case "references":
		method = protocol.MethodTextDocumentReferences
		at["context"] = map[string]any{"includeDeclaration": true}
	case "symbols":
		method, params = protocol.MethodTextDocumentDocumentSymbol, doc
	case "workspace_symbols":
		method, params = protocol.MethodWorkspaceSymbol, map[string]any{"query": query}
	default:
		return nil, fmt.Errorf("%q is not something to look up; there are definition, type_definition, implementation, references, symbols and workspace_symbols", what)
	}
	var raw json.RawMessage
	if err := c.Request(ctx, method, params, &raw); err != nil {
		return nil, err
	}
	return places(raw, path)
}

// place is any of Location, LocationLink, SymbolInformation and DocumentSymbol.
type place struct {
	Name      string `json:"name"`
	Kind      int    `json:"kind"`
	Container string `json:"containerName"`
	Location  *struct {
		URI   string      `json:"uri"`
		Range *wire.Range `json:"range"`
	} `json:"location"`
	URI             string      `json:"uri"`
	Range           *wire.Range `json:"range"`
	Selection       *wire.Range `json:"selectionRange"`
	TargetURI       string      `json:"targetUri"`
	TargetSelection *wire.Range `json:"targetSelectionRange"`
	Children        []place     `json:"children"`
}

func places(raw json.RawMessage, path string) ([]tools.Symbol, error) {
	var list []place
	if err := json.Unmarshal(raw, &list); err != nil {
		var one *place
		if err := json.Unmarshal(raw, &one); err != nil {
			return nil, fmt.Errorf("unreadable locations: %w", err)
		}
		if one != nil {
			list = []place{*one}
		}
	}
	var out []tools.Symbol
	var walk func(ps []place, container string)
	walk = func(ps []place, container string) {
		for _, p := range ps {
			s := tools.Symbol{Name: p.Name, Kind: Kind(p.Kind), Container: p.Container, Path: path}
			if s.Container == "" {
				s.Container = container
			}
			r := p.Range
			switch {
			case p.Location != nil:
				s.Path, r = wire.PathOf(p.Location.URI), p.Location.Range
			case p.TargetURI != "":
				s.Path, r = wire.PathOf(p.TargetURI), p.TargetSelection
			case p.URI != "":
				s.Path = wire.PathOf(p.URI)
			}
			if r != nil {
				s.Range = wire.Clamp(r.Text(), nil)
			}
			if s.Path != "" {
				out = append(out, s)
			}
			walk(p.Children, p.Name)
		}
	}
	walk(list, "")
	return out, nil
}

// Kind names a SymbolKind of LSP 3.17.
func Kind(k int) string {
	names := strings.Fields("file module namespace package class method property field constructor enum interface function " +
		"variable constant string number boolean array object key null enumMember struct event operator typeParameter")
	if k < 1 || k > len(names) {
		return ""
	}
	return names[k-1]
}

// Hover gives the server's description of what stands at a position, "" = none.
func Hover(ctx context.Context, c *lspclient.Client, path string, pos text.Position) (string, error) {
	var raw json.RawMessage
	err := c.Request(ctx, protocol.MethodTextDocumentHover, map[string]any{
		"textDocument": map[string]any{"uri": c.URI(path)}, "position": wirePos(pos),
	}, &raw)
	if err != nil || string(raw) == "null" {
		return "", err
	}
	var h struct {
		Contents json.RawMessage `json:"contents"`
	}
	if err := json.Unmarshal(raw, &h); err != nil {
		return "", fmt.Errorf("%s: hover: %w", c.Name(), err)
	}
	return contents(h.Contents), nil
}

// contents renders MarkupContent, a MarkedString, or a list of those.
func contents(raw json.RawMessage) string {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		var parts []string
		for _, one := range list {
			if s := contents(one); s != "" {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, "\n\n")
	}
	var marked struct {
		Language string `json:"language"`
		Value    string `json:"value"`
	}
	if json.Unmarshal(raw, &marked) == nil {
		if marked.Language != "" {
			return "```" + marked.Language + "\n" + marked.Value + "\n```"
		}
		return marked.Value
	}
	return wire.Message(raw)
}
