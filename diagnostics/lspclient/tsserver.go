package lspclient

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"go.lsp.dev/protocol"

	"companion/diagnostics/wire"
	"companion/text"
	"companion/tools"
)

// tsserver sends one request for a file past the language server and decodes
// the body of the answer.
func (c *Client) tsserver(ctx context.Context, command, path string, body any) error {
	var raw json.RawMessage
	err := c.Request(ctx, protocol.MethodWorkspaceExecuteCommand, map[string]any{
		"command":   "typescript.tsserverRequest",
		"arguments": []any{command, map[string]any{"file": path}},
	}, &raw)
	if err != nil {
		return err
	}
	var res struct {
		Body    json.RawMessage `json:"body"`
		Success *bool           `json:"success"`
		Message string          `json:"message"`
	}
	if err := json.Unmarshal(raw, &res); err != nil {
		return err
	}
	if res.Success != nil && !*res.Success || res.Body == nil {
		return fmt.Errorf("%s: tsserver refused %s: %s", c.cfg.Name, command, res.Message)
	}
	return json.Unmarshal(res.Body, body)
}

// importers asks which files import a file, directly.
func (c *Client) importers(ctx context.Context, path string) []string {
	var body struct {
		Refs []struct {
			File string `json:"file"`
		} `json:"refs"`
	}
	if err := c.tsserver(ctx, "fileReferences", path, &body); err != nil {
		c.cfg.Log.Debug("no importers", "server", c.cfg.Name, "path", path, "err", err)
		return nil
	}
	var out []string
	for _, r := range body.Refs {
		out = append(out, filepath.FromSlash(r.File))
	}
	return out
}

// semantic asks tsserver itself, past the debounce of its language server: the
// syntactic and semantic diagnostics of the present text, computed at once.
func (c *Client) semantic(ctx context.Context, path string, version int32, src string) {
	began := time.Now()
	var all []wire.TSDiagnostic
	for _, command := range []string{"syntacticDiagnosticsSync", "semanticDiagnosticsSync"} {
		var some []wire.TSDiagnostic
		if err := c.tsserver(ctx, command, path, &some); err != nil {
			if ctx.Err() == nil {
				c.cannotAsk(path, version, err)
			}
			return
		}
		all = append(all, some...)
	}
	items := make([]tools.Diagnostic, 0, len(all))
	var x *text.Index
	if src != "" {
		x = text.NewIndex(src)
	}
	id := c.URI(path)
	for _, t := range all {
		d := t.Diagnostic()
		d.Path, d.URI, d.Server, d.Range = path, id, c.cfg.Name, wire.Clamp(d.Range, x)
		items = append(items, d)
	}
	c.mu.Lock()
	f := c.files[path]
	if f == nil || f.version != version {
		c.mu.Unlock()
		return
	}
	c.seq++
	f.pull = list{have: true, version: version, told: true, seq: c.seq, at: time.Now(), items: items}
	c.own.Add(time.Since(began))
	c.confirm(f)
	c.broadcast()
	c.mu.Unlock()
	c.cfg.Changed(path)
}
