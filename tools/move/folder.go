package move

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"companion/tools"
	"companion/workspace"
)

// Bounds of what is told of a folder.
const (
	mostNames  = 20
	mostCounts = 5_000 // entries that are visited
)

// folder refuses a folder and says what is in it; nil for anything else.
func folder(f workspace.File) *tools.Refusal {
	if info, err := os.Stat(f.Path); err != nil || !info.IsDir() {
		return nil
	}
	if f.Outside { // what is in it is for nobody to hear who was not asked
		return tools.Fail(fmt.Sprintf("Not done: %s is a folder, outside the workspace. Only files are deleted and moved here.", f.Rel))
	}
	var names []string
	n, visited := 0, 0
	_ = filepath.WalkDir(f.Path, func(path string, d fs.DirEntry, err error) error { // what cannot be read is not counted
		if visited++; visited > mostCounts {
			return fs.SkipAll
		}
		if err != nil || d.IsDir() {
			return nil
		}
		if n++; n <= mostNames {
			if rel, err := filepath.Rel(f.Path, path); err == nil {
				names = append(names, filepath.ToSlash(rel))
			}
		}
		return nil
	})
	switch {
	case n == 0:
		return tools.Fail(fmt.Sprintf("Not done: %s is a folder without files. Only files are deleted and moved here; use exec_command for it.", f.Rel))
	case n > mostNames:
		names = append(names, "…")
	}
	many := fmt.Sprint(n)
	if visited > mostCounts {
		many = fmt.Sprintf("more than %d", n)
	}
	return tools.Fail(fmt.Sprintf("Not done: %s is a folder, with files: %s (%s). Name one file at a time, so that each can be seen and undone; "+
		"exec_command takes a whole folder, without undo.", f.Rel, many, strings.Join(names, ", ")))
}
