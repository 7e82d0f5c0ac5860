package files

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"companion/tools"
	"companion/tools/names"
	"companion/workspace"
)

// mostVisited bounds the walk for near names, in directory entries: a fraction
// of a second on a cold disk.
const mostVisited = 20_000

// Missing says that a file does not exist and offers near names: files of the
// same name elsewhere in the call's roots, then those of a like name in the
// same folder.
func Missing(call tools.Call, f workspace.File) *tools.Refusal {
	text := fmt.Sprintf("There is no file %s.", Shown(f.Rel))
	if f.Outside {
		return tools.Fail(text + " It lies outside the workspace.")
	}
	same := sameName(call.Roots, filepath.Base(f.Path))
	switch {
	case len(same) == 1 && filepath.Dir(same[0]) == filepath.Dir(Shown(f.Rel)):
		text += " There is " + same[0] + ", whose name is written otherwise."
	case len(same) == 1:
		text += " There is one of that name elsewhere: " + same[0] + "."
	case len(same) > 1:
		text += fmt.Sprintf(" The name fits %d files, say which: %s.", len(same), strings.Join(same[:min(len(same), 8)], ", "))
	}
	if near := likeNames(f); len(near) > 0 && len(same) == 0 {
		text += " Near names: " + strings.Join(near, ", ") + "."
	}
	return tools.Fail(text)
}

func sameName(roots []string, base string) []string {
	var out []string
	visited := 0
	for _, root := range roots {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error { // what cannot be read has no near names
			if visited++; visited > mostVisited || len(out) >= 50 {
				return fs.SkipAll
			}
			if err != nil {
				return nil
			}
			if d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "vendor") {
				return fs.SkipDir
			}
			if !d.IsDir() && strings.EqualFold(looks(d.Name()), looks(base)) {
				if rel, err := filepath.Rel(root, path); err == nil {
					out = append(out, Shown(filepath.ToSlash(rel)))
				}
			}
			return nil
		})
	}
	sort.Strings(out)
	return out
}

func likeNames(f workspace.File) []string {
	dir := filepath.Dir(f.Path)
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	all, _ := d.Readdirnames(mostVisited) // what cannot be read has no near names
	near := names.Near(filepath.Base(f.Path), all, 5)
	for i, n := range near {
		near[i] = Shown(strings.TrimPrefix(filepath.ToSlash(filepath.Join(filepath.Dir(f.Rel), n)), "./"))
	}
	return near
}
