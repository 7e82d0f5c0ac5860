package search

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	conciter "github.com/sourcegraph/conc/iter"

	"companion/tools"
	"companion/tools/schema"
	"companion/tools/search/pick"
	"companion/tools/search/walk"
)

//go:embed glob.md
var globDoc string

type globArgs struct {
	Pattern string `json:"pattern" desc:"Pattern of paths: '*.go', 'src/**/*.{ts,tsx}', '**/test_*.py'."`
	Path    string `json:"path,omitempty" desc:"Folder from which the pattern counts. Default all folders of the workspace."`
	Hidden  bool   `json:"hidden,omitempty" desc:"Name files and folders too that begin with a dot (.git never). Default false."`
	Ignored bool   `json:"ignored,omitempty" desc:"Name files too that .gitignore and its like name, such as node_modules. Default false."`
	Limit   int    `json:"limit,omitempty" min:"1" max:"1000" desc:"Files to name, from 1 to 1000. Default 100."`
	Offset  int    `json:"offset,omitempty" min:"0" desc:"Files to pass over, from 0, to go on where a result ended. Default 0."`
}

type globber struct{ o Options }

// Glob is the tool glob.
func Glob(o Options) tools.Tool { return globber{o} }

func (globber) Spec() tools.Spec {
	return tools.Spec{
		Name: "glob", Title: "Find files", Description: strings.TrimSpace(globDoc), Input: schema.Of[globArgs](),
		ReadOnly: true, Folded: true, SearchHint: "find files by name path pattern wildcard extension ls tree",
		Examples: []json.RawMessage{json.RawMessage(`{"pattern":"**/*_test.go"}`)},
	}
}

// sought is one folder to list and what its files have to match.
type sought struct {
	target
	match pick.Glob
	all   bool // every file below
}

func (g globber) Prepare(ctx context.Context, call tools.Call) (tools.Action, error) {
	a, err := tools.Decode[globArgs](call.Args)
	if err != nil {
		return tools.Action{}, err
	}
	if strings.TrimSpace(a.Pattern) == "" {
		return tools.Action{}, tools.Fail("The pattern is empty: give one such as '*.go'; to see a folder use `list`.")
	}
	from, pattern := []target(nil), filepath.ToSlash(a.Pattern)
	if filepath.IsAbs(a.Pattern) {
		vol := filepath.VolumeName(a.Pattern)
		t, err := resolve(ctx, g.o, call, vol+string(filepath.Separator))
		if err != nil {
			return tools.Action{}, err
		}
		from, pattern = []target{t}, strings.TrimLeft(pattern[len(vol):], "/")
	} else if from, err = targets(ctx, g.o, call, a.Path); err != nil {
		return tools.Action{}, err
	}
	var list []sought
	var where []target
	for _, t := range from {
		s, err := g.seek(ctx, call, t, pattern)
		if err != nil {
			return tools.Action{}, err
		}
		list, where = append(list, s), append(where, s.target)
	}
	a.Limit = min(max(a.Limit, 0), mostHits)
	if a.Limit == 0 {
		a.Limit = defaultHits
	}
	a.Offset = max(a.Offset, 0)
	a.Hidden = a.Hidden || pick.AsksHidden(pattern)
	return tools.Action{
		Effects: effects(where), Locks: locks(), Activity: "Finding " + strings.ToValidUTF8(a.Pattern, "?"),
		Run: func(ctx context.Context, _ tools.Progress) (tools.Result, error) { return g.run(ctx, call, a, list) },
	}, nil
}

// seek goes down the part of a pattern that names folders, so that what is
// asked for by name is listed whatever ignores it.
func (g globber) seek(ctx context.Context, call tools.Call, t target, pattern string) (sought, error) {
	if !t.isDir {
		return sought{}, tools.Fail(fmt.Sprintf("%s is a file; `path` is the folder from which the pattern counts.", t.file.Rel))
	}
	pattern = strings.TrimPrefix(pattern, "./")
	if !strings.Contains(pattern, "/") {
		if info, err := os.Stat(filepath.Join(t.file.Path, pattern)); err == nil && info.IsDir() {
			base, err := resolve(ctx, g.o, call, filepath.Join(t.file.Path, pattern))
			return sought{target: base, all: true}, err
		}
		return sought{target: t, match: pick.NewGlob(pattern)}, nil
	}
	name, rest := pick.Literally(t.file.Path, pattern)
	if strings.HasPrefix(rest, "../") || strings.Contains(rest, "/../") || strings.HasSuffix(rest, "/..") {
		return sought{}, tools.Fail(fmt.Sprintf("The pattern %q goes up behind a wildcard: give the folder as `path`.", pattern))
	}
	if name != "" {
		base, err := resolve(ctx, g.o, call, filepath.Join(t.file.Path, filepath.FromSlash(name)))
		if err != nil {
			return sought{}, err
		}
		t = base
	}
	if rest == "" {
		return sought{target: t, all: true}, nil
	}
	if name != "" && !strings.Contains(rest, "/") {
		return sought{target: t, match: pick.NewGlob(rest).Here()}, nil
	}
	return sought{target: t, match: pick.NewGlob(rest)}, nil
}

// hit is a file with the time of its last change, in nanoseconds.
type hit struct {
	path string
	time int64
}

func (g globber) run(ctx context.Context, call tools.Call, a globArgs, list []sought) (tools.Result, error) {
	var hits []hit
	var unreadable []string
	for _, s := range list {
		if !s.isDir {
			hits = append(hits, hit{path: s.file.Path})
			continue
		}
		top := ""
		for _, root := range call.Roots {
			if _, in := below(root, s.file.Path); in {
				top = root
			}
		}
		tree := walk.Open(s.file.Path, walk.Options{Hidden: a.Hidden, Ignored: a.Ignored, Top: top, Getenv: g.o.Getenv})
		for f := range tree.Files(ctx) {
			if s.all || s.match.Matches(f.Rel) {
				hits = append(hits, hit{path: filepath.Join(s.file.Path, filepath.FromSlash(f.Rel))})
			}
		}
		for _, u := range tree.Unreadable() {
			unreadable = append(unreadable, shown(call, filepath.Join(s.file.Path, filepath.FromSlash(u))))
		}
	}
	it := conciter.Iterator[hit]{MaxGoroutines: max(runtime.GOMAXPROCS(0), 2)}
	it.ForEach(hits, func(h *hit) {
		if info, err := os.Lstat(h.path); err == nil && ctx.Err() == nil {
			h.time = info.ModTime().UnixNano()
		}
	})
	if ctx.Err() != nil {
		return tools.Result{}, ctx.Err()
	}
	slices.SortFunc(hits, func(x, y hit) int { return cmp.Or(cmp.Compare(y.time, x.time), walk.Compare(x.path, y.path)) })
	return g.result(call, a, hits, unreadable), nil
}

func (g globber) result(call tools.Call, a globArgs, hits []hit, unreadable []string) tools.Result {
	var b strings.Builder
	named := 0
	for _, h := range hits[min(a.Offset, len(hits)):] {
		if named == a.Limit || b.Len() > mostText {
			break
		}
		b.WriteString(shown(call, h.path) + "\n")
		named++
	}
	total := plural(len(hits), "file")
	switch last := a.Offset + named; {
	case len(hits) == 0:
		fmt.Fprintf(&b, "No file matches %q.", a.Pattern)
		var set []string
		if !a.Ignored {
			set = append(set, "files that git ignores (ignored)")
		}
		if !a.Hidden {
			set = append(set, "names with a leading dot (hidden)")
		}
		if len(set) > 0 {
			b.WriteString(" Left out: " + strings.Join(set, ", ") + ".")
		}
		b.WriteString("\n")
	case named == 0:
		fmt.Fprintf(&b, "(Nothing from offset %d on: there are %s.)\n", a.Offset, total)
	case last < len(hits):
		fmt.Fprintf(&b, "(Files %d to %d of %s, newest first. Go on with offset %d, or narrow the pattern.)\n", a.Offset+1, last, total, last)
	default:
		fmt.Fprintf(&b, "(%s.)\n", total)
	}
	if len(unreadable) > 0 {
		fmt.Fprintf(&b, "(Not listed, %s: %s.)\n", noAccess, list(unreadable))
	}
	return tools.Result{Outcome: tools.OK, Text: b.String(), Display: total}
}
