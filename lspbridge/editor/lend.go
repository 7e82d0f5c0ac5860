package editor

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"companion/lspbridge/wire"
	"companion/workspace"
)

// AskQuestions puts questions to a person by companion/question/ask and gives
// the answers by the question's id. It waits until answered or ctx ends. Where
// the client takes no questions, those with options are put as message requests;
// others are ErrNotOffered.
func (e *Editor) AskQuestions(ctx context.Context, q wire.QuestionParams) (map[string][]string, error) {
	if e.Client.Companion.Questions {
		r, err := ask[wire.QuestionResult](ctx, e, true, "companion/question/ask", q, 0)
		return r.Answers, err
	}
	if slices.ContainsFunc(q.Questions, func(x wire.Question) bool {
		return len(x.Options) == 0 || len(x.Options) > maxButtons || x.Secret
	}) {
		return nil, ErrNotOffered // before any is asked
	}
	out := map[string][]string{}
	for _, x := range q.Questions {
		labels := make([]string, len(x.Options))
		for i, o := range x.Options {
			labels[i] = o.Label
		}
		label, err := e.AskMessage(ctx, "Companion: "+x.Question, labels)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(labels, label) {
			break // closed: the others would be too
		}
		out[x.ID] = []string{label}
	}
	return out, nil
}

// AwaitDiagnostics asks by companion/diagnostics/await. The editor gets its own
// timeout, and a second more to answer.
func (e *Editor) AwaitDiagnostics(ctx context.Context, p wire.DiagnosticsParams) ([]wire.DiagnosticsItem, error) {
	deadline := time.Duration(p.TimeoutMs)*time.Millisecond + time.Second
	r, err := ask[wire.DiagnosticsResult](ctx, e, e.Client.Companion.Diagnostics, "companion/diagnostics/await", p, min(deadline, Deadline))
	return r.Items, err
}

// OffersDiagnostics tells whether the handshake named AwaitDiagnostics.
func (e *Editor) OffersDiagnostics() bool { return e.Client.Companion.Diagnostics }

// Language asks the editor's own language servers; ErrNotOffered for a method
// that the handshake did not name.
func (e *Editor) Language(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	return e.request(ctx, e.Offers(method), "companion/language/request", wire.LanguageParams{Method: method, Params: params}, Deadline)
}

// Offers tells whether the handshake named an LSP method for Language.
func (e *Editor) Offers(method string) bool {
	return slices.Contains(e.Client.Companion.Language, method)
}

// Secret asks for the key of a provider; "" = the editor has none. It waits:
// the editor may ask its user.
func (e *Editor) Secret(ctx context.Context, provider string) (string, error) {
	r, err := ask[wire.SecretResult](ctx, e, e.Client.Companion.Secrets, "companion/secret/get", wire.SecretParams{Provider: provider}, editDeadline)
	return r.Value, err
}

// Hush keeps Observe silent about paths while f runs: the editor told them.
func (e *Editor) Hush(paths []string, f func()) {
	e.mu.Lock()
	for _, p := range paths {
		e.hushed[p]++
	}
	e.mu.Unlock()
	f()
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range paths {
		if e.hushed[p]--; e.hushed[p] <= 0 {
			delete(e.hushed, p)
		}
	}
}

// LSP's FileChangeType.
const (
	fileCreated = 1
	fileChanged = 2
	fileDeleted = 3
)

// Observe tells the editor of files that changed on disk, for
// workspace.Observe.
func (e *Editor) Observe(ev workspace.Event) {
	if ev.Kind != workspace.Disk {
		return
	}
	e.mu.Lock()
	hushed := e.hushed[ev.Path] > 0
	e.mu.Unlock()
	if hushed {
		return
	}
	f := wire.FileEvent{URI: ev.URI, Type: fileChanged}
	switch {
	case ev.Deleted:
		f.Type = fileDeleted
	case ev.Created:
		f.Type = fileCreated
	}
	if f.URI == "" {
		f.URI = wire.FileURI(ev.Path)
	}
	e.Notify("companion/files/didChange", wire.FilesChanged{Changes: []wire.FileEvent{f}})
}

// RefreshLenses asks by workspace/codeLens/refresh and waits for the answer.
func (e *Editor) RefreshLenses(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, quickDeadline)
	defer cancel()
	if err := e.conn.Call(ctx, "workspace/codeLens/refresh", nil, nil); err != nil {
		e.log.Debug("lenses not refreshed", "err", err)
	}
}
