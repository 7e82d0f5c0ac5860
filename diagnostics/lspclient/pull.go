package lspclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// Error codes of LSP 3.17 after which a pull is asked again.
const (
	contentModified = -32801
	serverCancelled = -32802
)

// pullOne asks textDocument/diagnostic for the version and keeps the answer if
// the text is still the same.
func (c *Client) pullOne(ctx context.Context, path string, version int32, identifier string) {
	for ctx.Err() == nil {
		c.mu.Lock()
		f := c.files[path]
		if f == nil || !f.open || f.version != version {
			c.mu.Unlock()
			return
		}
		sent, had := c.seq, f.pull.resultID
		p := map[string]any{"textDocument": map[string]any{"uri": c.uri(path)}}
		if identifier != "" {
			p["identifier"] = identifier
		}
		if had != "" {
			p["previousResultId"] = had
		}
		began := f.at
		c.mu.Unlock()
		var raw json.RawMessage
		err := c.Request(ctx, protocol.MethodTextDocumentDiagnostic, p, &raw)
		var wire *jsonrpc2.Error
		if errors.As(err, &wire) && (wire.Code == contentModified || wire.Code == serverCancelled) {
			select {
			case <-ctx.Done():
			case <-time.After(10 * time.Millisecond):
			}
			continue
		}
		if err == nil {
			err = c.pulled(path, version, sent, began, raw, had != "")
		}
		if err != nil && ctx.Err() == nil {
			c.cannotAsk(path, version, err)
		}
		return
	}
}

// pulled keeps a report; an error says that it is none. gopls answers kind ""
// and items for a full one; unchanged is an answer where an earlier one was named.
func (c *Client) pulled(path string, version int32, sent uint64, began time.Time, raw json.RawMessage, named bool) error {
	var rep struct {
		Kind     string            `json:"kind"`
		ResultID string            `json:"resultId"`
		Items    []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(raw, &rep); err != nil {
		return err
	}
	if rep.Kind == "unchanged" && !named || rep.Kind != "unchanged" && rep.Items == nil {
		return fmt.Errorf("%s: its answer of kind %q tells no diagnostics", c.cfg.Name, rep.Kind)
	}
	c.mu.Lock()
	f := c.files[path]
	if f == nil || !f.open || f.version != version || f.synced > sent {
		c.mu.Unlock()
		return nil
	}
	c.seq++
	items := f.pull.items
	if rep.Kind != "unchanged" {
		items = c.items(path, c.uri(path), f, rep.Items)
	}
	f.refused = refusal{}
	f.pull = list{have: true, version: version, told: true, seq: c.seq, at: time.Now(), resultID: rep.ResultID, items: items}
	c.own.Add(time.Since(began))
	c.confirm(f)
	c.broadcast()
	c.mu.Unlock()
	c.cfg.Changed(path)
	return nil
}

// refresh forgets pulled lists: the server says that they may have changed.
func (c *Client) refresh() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seq++
	c.lastPush = time.Now()
	for _, f := range c.files {
		f.pull.seq = 0
	}
	c.broadcast()
}
