package lspclient

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"go.lsp.dev/protocol"
)

// FileChange is what happened to a file on disk, in LSP's numbers.
type FileChange int

// The kinds of FileChangeType.
const (
	FileCreated FileChange = 1
	FileChanged FileChange = 2
	FileDeleted FileChange = 3
)

// watcher is one registered glob.
type watcher struct {
	base    string // absolute folder of a relative pattern, "" = none
	pattern string
	kind    int // bits: create 1, change 2, delete 4
}

func parseWatchers(raw json.RawMessage) []watcher {
	var p struct {
		Watchers []struct {
			Glob json.RawMessage `json:"globPattern"`
			Kind int             `json:"kind"`
		} `json:"watchers"`
	}
	if json.Unmarshal(raw, &p) != nil {
		return nil
	}
	var out []watcher
	for _, w := range p.Watchers {
		if w.Kind == 0 {
			w.Kind = 7
		}
		var s string
		if json.Unmarshal(w.Glob, &s) == nil {
			out = append(out, watcher{pattern: s, kind: w.Kind})
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
		out = append(out, watcher{base: pathOf(id), pattern: rel.Pattern, kind: w.Kind})
	}
	return out
}

// matches says whether the watcher wants to hear of the path.
func (w watcher) matches(path string, change FileChange) bool {
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

// DiskChanged tells the server of a file that changed on disk, if it asked to
// hear of it.
func (c *Client) DiskChanged(path string, change FileChange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.watched(path, change) {
		return
	}
	c.seq++
	_ = c.notify(protocol.MethodWorkspaceDidChangeWatchedFiles, map[string]any{
		"changes": []any{map[string]any{"uri": c.uri(path), "type": int(change)}},
	})
}

func (c *Client) watched(path string, change FileChange) bool {
	for _, ws := range c.watchers {
		for _, w := range ws {
			if w.matches(path, change) {
				return true
			}
		}
	}
	return false
}
