package language

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"companion/diagnostics/ask"
	"companion/text"
	"companion/tools"
)

const resolveAction = "codeAction/resolve"

// offer is what the editor offered for a file, and for which text.
type offer struct {
	text    string
	actions []json.RawMessage
	titles  []string
}

// codeAction is a CodeAction; what is only a Command is of no use here.
type codeAction struct {
	Title     string          `json:"title"`
	Kind      string          `json:"kind"`
	Preferred bool            `json:"isPreferred"`
	Edit      json.RawMessage `json:"edit"`
	Command   json.RawMessage `json:"command"`
	Disabled  *struct {
		Reason string `json:"reason"`
	} `json:"disabled"`
	Diagnostics []struct {
		Message string `json:"message"`
	} `json:"diagnostics"`
}

// CodeActions implements nav.Language. Actions of the editor's servers that are
// only commands are left out; when nothing is left companion's own are asked.
func (l *Language) CodeActions(ctx context.Context, path string, r text.Range, only []string) ([]tools.CodeAction, error) {
	const method = "textDocument/codeAction"
	l.mu.Lock()
	delete(l.offers, path)
	l.mu.Unlock()
	own := func() ([]tools.CodeAction, error) { return l.Servers.CodeActions(ctx, path, r, only) }
	if !l.o.Editor.Offers(method) {
		return own()
	}
	snap, err := l.o.Workspace.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	x := text.NewIndex(snap.Text)
	params, err := json.Marshal(map[string]any{
		"textDocument": map[string]string{"uri": snap.URI},
		"range":        map[string]any{"start": l.sent(x, r.Start), "end": l.sent(x, r.End)},
		"context":      l.actionContext(path, r, only),
	})
	if err != nil {
		return nil, err
	}
	raw, err := l.o.Editor.Language(ctx, method, params)
	var out []tools.CodeAction
	o := offer{text: snap.Text}
	if err == nil {
		out, err = l.offered(raw, only, &o)
	}
	if err == nil && len(out) > 0 {
		l.mu.Lock()
		l.offers[path] = o
		l.mu.Unlock()
	}
	return firstOf(ctx, out, len(out) > 0, err, own)
}

// actionContext hands back the problems that the editor told, as it told them.
func (l *Language) actionContext(path string, r text.Range, only []string) map[string]any {
	diags := []json.RawMessage{}
	if l.o.Known != nil {
		for _, d := range l.o.Known(path) {
			if !d.Range.End.Less(r.Start) && !r.End.Less(d.Range.Start) && d.Raw != nil {
				diags = append(diags, d.Raw)
			}
		}
	}
	out := map[string]any{"diagnostics": diags, "triggerKind": 1}
	if len(only) > 0 {
		out["only"] = only
	}
	return out
}

// offered reads (Command | CodeAction)[] | null.
func (l *Language) offered(raw json.RawMessage, only []string, o *offer) ([]tools.CodeAction, error) {
	if isNull(bytes.TrimSpace(raw)) {
		return nil, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("%w: code actions: %w", errShape, err)
	}
	var out []tools.CodeAction
	for _, one := range list {
		var a codeAction
		if err := json.Unmarshal(one, &a); err != nil || a.Title == "" {
			return nil, fmt.Errorf("%w: a code action without title", errShape)
		}
		resolvable := a.Kind != "" && isNull(a.Command) && l.o.Editor.Offers(resolveAction)
		if !ask.Below(a.Kind, only) || isNull(a.Edit) && !resolvable && a.Disabled == nil {
			continue
		}
		t := tools.CodeAction{ID: strconv.Itoa(len(out) + 1), Title: tools.OneLine(a.Title), Kind: a.Kind, Preferred: a.Preferred, Server: "editor"}
		if a.Disabled != nil {
			t.Disabled = tools.OneLine(a.Disabled.Reason)
		}
		for _, d := range a.Diagnostics {
			t.Fixes = append(t.Fixes, d.Message)
		}
		out = append(out, t)
		o.actions, o.titles = append(o.actions, one), append(o.titles, a.Title)
	}
	return out, nil
}

// ResolveAction implements nav.Language.
func (l *Language) ResolveAction(ctx context.Context, path, id string) ([]tools.FileEdit, error) {
	l.mu.Lock()
	o, ok := l.offers[path]
	l.mu.Unlock()
	if !ok {
		return l.Servers.ResolveAction(ctx, path, id)
	}
	snap, err := l.o.Workspace.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(id))
	switch {
	case err != nil || n < 1 || n > len(o.actions):
		return nil, fmt.Errorf("%s: there is no code action %q; ask for the code actions again", snap.Rel, id)
	case snap.Text != o.text:
		return nil, fmt.Errorf("%s: %w", snap.Rel, ask.ErrStaleAction)
	}
	raw := o.actions[n-1]
	var a codeAction
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, err
	}
	if isNull(a.Edit) && l.o.Editor.Offers(resolveAction) {
		if raw, err = l.o.Editor.Language(ctx, resolveAction, raw); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(raw, &a); err != nil {
			return nil, fmt.Errorf("%w: a code action: %w", errShape, err)
		}
	}
	if isNull(a.Edit) {
		return nil, fmt.Errorf("the editor's language servers: %q: %w", o.titles[n-1], ask.ErrNoEdit)
	}
	return l.workspaceEdit(ctx, a.Edit)
}
