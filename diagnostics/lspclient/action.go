package lspclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"companion/text"
	"companion/tools"
)

// Action is a code action as the server offered it.
type Action struct {
	tools.CodeAction
	raw     json.RawMessage
	version int32
	path    string
}

// Bounds of asking for quick fixes.
const (
	maxAsked = 10 // diagnostics of a range that are asked about one by one
	// lateFixes is how long quick fixes may come after the diagnostics: gopls
	// 0.23 answers a pull up to 0.3 s before it publishes, and knows the fixes
	// of what it published only.
	lateFixes = time.Second
	youngFor  = 3 * time.Second // a server that may yet publish for the first time
)

// CodeActions asks what the server offers for a range. Servers tie quick fixes
// to a diagnostic's own range (gopls 0.23 offers "Remove variable" only for a
// range that begins there), so each diagnostic that touches the range is asked
// about by itself first; what is offered twice comes once.
func (c *Client) CodeActions(ctx context.Context, path string, r text.Range, only []string) ([]Action, error) {
	fixes := len(only) == 0 || slices.ContainsFunc(only, isQuickFix)
	var touched []tools.Diagnostic
	if fixes {
		items, _ := c.Present(path)
		for _, d := range items {
			if touches(d.Range, r) && len(touched) < maxAsked {
				touched = append(touched, d)
			}
		}
	}
	out, err := c.actionsOf(ctx, path, r, only, touched)
	if err != nil || len(touched) == 0 || slices.ContainsFunc(out, func(a Action) bool { return isQuickFix(a.Kind) }) {
		return out, err
	}
	if c.publishes(ctx, path) {
		return c.actionsOf(ctx, path, r, only, touched)
	}
	return out, nil
}

func isQuickFix(kind string) bool { return strings.HasPrefix(kind, "quickfix") }

// actionsOf asks about each diagnostic, then about the range.
func (c *Client) actionsOf(ctx context.Context, path string, r text.Range, only []string, touched []tools.Diagnostic) ([]Action, error) {
	var out []Action
	seen := map[string]bool{}
	add := func(r text.Range, fixes string) error {
		got, err := c.codeActions(ctx, path, r, only)
		for _, a := range got {
			if key := a.key(); !seen[key] {
				seen[key] = true
				if fixes != "" && len(a.Fixes) == 0 && isQuickFix(a.Kind) {
					a.Fixes = []string{fixes}
				}
				out = append(out, a)
			}
		}
		return err
	}
	for _, d := range touched {
		if d.Range == r {
			continue
		}
		if err := add(d.Range, d.Message); err != nil {
			return nil, err
		}
	}
	if err := add(r, ""); err != nil {
		return nil, err
	}
	return out, nil
}

// publishes waits a moment for a publish of the file's present text that is
// due beside an answer that was pulled; false when none is due or none comes.
func (c *Client) publishes(ctx context.Context, path string) bool {
	ctx, cancel := context.WithTimeout(ctx, lateFixes)
	defer cancel()
	waited := false
	for {
		c.mu.Lock()
		f := c.files[path]
		there := f != nil && f.push.have && f.push.version == f.version
		due := f != nil && f.open && len(c.pullers) > 0 && (c.versioned || !c.published && time.Since(c.initialized) < youngFor)
		wake := c.wake
		c.mu.Unlock()
		if there || !due {
			return there && waited
		}
		waited = true
		select {
		case <-ctx.Done():
			return false
		case <-c.down:
			return false
		case <-wake:
		}
	}
}

// key is the same for two offers of one thing.
func (a Action) key() string {
	var w map[string]json.RawMessage
	if json.Unmarshal(a.raw, &w) != nil {
		return string(a.raw)
	}
	delete(w, "diagnostics")
	delete(w, "isPreferred")
	key, err := json.Marshal(w) // sorted
	if err != nil {
		return string(a.raw)
	}
	return string(key)
}

// codeActions asks once, handing back the diagnostics that touch the range as
// the server sent them.
func (c *Client) codeActions(ctx context.Context, path string, r text.Range, only []string) ([]Action, error) {
	items, _ := c.Present(path)
	diags := []json.RawMessage{}
	for _, d := range items {
		if touches(d.Range, r) && d.Raw != nil {
			diags = append(diags, d.Raw)
		}
	}
	cctx := map[string]any{"diagnostics": diags, "triggerKind": 1}
	if len(only) > 0 {
		cctx["only"] = only
	}
	c.mu.Lock()
	offered, version := offers(c.caps.CodeActionProvider), int32(0)
	if f := c.files[path]; f != nil {
		version = f.version
	}
	c.mu.Unlock()
	if !offered {
		return nil, nil
	}
	var raw []json.RawMessage
	var res json.RawMessage
	if err := c.Request(ctx, protocol.MethodTextDocumentCodeAction, map[string]any{
		"textDocument": map[string]any{"uri": c.URI(path)}, "range": wire(r), "context": cctx,
	}, &res); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(res, &raw); err != nil {
		return nil, fmt.Errorf("%s: code actions: %w", c.cfg.Name, err)
	}
	var out []Action
	for _, one := range raw {
		a, err := decodeAction(one)
		if err != nil {
			c.cfg.Log.Warn("unreadable code action", "server", c.cfg.Name, "err", err)
			continue
		}
		a.Server, a.version, a.path = c.cfg.Name, version, path
		out = append(out, a)
	}
	return out, nil
}

// decodeAction takes a CodeAction or a bare Command, told apart by the type of
// their command.
func decodeAction(raw json.RawMessage) (Action, error) {
	var w struct {
		Title     string `json:"title"`
		Kind      string `json:"kind"`
		Preferred bool   `json:"isPreferred"`
		Disabled  *struct {
			Reason string `json:"reason"`
		} `json:"disabled"`
		Diagnostics []struct {
			Message json.RawMessage `json:"message"`
		} `json:"diagnostics"`
	}
	if err := json.Unmarshal(raw, &w); err != nil {
		return Action{}, err
	}
	a := Action{raw: raw, CodeAction: tools.CodeAction{Title: w.Title, Kind: w.Kind, Preferred: w.Preferred}}
	if w.Disabled != nil {
		a.Disabled = w.Disabled.Reason
	}
	for _, d := range w.Diagnostics {
		a.Fixes = append(a.Fixes, message(d.Message))
	}
	return a, nil
}

// Errors of resolving an action.
var (
	// ErrStaleAction: the file changed since the action was offered.
	ErrStaleAction = errors.New("the file changed since the action was offered; ask for the code actions again")
	// ErrNoEdit: neither the action nor its command gave an edit.
	ErrNoEdit = errors.New("the action gave no edit")
)

// Edits gives what an action would change. An action that is only a command is
// executed and the edits that the server asks for meanwhile are taken.
func (c *Client) Edits(ctx context.Context, a Action) ([]tools.FileEdit, error) {
	c.mu.Lock()
	f := c.files[a.path]
	stale, resolves := f == nil || f.version != a.version, c.caps.resolves()
	c.mu.Unlock()
	if stale {
		return nil, ErrStaleAction
	}
	edit, cmd, err := parts(a.raw)
	if err != nil {
		return nil, err
	}
	if edit == nil && resolves && a.Kind != "" {
		var full json.RawMessage
		if err := c.Request(ctx, protocol.MethodCodeActionResolve, a.raw, &full); err != nil {
			return nil, err
		}
		if edit, cmd, err = parts(full); err != nil {
			return nil, err
		}
	}
	switch {
	case edit != nil:
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.fileEdits(edit)
	case cmd != nil:
		return c.execute(ctx, cmd)
	}
	return nil, fmt.Errorf("%s: %q: %w", c.cfg.Name, a.Title, ErrNoEdit)
}

// parts finds the edit and the command of an action, whichever form it has.
func parts(raw json.RawMessage) (*protocol.WorkspaceEdit, json.RawMessage, error) {
	var w struct {
		Edit      json.RawMessage `json:"edit"`
		Command   json.RawMessage `json:"command"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(raw, &w); err != nil {
		return nil, nil, err
	}
	var edit *protocol.WorkspaceEdit
	if offers(w.Edit) {
		edit = &protocol.WorkspaceEdit{}
		if err := protocol.Unmarshal(w.Edit, edit); err != nil {
			return nil, nil, fmt.Errorf("a workspace edit: %w", err)
		}
	}
	var name string
	if json.Unmarshal(w.Command, &name) == nil && name != "" {
		p, err := json.Marshal(map[string]any{"command": name, "arguments": w.Arguments})
		if w.Arguments == nil {
			p, err = json.Marshal(map[string]any{"command": name})
		}
		return edit, p, err
	}
	if !offers(w.Command) {
		return edit, nil, nil
	}
	return edit, w.Command, nil
}

// execute runs a server's command and takes the edits it asks for. One at a
// time: a second finds the first still running.
func (c *Client) execute(ctx context.Context, cmd json.RawMessage) ([]tools.FileEdit, error) {
	got := &capture{}
	c.mu.Lock()
	if c.capture != nil {
		c.mu.Unlock()
		return nil, fmt.Errorf("%s: another command of it is still running", c.cfg.Name)
	}
	c.capture = got
	c.mu.Unlock()
	err := c.Request(ctx, protocol.MethodWorkspaceExecuteCommand, cmd, nil)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.capture = nil
	switch {
	case got.err != nil:
		return nil, got.err
	case err != nil:
		return nil, err
	case len(got.edits) == 0:
		return nil, fmt.Errorf("%s: %w", c.cfg.Name, ErrNoEdit)
	}
	return got.edits, nil
}

func touches(a, b text.Range) bool { return !a.End.Less(b.Start) && !b.End.Less(a.Start) }

func wire(r text.Range) map[string]any {
	return map[string]any{"start": wirePos(r.Start), "end": wirePos(r.End)}
}

func wirePos(p text.Position) map[string]any {
	return map[string]any{"line": p.Line, "character": p.Character}
}
