package outline

import (
	"context"
	_ "embed"
	"fmt"
	"path/filepath"
	"strings"

	"companion/tools"
	"companion/tools/bounded"
	"companion/tools/files"
	"companion/tools/lang"
	"companion/tools/schema"
	"companion/workspace"
)

const (
	// mostShown is how many declarations come at once.
	mostShown = 500
	// maxText is the most bytes that are parsed: some seconds of work.
	maxText = 8 << 20
)

//go:embed outline.md
var doc string

type args struct {
	Path   string `json:"path" desc:"Source file, from the working folder or absolute."`
	Offset int    `json:"offset,omitempty" min:"1" desc:"First declaration to list, counted from 1, number of entries, not of lines. Default 1."`
}

type tool struct {
	ws      *workspace.Workspace
	declare lang.Declarations
}

// New is the tool outline; declare nil = there are no parsers in this build.
func New(ws *workspace.Workspace, declare lang.Declarations) tools.Tool { return tool{ws, declare} }

func (tool) Spec() tools.Spec {
	return tools.Spec{
		Name: "outline", Title: "Outline of a file", Description: strings.TrimSpace(doc), Input: schema.Of[args](),
		ReadOnly: true, Folded: true, SearchHint: "symbols, functions, classes, structure, table of contents of a source file",
	}
}

func (t tool) Prepare(ctx context.Context, call tools.Call) (tools.Action, error) {
	a, err := tools.Decode[args](call.Args)
	if err != nil {
		return tools.Action{}, err
	}
	f, told, err := files.Locate(ctx, t.ws, call, a.Path)
	if err != nil {
		return tools.Action{}, err
	}
	return tools.Action{
		Effects:   []tools.Effect{files.Effect(tools.Read, f)},
		Locks:     []tools.Lock{{Resource: f.Path, Shared: true}},
		Activity:  "Outlining " + files.Shown(f.Rel),
		Locations: []tools.Location{{Path: f.Path}},
		Run: func(ctx context.Context, _ tools.Progress) (tools.Result, error) {
			return t.run(ctx, call, a, f, told)
		},
	}, nil
}

func (t tool) run(ctx context.Context, call tools.Call, a args, f workspace.File, told string) (tools.Result, error) {
	if err := files.Still(t.ws, f); err != nil {
		return tools.Result{}, err
	}
	snap, err := t.ws.Read(ctx, f.Path)
	if err != nil {
		return tools.Result{}, files.Refuse(f, err)
	}
	if !snap.Exists {
		r := files.Missing(call, f)
		if told != "" {
			r.Text = told + " " + r.Text
		}
		return tools.Result{}, r
	}
	list, err := Of(ctx, t.declare, f, snap.Text)
	if err != nil {
		return tools.Result{}, err
	}
	var b strings.Builder
	if told != "" {
		b.WriteString(told + "\n")
	}
	if snap.Dirty {
		b.WriteString("(Of the text in the editor, which is not saved.)\n")
	}
	first := max(a.Offset, 1)
	if first > max(len(list), 1) {
		return tools.Result{}, tools.Fail(fmt.Sprintf("%s declares %d things; offset %d is past the last.", files.Shown(f.Rel), len(list), first))
	}
	fmt.Fprintf(&b, "%s: %d lines, %s:\n", files.Shown(f.Rel), strings.Count(snap.Text, "\n"), Count(len(list)))
	last := min(len(list), first-1+mostShown)
	for _, d := range list[first-1 : last] {
		b.WriteString(Line(d) + "\n")
	}
	if last < len(list) {
		fmt.Fprintf(&b, "(%d to %d of %d. Go on with offset %d.)\n", first, last, len(list), last+1)
	}
	return tools.Result{Outcome: tools.OK, Text: b.String(), Display: fmt.Sprintf("Outlined %s, %s", files.Shown(f.Rel), Count(len(list)))}, nil
}

// Count words a number of declarations.
func Count(n int) string {
	switch n {
	case 0:
		return "no declarations"
	case 1:
		return "1 declaration"
	}
	return fmt.Sprintf("%d declarations", n)
}

// Line is one declaration in words: FIRST-LAST KIND NAME, indented by its depth.
func Line(d lang.Declaration) string {
	return fmt.Sprintf("%s%d-%d %s %s", strings.Repeat("  ", d.Depth), d.From, d.Last, d.Kind, d.Name)
}

// Of finds the declarations of a file's text; the error is ctx's, or a *tools.Refusal
// that says what is to be used instead.
func Of(ctx context.Context, declare lang.Declarations, f workspace.File, text string) ([]lang.Declaration, error) {
	name := files.Shown(f.Rel)
	switch {
	case declare == nil:
		return nil, tools.Fail("This build of companion has no parsers (it was made without cgo), so that declarations are not known. Use grep to find them, or lsp, and read with offset and limit.")
	case len(text) > maxText:
		return nil, tools.Fail(fmt.Sprintf("%s has %d bytes, over the %d that are parsed. Use grep to find its declarations.", name, len(text), maxText))
	}
	var list []lang.Declaration
	ok, err := bounded.Run(ctx, func() (known bool, err error) {
		list, known = declare(f.Path, text)
		return known, nil
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, tools.Fail(fmt.Sprintf("The parser failed on %s (%v). Use grep to find its declarations.", name, err))
	case !ok:
		kind := filepath.Ext(f.Path)
		if kind == "" {
			kind = "such"
		}
		return nil, tools.Fail(fmt.Sprintf("There is no parser for %s files here, so that the declarations of %s are not known. Use grep to find them, or lsp, and read with offset and limit.", kind, name))
	}
	return list, nil
}

// Find gives the declarations that a name means: by their whole names, with
// containers ("Class.method", "Class::method") or without, else regardless of
// case. line (1-based, 0 = none) chooses among several the innermost that holds it.
func Find(list []lang.Declaration, name string, line int) []lang.Declaration {
	name = strings.TrimSuffix(strings.NewReplacer("::", ".", "#", ".", "(*", "", ")", "", "->", ".").Replace(strings.TrimSpace(name)), "(")
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		var found []lang.Declaration
		var path []string
		for _, d := range list {
			path = append(path[:min(d.Depth, len(path))], d.Name)
			if matches(path, d, name, same) {
				found = append(found, d)
			}
		}
		if len(found) > 1 && line > 0 {
			if at := holding(found, line); at != nil {
				return []lang.Declaration{*at}
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// matches tells whether name is a declaration's own name or ends its path.
func matches(path []string, d lang.Declaration, name string, same func(a, b string) bool) bool {
	if same(d.Name, name) {
		return true
	}
	if _, method, ok := strings.Cut(d.Name, "."); ok && same(method, name) { // T.Method
		return true
	}
	for _, one := range strings.Split(d.Name, ", ") { // a, b = 1, 2
		if same(one, name) {
			return true
		}
	}
	for i := range path {
		whole := strings.Join(path[i:], ".")
		if same(strings.ReplaceAll(whole, "::", "."), name) {
			return true
		}
	}
	return false
}

func holding(list []lang.Declaration, line int) *lang.Declaration {
	var best *lang.Declaration
	for i := range list {
		if d := &list[i]; d.From <= line && line <= d.Last && (best == nil || d.Last-d.From <= best.Last-best.From) {
			best = d
		}
	}
	return best
}
