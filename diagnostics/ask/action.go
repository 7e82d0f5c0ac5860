package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"companion/diagnostics/lspclient"
	"companion/diagnostics/wire"
	"companion/text"
	"companion/tools"
)

// Action is a code action as the server offered it.
type Action struct {
	tools.CodeAction
	raw     json.RawMessage
	version int32
	path    string
	asked   text.Range // by which request it was offered
	only    []string
}

// Bounds of asking for quick fixes.
const (
	maxAsked = 10 // diagnostics of a range that are asked about one by one
	// lateFixes is how long quick fixes may come after the diagnostics: gopls
	// 0.23 answers a pull up to 0.3 s before it publishes (on a busy machine
	// 2 s), and knows the fixes of what it published only.
	lateFixes = 3 * time.Second
)

// CodeActions asks what the server offers for a range. Servers tie quick fixes
// to a diagnostic's own range (gopls 0.23 offers "Remove variable" only for a
// range that begins there), so each diagnostic that touches the range is asked
// about by itself first; what is offered twice comes once.
// Those that can be applied come before the disabled ones.
func CodeActions(ctx context.Context, c *lspclient.Client, path string, r text.Range, only []string) ([]Action, error) {
	out, err := offered(ctx, c, path, r, only)
	usable := func(a Action) bool { return a.Disabled == "" }
	slices.SortStableFunc(out, func(a, b Action) int {
		switch {
		case usable(a) == usable(b):
			return 0
		case usable(a):
			return -1
		}
		return 1
	})
	return out, err
}

func offered(ctx context.Context, c *lspclient.Client, path string, r text.Range, only []string) ([]Action, error) {
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
	out, err := actionsOf(ctx, c, path, r, only, touched)
	if err != nil || len(touched) == 0 || slices.ContainsFunc(out, func(a Action) bool { return isQuickFix(a.Kind) }) {
		return out, err
	}
	if published(ctx, c, path) {
		return actionsOf(ctx, c, path, r, only, touched)
	}
	return out, nil
}

func isQuickFix(kind string) bool { return strings.HasPrefix(kind, "quickfix") }

// actionsOf asks about each diagnostic, then about the range.
func actionsOf(ctx context.Context, c *lspclient.Client, path string, r text.Range, only []string, touched []tools.Diagnostic) ([]Action, error) {
	var out []Action
	seen := map[string]int{} // by which request
	requests := 0
	add := func(r text.Range, fixes string) error {
		got, err := codeActions(ctx, c, path, r, only)
		requests++
		for _, a := range got {
			key, data := a.key()
			if n := seen[key]; seen[key+data] == 0 && (n == 0 || n == requests) {
				seen[key], seen[key+data] = requests, requests
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

func published(ctx context.Context, c *lspclient.Client, path string) bool {
	ctx, cancel := context.WithTimeout(ctx, lateFixes)
	defer cancel()
	return c.AwaitPublish(ctx, path)
}

// key is the same for two offers of one thing, but for what the server keeps to
// resolve it by, which may number the offers of each request.
func (a Action) key() (key, data string) {
	var w map[string]json.RawMessage
	if json.Unmarshal(a.raw, &w) != nil {
		return string(a.raw), "."
	}
	data = "." + string(w["data"])
	delete(w, "diagnostics")
	delete(w, "isPreferred")
	delete(w, "data")
	sorted, err := json.Marshal(w)
	if err != nil {
		return string(a.raw), data
	}
	return string(sorted), data
}

// codeActions asks once, handing back the diagnostics that touch the range as
// the server sent them.
func codeActions(ctx context.Context, c *lspclient.Client, path string, r text.Range, only []string) ([]Action, error) {
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
	_, version, _ := c.Document(path)
	if !wire.Offers(c.Capabilities().CodeActionProvider) {
		return nil, nil
	}
	var raw []json.RawMessage
	var res json.RawMessage
	if err := c.Request(ctx, protocol.MethodTextDocumentCodeAction, map[string]any{
		"textDocument": map[string]any{"uri": c.URI(path)}, "range": sent(r), "context": cctx,
	}, &res); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(res, &raw); err != nil {
		return nil, fmt.Errorf("%s: code actions: %w", c.Name(), err)
	}
	var out []Action
	for _, one := range raw {
		a, err := decodeAction(one)
		if err != nil {
			continue // the rest may be of use
		}
		a.Server, a.version, a.path, a.asked, a.only = c.Name(), version, path, r, only
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
	a := Action{raw: raw, CodeAction: tools.CodeAction{Title: wire.Visible(w.Title), Kind: w.Kind, Preferred: w.Preferred}}
	if w.Disabled != nil {
		a.Disabled = wire.Visible(w.Disabled.Reason)
	}
	for _, d := range w.Diagnostics {
		a.Fixes = append(a.Fixes, wire.Message(d.Message))
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
func Edits(ctx context.Context, c *lspclient.Client, a Action) ([]tools.FileEdit, error) {
	if _, version, _ := c.Document(a.path); version != a.version {
		return nil, ErrStaleAction
	}
	edit, cmd, err := parts(a.raw)
	if err != nil {
		return nil, err
	}
	if edit == nil && c.Capabilities().Resolves() && a.Kind != "" {
		if edit, cmd, err = resolve(ctx, c, a); err != nil {
			return nil, err
		}
	}
	switch {
	case edit != nil:
		return fileEdits(c, edit)
	case cmd != nil:
		return execute(ctx, c, cmd)
	}
	return nil, fmt.Errorf("%s: %q: %w", c.Name(), a.Title, ErrNoEdit)
}

// resolve completes an action. typescript-language-server 5.3 forgets what it
// offered when it is asked for actions again, and then gives the action back as
// it was: the request that offered it is made once more.
func resolve(ctx context.Context, c *lspclient.Client, a Action) (*protocol.WorkspaceEdit, json.RawMessage, error) {
	ask := func(raw json.RawMessage) (*protocol.WorkspaceEdit, json.RawMessage, error) {
		var full json.RawMessage
		if err := c.Request(ctx, protocol.MethodCodeActionResolve, raw, &full); err != nil {
			return nil, nil, err
		}
		return parts(full)
	}
	edit, cmd, err := ask(a.raw)
	if edit != nil {
		return edit, cmd, err
	}
	again, lost := codeActions(ctx, c, a.path, a.asked, a.only)
	i := slices.IndexFunc(again, func(b Action) bool { return b.Title == a.Title && b.Kind == a.Kind && b.version == a.version })
	if lost != nil || i < 0 {
		return edit, cmd, err
	}
	return ask(again[i].raw)
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
	if wire.Offers(w.Edit) {
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
	if !wire.Offers(w.Command) {
		return edit, nil, nil
	}
	return edit, w.Command, nil
}

// execute runs a server's command and takes the edits it asks for. One at a
// time: a second finds the first still running.
func execute(ctx context.Context, c *lspclient.Client, cmd json.RawMessage) ([]tools.FileEdit, error) {
	var mu sync.Mutex
	var edits []tools.FileEdit
	var wrong error
	release, ok := c.Capture(func(params json.RawMessage) error {
		mu.Lock()
		defer mu.Unlock()
		var p protocol.ApplyWorkspaceEditParams
		err := protocol.Unmarshal(params, &p)
		if err == nil {
			var some []tools.FileEdit
			if some, err = fileEdits(c, &p.Edit); err == nil {
				edits = append(edits, some...)
				return nil
			}
		}
		wrong = err
		return err
	})
	if !ok {
		return nil, fmt.Errorf("%s: another command of it is still running", c.Name())
	}
	err := c.Request(ctx, protocol.MethodWorkspaceExecuteCommand, cmd, nil)
	release()
	mu.Lock()
	defer mu.Unlock()
	switch {
	case wrong != nil:
		return nil, wrong
	case err != nil:
		return nil, err
	case len(edits) == 0:
		return nil, fmt.Errorf("%s: %w", c.Name(), ErrNoEdit)
	}
	return edits, nil
}

func touches(a, b text.Range) bool { return !a.End.Less(b.Start) && !b.End.Less(a.Start) }

func sent(r text.Range) map[string]any {
	return map[string]any{"start": wirePos(r.Start), "end": wirePos(r.End)}
}

func wirePos(p text.Position) map[string]any {
	return map[string]any{"line": p.Line, "character": p.Character}
}
