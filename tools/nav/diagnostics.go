package nav

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"companion/tools"
	"companion/tools/files"
	"companion/tools/schema"
	"companion/workspace"
)

//go:embed diagnostics.md
var diagnosticsDoc string

type diagnosticsArgs struct {
	Paths    []string `json:"paths,omitempty" desc:"Files to tell of, from the working folder or absolute. Default every file that the servers know."`
	Severity string   `json:"severity,omitempty" enum:"error|warning|info|hint" desc:"The mildest severity to tell of. Default that of the settings, warning unless changed; of milder ones the first line gives the number."`
}

type diagnostics struct {
	ws   *workspace.Workspace
	lang Language
}

// Diagnostics is the tool diagnostics.
func Diagnostics(ws *workspace.Workspace, lang Language) tools.Tool { return diagnostics{ws, lang} }

func (diagnostics) Spec() tools.Spec {
	return tools.Spec{
		Name: "diagnostics", Title: "Problems", Description: strings.TrimSpace(diagnosticsDoc), Input: schema.Of[diagnosticsArgs](),
		Polls: true, ReadOnly: true,
	}
}

func (t diagnostics) Prepare(_ context.Context, call tools.Call) (tools.Action, error) {
	args, err := tools.Decode[diagnosticsArgs](call.Args)
	if err != nil {
		return tools.Action{}, err
	}
	action := tools.Action{Activity: "Looking for problems in the project"}
	var named []workspace.File
	for _, p := range args.Paths {
		f, err := files.Resolve(t.ws, call, p)
		if err != nil {
			return tools.Action{}, err
		}
		named = append(named, f)
		action.Effects = append(action.Effects, files.Effect(tools.Read, f))
		action.Locks = append(action.Locks, tools.Lock{Resource: f.Path, Shared: true})
		action.Locations = append(action.Locations, tools.Location{Path: f.Path})
	}
	switch {
	case len(named) == 1:
		action.Activity = "Looking for problems in " + named[0].Rel
	case len(named) > 1:
		action.Activity = fmt.Sprintf("Looking for problems in %d files", len(named))
	}
	worst := map[string]tools.Severity{
		"error": tools.Error, "warning": tools.Warning, "info": tools.Information, "hint": tools.Hint,
	}[args.Severity]
	action.Run = func(ctx context.Context, _ tools.Progress) (tools.Result, error) {
		return t.run(ctx, call, named, worst)
	}
	return action, nil
}

func (t diagnostics) run(ctx context.Context, call tools.Call, named []workspace.File, worst tools.Severity) (tools.Result, error) {
	var paths []string
	for _, f := range named {
		snap, err := t.ws.Read(ctx, f.Path)
		switch {
		case err != nil:
			return tools.Result{}, files.Refuse(f, err)
		case !snap.Exists:
			return tools.Result{}, files.Missing(call, f)
		}
		paths = append(paths, f.Path)
	}
	report, items, err := t.lang.Diagnostics(ctx, paths, worst)
	if err != nil {
		return tools.Result{}, heard(ctx, err)
	}
	items = sorted(items)
	var b strings.Builder
	b.WriteString(headline(report, items))
	for _, d := range items {
		b.WriteString("\n" + d.Line(relOf(t.ws, d.Path, d.URI)))
	}
	return tools.Result{Outcome: tools.OK, Text: b.String()}, nil
}

// headline is the first line of the result: the service's own where it has
// one, since only the service knows which server told what.
func headline(r tools.Report, items []tools.Diagnostic) string {
	first, _, _ := strings.Cut(strings.TrimSpace(r.Text), "\n")
	if strings.HasPrefix(first, "Diagnostics") {
		return first
	}
	var errors, warnings int
	for _, d := range items {
		switch d.Severity {
		case tools.Error, 0:
			errors++
		case tools.Warning:
			warnings++
		}
	}
	servers := serversOf(items)
	counts := fmt.Sprintf("%d errors, %d warnings", errors, warnings)
	switch r.Status {
	case tools.NoServer:
		return "Diagnostics: no language server serves these files, so nothing is known of problems in them."
	case tools.ServerDown:
		return "Diagnostics: the language server is down, so nothing is known of problems in these files."
	case tools.Pending:
		return fmt.Sprintf("Diagnostics (%s, pending, %d ms): not known yet; so far %s, in %d of %d files.", servers, r.SettleMs, counts, r.Checked, r.Candidates)
	}
	return fmt.Sprintf("Diagnostics (%s, %s, %d ms): %s.", servers, r.Status, r.SettleMs, counts)
}

func serversOf(items []tools.Diagnostic) string {
	var names []string
	for _, d := range items {
		if d.Server != "" && !slices.Contains(names, d.Server) {
			names = append(names, d.Server)
		}
	}
	if len(names) == 0 {
		return "language server"
	}
	return strings.Join(names, "; ")
}

// sorted orders by file as first told, then by position.
func sorted(items []tools.Diagnostic) []tools.Diagnostic {
	first := map[string]int{}
	for i, d := range items {
		if _, ok := first[d.Path]; !ok {
			first[d.Path] = i
		}
	}
	out := slices.Clone(items)
	slices.SortStableFunc(out, func(a, b tools.Diagnostic) int {
		switch {
		case a.Path != b.Path:
			return first[a.Path] - first[b.Path]
		case a.Range.Start.Less(b.Range.Start):
			return -1
		case b.Range.Start.Less(a.Range.Start):
			return 1
		}
		return 0
	})
	return out
}

// relOf is how results name a file: from the root that holds it.
func relOf(ws *workspace.Workspace, path, uri string) string {
	if path == "" {
		return uri
	}
	f, err := ws.Resolve(path)
	if err != nil {
		return path
	}
	return f.Rel
}

// heard turns what a language server could not do into a failed result; only
// the end of ctx is none.
func heard(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return tools.Fail(strings.TrimSuffix(err.Error(), ".") + ".")
}
