package lspclient

import (
	"context"
	"encoding/json"
	"errors"
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

// semantic asks tsserver itself, past the debounce of its language server: the
// syntactic and semantic diagnostics of the present text, computed at once.
func (c *Client) semantic(ctx context.Context, path string, version int32, src string) {
	began := time.Now()
	var all []tsDiagnostic
	for _, command := range []string{"syntacticDiagnosticsSync", "semanticDiagnosticsSync"} {
		var res struct {
			Body    []tsDiagnostic `json:"body"`
			Success *bool          `json:"success"`
		}
		var raw json.RawMessage
		err := c.Request(ctx, protocol.MethodWorkspaceExecuteCommand, map[string]any{
			"command":   "typescript.tsserverRequest",
			"arguments": []any{command, map[string]any{"file": path}},
		}, &raw)
		if err == nil {
			err = json.Unmarshal(raw, &res)
		}
		if err == nil && res.Success != nil && !*res.Success {
			err = errors.New("tsserver answered success: false")
		}
		if err != nil {
			if ctx.Err() == nil {
				c.cannotAsk(path, version, err)
			}
			return
		}
		all = append(all, res.Body...)
	}
	items := make([]tools.Diagnostic, 0, len(all))
	x := text.NewIndex(src)
	id := c.URI(path)
	for _, t := range all {
		d := t.diagnostic()
		d.Path, d.URI, d.Server, d.Range = path, id, c.cfg.Name, clamp(d.Range, x)
		items = append(items, d)
	}
	c.mu.Lock()
	f := c.files[path]
	if f == nil || !f.open || f.version != version {
		c.mu.Unlock()
		return
	}
	c.seq++
	f.pull = list{have: true, version: version, told: true, seq: c.seq, at: time.Now(), items: items}
	if f.push.seq < f.synced {
		f.push = list{} // unversioned, of an older text
	}
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
