package nav

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"companion/tools"
	"companion/tools/files"
	"companion/tools/schema"
	"companion/workspace"
)

//go:embed lsp.md
var lspDoc string

type lspArgs struct {
	Action  string   `json:"action" enum:"definition|references|implementation|hover|symbols|workspace_symbols|callers|rename|code_actions|apply_code_action|format" desc:"What to ask for."`
	Path    string   `json:"path,omitempty" desc:"File, from the working folder or absolute. Only workspace_symbols can do without. Default none."`
	Line    int      `json:"line,omitempty" min:"1" desc:"Line, counted from 1. Default the first line that holds symbol; code_actions needs it."`
	EndLine int      `json:"end_line,omitempty" min:"1" desc:"Last line for code_actions, counted from 1. Default line."`
	Symbol  string   `json:"symbol,omitempty" desc:"Name in the text to look up, so that no column need be counted. Default the first name in line. For workspace_symbols the name to search, or a part of it."`
	NewName string   `json:"new_name,omitempty" desc:"For rename: what symbol shall be called. Default none."`
	Only    []string `json:"only,omitempty" desc:"Kinds of code actions to offer, such as quickfix or source.organizeImports, with all below them. Default all kinds."`
	ID      string   `json:"id,omitempty" desc:"For apply_code_action: the ID that the last code_actions gave. Default none."`
}

// lsp is the tool lsp.
type lsp struct {
	ws   *workspace.Workspace
	lang Servers

	mu      sync.Mutex
	offered map[string][]tools.CodeAction // canonical path → what was last offered, for its titles
}

// LSP is the tool lsp.
func LSP(ws *workspace.Workspace, lang Servers) tools.Tool {
	return &lsp{ws: ws, lang: lang, offered: map[string][]tools.CodeAction{}}
}

func (*lsp) Spec() tools.Spec {
	return tools.Spec{
		Name: "lsp", Title: "Language server", Description: strings.TrimSpace(lspDoc), Input: schema.Of[lspArgs](),
	}
}

// Prepare implements tools.Tool.
func (t *lsp) Prepare(ctx context.Context, call tools.Call) (tools.Action, error) {
	args, err := tools.Decode[lspArgs](call.Args)
	if err != nil {
		return tools.Action{}, err
	}
	if args.Action == "workspace_symbols" {
		return t.prepareFind(call, args)
	}
	if args.Path == "" {
		return tools.Action{}, tools.Fail("Give path: " + args.Action + " is asked of a file.")
	}
	f, err := files.Resolve(t.ws, call, args.Path)
	if err != nil {
		return tools.Action{}, err
	}
	if prepare := map[string]func(context.Context, tools.Call, lspArgs, workspace.File) (tools.Action, error){
		"apply_code_action": t.prepareApply, "rename": t.prepareRename, "format": t.prepareFormat,
	}[args.Action]; prepare != nil {
		return prepare(ctx, call, args, f)
	}
	ask, ok := map[string]func(context.Context, lspArgs, workspace.Snapshot) (string, error){
		"definition": t.locations, "references": t.locations, "implementation": t.locations, "callers": t.locations,
		"hover": t.hover, "symbols": t.symbols, "code_actions": t.codeActions,
	}[args.Action]
	if !ok {
		return tools.Action{}, tools.Fail(fmt.Sprintf("%q is no action of lsp.", args.Action))
	}
	return tools.Action{
		Effects:   []tools.Effect{files.Effect(tools.Read, f)},
		Locks:     []tools.Lock{{Resource: f.Path, Shared: true}},
		Activity:  "Asking for " + strings.ReplaceAll(args.Action, "_", " ") + " in " + f.Rel,
		Locations: []tools.Location{{Path: f.Path, Line: args.Line}},
		Run: func(ctx context.Context, _ tools.Progress) (tools.Result, error) {
			snap, err := t.read(ctx, call, f)
			if err != nil {
				return tools.Result{}, err
			}
			out, err := ask(ctx, args, snap)
			if err != nil {
				return tools.Result{}, heard(ctx, err)
			}
			return tools.Result{Outcome: tools.OK, Text: out}, nil
		},
	}, nil
}
