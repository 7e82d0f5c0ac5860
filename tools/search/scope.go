package search

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"companion/tools"
	"companion/tools/files"
	"companion/workspace"
)

// Options of the tools.
type Options struct {
	Workspace *workspace.Workspace
	// Readable gives, for one call of a tool, whether a file that a search comes by
	// may be read without asking; nil = every file may.
	Readable func(call tools.Call, spec tools.Spec) func(path string) bool
	// Getenv finds programs and git's configuration; nil = os.Getenv.
	Getenv func(string) string
	// NoRipgrep: it is not used, installed or not.
	NoRipgrep bool
}

// Tools are glob and grep.
func Tools(o Options) []tools.Tool { return []tools.Tool{Glob(o), Grep(o)} }

func (o Options) env(key string) string {
	if o.Getenv == nil {
		return os.Getenv(key)
	}
	return o.Getenv(key)
}

// target is a file or a folder that is searched.
type target struct {
	file  workspace.File
	isDir bool
}

// targets are what a call searches: the path that it names, else all folders of
// the workspace, the working folder first.
func targets(ctx context.Context, o Options, call tools.Call, path string) ([]target, error) {
	if path != "" {
		t, err := resolve(ctx, o, call, path)
		return []target{t}, err
	}
	var out []target
	for _, root := range call.Roots {
		t, err := resolve(ctx, o, call, root)
		if err != nil {
			return nil, err
		}
		if !covered(out, t.file.Path) {
			out = append(out, t)
		}
	}
	if len(out) == 0 {
		return nil, tools.Fail("No folder is open, so say with `path` where to search, as an absolute path.")
	}
	return out, nil
}

// covered tells whether a path lies in a folder that is searched anyway.
func covered(in []target, path string) bool {
	for _, t := range in {
		if _, ok := below(t.file.Path, path); ok {
			return true
		}
	}
	return false
}

func resolve(ctx context.Context, o Options, call tools.Call, path string) (target, error) {
	f, _, err := files.Locate(ctx, o.Workspace, call, path) // the hits show the name as it is
	if err != nil {
		return target{}, err
	}
	info, err := os.Stat(f.Path)
	switch {
	case err == nil && info.IsDir():
		return target{f, true}, nil
	case err == nil && info.Mode().IsRegular():
		return target{file: f}, nil
	case err == nil:
		return target{}, files.Refuse(f, fmt.Errorf("%w: %s", workspace.ErrNotFile, map[bool]string{true: "it is a named pipe", false: "it is a device, a socket or the like"}[info.Mode()&fs.ModeNamedPipe != 0]))
	case errors.Is(err, fs.ErrNotExist):
		if _, open := o.Workspace.Document(f.URI); open {
			return target{file: f}, nil // not on disk yet
		}
		missing := files.Missing(call, f)
		if strings.ContainsAny(path, "*?[{") {
			missing.Text += " A path is a name and no pattern: put patterns into `pattern` of `glob`, or `glob` of `grep`."
		}
		return target{}, missing
	}
	return target{}, tools.Fail(fmt.Sprintf("%s cannot be searched: %v.", f.Rel, err))
}

// below gives the path from a folder, with slashes.
func below(dir, path string) (string, bool) {
	rel, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// shown is a path as the model reads it and may give it back: from the working
// folder, else absolute; quoted where it is more than one line.
func shown(call tools.Call, path string) string {
	if len(call.Roots) > 0 {
		if rel, ok := below(call.Roots[0], path); ok {
			path = rel
		}
	}
	for _, r := range path {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return strconv.Quote(path)
		}
	}
	return path
}

// effects and locks of a search: it sees what calls before it changed.
func effects(list []target) []tools.Effect {
	var out []tools.Effect
	for _, t := range list {
		out = append(out, files.Effect(tools.Read, t.file))
	}
	return out
}

func locks() []tools.Lock { return []tools.Lock{{Resource: tools.Everything, Shared: true}} }

// dirty are the open buffers below a folder whose text is not on disk, by their
// path from it.
func dirty(ws *workspace.Workspace, dir string) map[string]workspace.Snapshot {
	out := map[string]workspace.Snapshot{}
	for _, d := range ws.Documents() {
		if !d.Dirty && !d.Lost || !filepath.IsAbs(d.Path) {
			continue
		}
		if rel, ok := below(dir, d.Path); ok {
			out[rel] = d
		}
	}
	return out
}
