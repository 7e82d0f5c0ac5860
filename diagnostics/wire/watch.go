package wire

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// FileChange is what happened to a file on disk, in LSP's numbers.
type FileChange int

// The kinds of FileChangeType.
const (
	FileCreated FileChange = 1
	FileChanged FileChange = 2
	FileDeleted FileChange = 3
)

// Watcher is one registered glob.
type Watcher struct {
	base    string // absolute folder of a relative pattern, "" = none
	pattern string
	kind    int // bits: create 1, change 2, delete 4
}

// ParseWatchers reads DidChangeWatchedFilesRegistrationOptions; what cannot be
// read is left out.
func ParseWatchers(raw json.RawMessage) []Watcher {
	var p struct {
		Watchers []struct {
			Glob json.RawMessage `json:"globPattern"`
			Kind int             `json:"kind"`
		} `json:"watchers"`
	}
	if json.Unmarshal(raw, &p) != nil {
		return nil
	}
	var out []Watcher
	for _, w := range p.Watchers {
		if w.Kind == 0 {
			w.Kind = 7
		}
		var s string
		if json.Unmarshal(w.Glob, &s) == nil {
			out = append(out, Watcher{pattern: s, kind: w.Kind})
			continue
		}
		var rel struct {
			Base    json.RawMessage `json:"baseUri"`
			Pattern string          `json:"pattern"`
		}
		if json.Unmarshal(w.Glob, &rel) != nil {
			continue
		}
		var id string
		if json.Unmarshal(rel.Base, &id) != nil {
			var folder struct {
				URI string `json:"uri"`
			}
			_ = json.Unmarshal(rel.Base, &folder)
			id = folder.URI
		}
		out = append(out, Watcher{base: PathOf(id), pattern: rel.Pattern, kind: w.Kind})
	}
	return out
}

// Matches says whether the watcher wants to hear of the path.
func (w Watcher) Matches(path string, change FileChange) bool {
	if w.kind&(1<<(change-1)) == 0 {
		return false
	}
	name := filepath.ToSlash(path)
	if w.base != "" {
		rel, err := filepath.Rel(w.base, path)
		if err != nil || strings.HasPrefix(rel, "..") {
			return false
		}
		name = filepath.ToSlash(rel)
	}
	ok, err := doublestar.Match(w.pattern, name)
	return err == nil && ok
}

// Watched says whether any of the watchers, by registration, wants to hear.
func Watched(by map[string][]Watcher, path string, change FileChange) bool {
	for _, ws := range by {
		for _, w := range ws {
			if w.Matches(path, change) {
				return true
			}
		}
	}
	return false
}
