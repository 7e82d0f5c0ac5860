package batch

import (
	"slices"

	"companion/tools"
)

// File is one file that the step changed.
type File struct {
	Path          string
	Before, After string // at the step's start and end
	Created       bool
	Deleted       bool
	Call          int // index of the last call that changed it
}

// Files are those that the calls changed, by first appearance, and the index of
// the last call that changed any, -1 = none.
func Files(calls []tools.Finished) ([]*File, int) {
	var out []*File
	byPath, last := map[string]*File{}, -1
	for i, call := range calls {
		if call.Result == nil {
			continue
		}
		for _, ch := range call.Result.Changed {
			f := byPath[ch.Path]
			if f == nil {
				f = &File{Path: ch.Path, Before: ch.Before, Created: ch.Created}
				byPath[ch.Path] = f
				out = append(out, f)
			}
			f.After, f.Deleted, f.Call, last = ch.After, ch.Deleted, i, i
		}
	}
	return out, last
}

// RanCommand says whether a call may have changed files that it does not name.
func RanCommand(f tools.Finished) bool {
	return f.Inv != nil && slices.ContainsFunc(f.Inv.Action.Effects, func(e tools.Effect) bool { return e.Kind == tools.Command })
}

// Changes says whether a call's result names the file.
func Changes(r *tools.Result, path string) bool {
	return r != nil && slices.ContainsFunc(r.Changed, func(c tools.Change) bool { return c.Path == path })
}

// Reads are the files that the calls read.
func Reads(calls []tools.Finished) (out []string) {
	for _, c := range calls {
		if c.Inv == nil || c.Result == nil || c.Result.Outcome != tools.OK {
			continue
		}
		for _, e := range c.Inv.Action.Effects {
			if e.Kind == tools.Read && e.Path != "" && !slices.Contains(out, e.Path) {
				out = append(out, e.Path)
			}
		}
	}
	return out
}
