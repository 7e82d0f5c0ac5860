package fake

import (
	"encoding/json"

	"companion/internal/editortest/fake/shape"
	"companion/internal/editortest/fake/wire"
)

func (e *Editor) serveProgressCreate(r *reverse) {
	problem, ok := e.progress.Create(r.params)
	if problem != "" {
		e.problem("%s", problem)
	}
	if !ok {
		e.refuse(r, wire.InvalidParams, "bad token")
		return
	}
	e.answer(r, nil)
}

// notice takes a notification of the server's; e.mu is held.
func (e *Editor) notice(m wire.Message) {
	switch m.Method {
	case "$/progress":
		e.hearProgress(m.Params)
	case "$/cancelRequest":
		e.hearCancel(m.Params)
	case "window/showMessage", "window/logMessage":
		msg := Message{Log: m.Method == "window/logMessage"}
		if err := json.Unmarshal(m.Params, &msg); err != nil || msg.Type < 1 || msg.Message == "" {
			e.problem("%s: bad params %s", m.Method, m.Params)
		}
		e.messages = append(e.messages, msg)
	case "companion/event":
		e.hearEvent(m.Params)
	case "companion/files/didChange", "companion/tools/didChange", "companion/changes/didChange":
		if e.opt.Companion == nil {
			e.problem("the notification %s came at tier 0", m.Method)
		}
	case "textDocument/publishDiagnostics":
		e.problem("the server publishes diagnostics, which are not its own")
	default:
		if len(m.Method) < 2 || m.Method[:2] != "$/" {
			e.problem("an unknown notification %s", m.Method)
		}
	}
}

func (e *Editor) hearProgress(params json.RawMessage) {
	for _, p := range e.progress.Hear(params) {
		e.problem("%s", p)
	}
}

// CancelProgress presses Stop on a work-done progress.
func (e *Editor) CancelProgress(token string) {
	e.Notify("window/workDoneProgress/cancel", map[string]any{"token": json.RawMessage(token)})
}

func (e *Editor) hearCancel(params json.RawMessage) {
	var p struct {
		ID json.RawMessage `json:"id"`
	}
	_ = json.Unmarshal(params, &p)
	r := e.asked[string(p.ID)]
	switch {
	case r == nil:
		e.problem("$/cancelRequest for %s, which was never asked", p.ID)
	case r.answered || r.withdrawn: // crossed on the way
	default:
		r.withdrawn = true
		if r.cancelled != nil {
			r.cancelled()
			return
		}
		e.refuse(r, wire.RequestCancelled, "cancelled")
	}
}

func (e *Editor) hearEvent(params json.RawMessage) {
	ev := Event{Raw: params}
	if err := json.Unmarshal(params, &ev); err != nil || ev.Type == "" || ev.ThreadID == "" {
		e.problem("companion/event: bad params %s", wire.Cut(string(params)))
		return
	}
	if e.opt.Companion == nil || !shape.Has(e.opt.Companion, "events") {
		e.problem("companion/event came, which was not offered")
	}
	last, known := int64(0), false
	for _, old := range e.events {
		known = known || old.TurnID == ev.TurnID
		if old.ThreadID == ev.ThreadID {
			last = max(last, old.Seq)
		}
	}
	switch {
	case ev.Seq != 0 && ev.AfterSeq != 0:
		e.problem("companion/event %s has both seq and afterSeq", ev.Type)
	case ev.Seq != 0 && last != 0 && ev.Seq != last+1:
		e.problem("companion/event %s: seq %d follows %d", ev.Type, ev.Seq, last)
	}
	e.events = append(e.events, ev)
	if !known {
		e.mustFollowAnswer("companion/event", params)
	}
}

// mustFollowAnswer holds the rule that the answer to a command which starts a
// turn precedes everything that the turn sends; e.mu is held.
func (e *Editor) mustFollowAnswer(method string, params json.RawMessage) {
	switch method {
	case "companion/event", "window/workDoneProgress/create", "workspace/applyEdit", "companion/edit/apply", "companion/tool/call":
	default:
		return
	}
	if e.progress.Running() {
		return // another turn runs; whose this is cannot be told
	}
	for _, c := range e.calls {
		if c.starts && !c.settled {
			e.problem("%s came before the answer to %s that starts the turn: %s", method, c.method, wire.Cut(string(params)))
		}
	}
}
