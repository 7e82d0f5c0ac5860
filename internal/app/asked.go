package app

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"companion/session"
	"companion/tools"
	"companion/tools/nav"
)

// asked watches a turn for the files whose problems it could not ask for. Its
// event comes from the turn alone, unknown after it.
type asked struct {
	root   string
	tool   string              // that tells problems
	files  []string            // slash paths from root
	paths  map[string][]string // of a call of it; empty = every file
	ok     map[string]bool     // by file
	failed map[string]string   // by file: why
}

func newAsked(root string, files []string) *asked {
	return &asked{
		root: root, tool: nav.Diagnostics(nil, nil).Spec().Name, files: files,
		paths: map[string][]string{}, ok: map[string]bool{}, failed: map[string]string{},
	}
}

func (a *asked) event(e session.Event) {
	switch {
	case e.Type == session.ToolStarted && e.Tool.Name == a.tool && e.Tool.Source == string(tools.BuiltIn):
		var args struct{ Paths []string }
		_ = json.Unmarshal([]byte(e.Tool.Arguments), &args) // refused ones have no paths
		for i, p := range args.Paths {
			args.Paths[i] = a.rel(p)
		}
		a.paths[e.CallID] = args.Paths
	case e.Type == session.ToolCompleted:
		paths, ours := a.paths[e.CallID]
		if !ours {
			return
		}
		for _, f := range a.files {
			switch {
			case len(paths) > 0 && !slices.Contains(paths, f):
			case e.End.Outcome == string(tools.OK):
				a.ok[f] = true
			default:
				a.failed[f] = e.End.Outcome + ": " + firstLine(e.End.Text)
			}
		}
	}
}

func (a *asked) rel(path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.root, filepath.FromSlash(path))
	}
	rel, err := filepath.Rel(a.root, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// unknown says which files were asked for in vain, "" = none.
func (a *asked) unknown() string {
	var out []string
	for _, f := range a.files {
		if why, bad := a.failed[f]; bad && !a.ok[f] {
			out = append(out, fmt.Sprintf("the problems of %s could not be asked for: %s", f, why))
		}
	}
	return strings.Join(out, "; ")
}
