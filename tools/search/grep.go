package search

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"companion/tools"
	"companion/tools/schema"
	"companion/tools/search/match"
	"companion/tools/search/pick"
)

// Bounds of one result (tools.md, grep: 100 hits).
const (
	defaultHits = 100
	mostHits    = 1_000
	// ahead is how many hits behind those that are shown are counted.
	ahead = 1_000
	// mostText bounds a result, in bytes: below limit.DefaultBudget, so that it is
	// never cut in the middle.
	mostText = 36_000
	// lineContext is the most lines of context on each side.
	lineContext = 20
)

//go:embed grep.md
var grepDoc string

type grepArgs struct {
	Pattern    string `json:"pattern" desc:"Regular expression (RE2: no look-around, no backreferences), or plain text with literal."`
	Path       string `json:"path,omitempty" desc:"File or folder to search; a name, not a pattern. Default all folders of the workspace."`
	Glob       string `json:"glob,omitempty" desc:"Only files whose path matches: '*.go', 'src/**/*.{ts,tsx}'; a leading ! turns it round. Default every file."`
	Type       string `json:"type,omitempty" desc:"Only files of a kind, by ripgrep's names: go, py, ts, js, rust, java, c, cpp, md, json, yaml, html, css, sh and more. Default every kind."`
	Mode       string `json:"mode,omitempty" enum:"content|files|count" desc:"content: the lines; files: the files that match; count: how many hits each file has. Default content."`
	Context    int    `json:"context,omitempty" min:"0" max:"20" desc:"Lines to show before and after each hit, 0 to 20. Default 0."`
	IgnoreCase bool   `json:"ignore_case,omitempty" desc:"Take upper and lower case for the same. Default false."`
	Literal    bool   `json:"literal,omitempty" desc:"The pattern is plain text: ( ) [ ] { } . * + ? $ ^ | and \\ stand for themselves. Default false."`
	Multiline  bool   `json:"multiline,omitempty" desc:"A match may span lines: \\n and \\s match line endings, (?s) lets . match them too. Default false."`
	Hidden     bool   `json:"hidden,omitempty" desc:"Search files and folders too whose name begins with a dot (.git never). Default false."`
	Ignored    bool   `json:"ignored,omitempty" desc:"Search files too that .gitignore and its like name, such as node_modules. Default false."`
	Limit      int    `json:"limit,omitempty" min:"1" max:"1000" desc:"Hits to show (files, for modes files and count), from 1 to 1000. Default 100."`
	Offset     int    `json:"offset,omitempty" min:"0" desc:"Hits (or files) to pass over, from 0, to go on where a result ended. Default 0."`
}

type grep struct {
	o  Options
	rg *ripgrep
}

// Grep is the tool grep.
func Grep(o Options) tools.Tool { return grep{o, &ripgrep{o: o}} }

func (grep) Spec() tools.Spec {
	return tools.Spec{
		Name: "grep", Title: "Search in files", Description: strings.TrimSpace(grepDoc), Input: schema.Of[grepArgs](),
		ReadOnly: true, Folded: true, SearchHint: "search find text pattern regex rg ripgrep in contents of files, usages, occurrences, TODO",
		Examples: []json.RawMessage{json.RawMessage(`{"pattern":"func \\w+Handler\\(","glob":"*.go"}`), json.RawMessage(`{"pattern":"TODO(","literal":true,"mode":"count"}`)},
	}
}

func (g grep) Prepare(ctx context.Context, call tools.Call) (tools.Action, error) {
	a, err := tools.Decode[grepArgs](call.Args)
	if err != nil {
		return tools.Action{}, err
	}
	m, err := match.Compile(a.Pattern, match.Options{Literal: a.Literal, IgnoreCase: a.IgnoreCase, Multiline: a.Multiline})
	if err != nil {
		return tools.Action{}, tools.Fail(fmt.Sprintf("The pattern %q cannot be used: %v.", a.Pattern, err))
	}
	var kinds []string
	if a.Type != "" {
		globs, all, ok := pick.Kind(a.Type)
		if !ok {
			return tools.Action{}, tools.Fail(fmt.Sprintf("There is no type %q; use glob, or one of %s.", a.Type, all))
		}
		kinds = globs
	}
	list, err := targets(ctx, g.o, call, a.Path)
	if err != nil {
		return tools.Action{}, err
	}
	a.Limit = min(max(a.Limit, 0), mostHits)
	if a.Limit == 0 {
		a.Limit = defaultHits
	}
	a.Context, a.Offset = min(max(a.Context, 0), lineContext), max(a.Offset, 0)
	return tools.Action{
		Effects: effects(list), Locks: locks(), Activity: fmt.Sprintf("Searching %s for %s", where(call, list), strings.ToValidUTF8(a.Pattern, "?")),
		Run: func(ctx context.Context, _ tools.Progress) (tools.Result, error) {
			r := newRun(g, call, a, m)
			for _, t := range list {
				if err := r.search(ctx, t, kinds); err != nil {
					return tools.Result{}, err
				}
			}
			return r.result(list), nil
		},
	}, nil
}

// where names what is searched, for a person.
func where(call tools.Call, list []target) string {
	if len(list) > 1 {
		return fmt.Sprintf("%d folders", len(list))
	}
	if s := shown(call, list[0].file.Path); s != "." {
		return s
	}
	return "the working folder"
}
