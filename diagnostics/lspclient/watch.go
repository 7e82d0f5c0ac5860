package lspclient

import (
	"go.lsp.dev/protocol"

	"companion/diagnostics/wire"
)

// DiskChanged tells the server of a file that changed on disk, if it asked to
// hear of it.
func (c *Client) DiskChanged(path string, change wire.FileChange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !wire.Watched(c.watchers, path, change) {
		return
	}
	c.seq++
	c.changed = c.seq
	_ = c.notify(protocol.MethodWorkspaceDidChangeWatchedFiles, map[string]any{
		"changes": []any{map[string]any{"uri": c.uri(path), "type": int(change)}},
	})
}
