package lspclient

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"go.lsp.dev/protocol"

	"companion/text"
	"companion/tools"
)

// tsPosition is tsserver's: 1-based line and utf-16 offset.
type tsPosition struct {
	Line   int `json:"line"`
	Offset int `json:"offset"`
}

func (p tsPosition) text() text.Position {
	return text.Position{Line: p.Line - 1, Character: p.Offset - 1}
}

type tsDiagnostic struct {
	Start    tsPosition `json:"start"`
	End      tsPosition `json:"end"`
	Text     string     `json:"text"`
	Code     int        `json:"code"`
	Category string     `json:"category"`
	Source   string     `json:"source"`
}

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
	var all []tsDiagnostic
	for _, command := range []string{"syntacticDiagnosticsSync", "semanticDiagnosticsSync"} {
		var some []tsDiagnostic
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
		d := t.diagnostic()
		d.Path, d.URI, d.Server, d.Range = path, id, c.cfg.Name, clamp(d.Range, x)
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
	c.own.add(time.Since(began))
	c.confirm(f)
	c.broadcast()
	c.mu.Unlock()
	c.cfg.Changed(path)
}

// diagnostic renders it as typescript-language-server publishes it, so that
// the two are recognised as one and code actions take it.
func (t tsDiagnostic) diagnostic() tools.Diagnostic {
	severity := map[string]tools.Severity{"error": tools.Error, "warning": tools.Warning, "suggestion": tools.Hint}[t.Category]
	if severity == 0 {
		severity = tools.Information
	}
	source := t.Source
	if source == "" {
		source = "typescript"
	}
	r := text.Range{Start: t.Start.text(), End: t.End.text()}
	pos := func(p text.Position) map[string]int { return map[string]int{"line": p.Line, "character": p.Character} }
	raw, err := json.Marshal(map[string]any{
		"range": map[string]any{"start": pos(r.Start), "end": pos(r.End)}, "severity": int(severity),
		"code": t.Code, "source": source, "message": t.Text,
	})
	if err != nil {
		raw = nil
	}
	code, _ := json.Marshal(t.Code)
	return tools.Diagnostic{Range: r, Severity: severity, Code: string(code), Source: source, Message: t.Text, Raw: raw}
}
