package shell

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Bounds of the search for files that a command changed: entries looked at,
// time, and files told.
const (
	mostEntries = 50_000
	mostTime    = 300 * time.Millisecond
	mostChanged = 500
)

// tellChanged tells the workspace which files below the roots a command wrote,
// by their time of change, and which open ones it removed. Folders of
// dependencies and hidden ones are left to the language servers' own watching.
func (x *Shell) tellChanged(since time.Time) {
	since = since.Add(-10 * time.Millisecond) // file times are coarser than ours (ext4: a tick of 4 ms)
	var changed []string
	for _, d := range x.ws.Documents() {
		if info, err := os.Stat(d.Path); os.IsNotExist(err) || err == nil && info.ModTime().After(since) {
			changed = append(changed, d.Path)
		}
	}
	begun, seen := time.Now(), 0
	for _, root := range x.ws.Roots() {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error { // what cannot be read is not told
			if seen++; seen > mostEntries || len(changed) > mostChanged || seen%256 == 0 && time.Since(begun) > mostTime {
				return fs.SkipAll
			}
			if err != nil {
				return nil
			}
			if d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules") {
				return fs.SkipDir
			}
			if !d.Type().IsRegular() {
				return nil
			}
			if info, err := d.Info(); err == nil && info.ModTime().After(since) {
				changed = append(changed, path)
			}
			return nil
		})
	}
	if len(changed) > 0 {
		x.ws.DiskChanged(changed...)
	}
}
