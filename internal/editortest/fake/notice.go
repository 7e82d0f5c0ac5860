package fake

import (
	"encoding/json"
)

// Progress is one work-done progress.
type Progress struct {
	Token    string
	Title    string
	Cancel   bool     // cancellable
	Messages []string // of begin and reports, as they came
	Last     string   // message of the end
	Begun    bool
	Ended    bool
}

func (e *Editor) serveProgressCreate(r *reverse) {
	var p struct {
		Token json.RawMessage `json:"token"`
	}
	if err := json.Unmarshal(r.params, &p); err != nil || len(p.Token) < 3 || p.Token[0] != '"' {
		e.problem("window/workDoneProgress/create: the token must be a string: %s", r.params)
		e.refuse(r, codeInvalidParams, "bad token")
		return
	}
	token := string(p.Token)
	if e.progress[token] != nil {
		e.problem("window/workDoneProgress/create: the token %s was used before", token)
	} else {
		e.tokens = append(e.tokens, token)
	}
	e.progress[token] = &Progress{Token: token}
	e.answer(r, nil)
}

// notice takes a notification of the server's; e.mu is held.
func (e *Editor) notice(m message) {
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
	var p struct {
		Token json.RawMessage `json:"token"`
		Value struct {
			Kind        string `json:"kind"`
			Title       string `json:"title"`
			Message     string `json:"message"`
			Cancellable bool   `json:"cancellable"`
		} `json:"value"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		e.problem("$/progress: %v", err)
		return
	}
	at := e.progress[string(p.Token)]
	if at == nil {
		e.problem("$/progress for the token %s, which was never created", p.Token)
		return
	}
	switch {
	case at.Ended:
		e.problem("$/progress %s: %s after its end", at.Token, p.Value.Kind)
	case p.Value.Kind == "begin" && at.Begun:
		e.problem("$/progress %s begins twice", at.Token)
	case p.Value.Kind != "begin" && !at.Begun:
		e.problem("$/progress %s: %s before its begin", at.Token, p.Value.Kind)
	case p.Value.Kind == "begin" && p.Value.Title == "":
		e.problem("$/progress %s: begin has no title", at.Token)
	}
	switch p.Value.Kind {
	case "begin":
		at.Begun, at.Title, at.Cancel = true, p.Value.Title, p.Value.Cancellable
		e.mustFollowAnswer("$/progress", params)
	case "report":
	case "end":
		at.Ended, at.Last = true, p.Value.Message
		return
	default:
		e.problem("$/progress %s: unknown kind %q", at.Token, p.Value.Kind)
	}
	if p.Value.Message != "" {
		at.Messages = append(at.Messages, p.Value.Message)
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
		e.refuse(r, codeRequestCancelled, "cancelled")
	}
}

func (e *Editor) hearEvent(params json.RawMessage) {
	ev := Event{Raw: params}
	if err := json.Unmarshal(params, &ev); err != nil || ev.Type == "" || ev.ThreadID == "" {
		e.problem("companion/event: bad params %s", cut(string(params)))
		return
	}
	if e.opt.Companion == nil || !jsonHas(e.opt.Companion, "events") {
		e.problem("companion/event came, which was not offered")
	}
	last := int64(0)
	for _, old := range e.events {
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
	e.mustFollowAnswer("companion/event", params)
}

// mustFollowAnswer holds the rule that the answer to a command which starts a
// turn precedes everything that the turn sends; e.mu is held.
func (e *Editor) mustFollowAnswer(method string, params json.RawMessage) {
	switch method {
	case "companion/event", "window/workDoneProgress/create", "workspace/applyEdit", "$/progress", "companion/edit/apply", "companion/tool/call":
	default:
		return
	}
	for _, p := range e.progress {
		if p.Begun && !p.Ended {
			return // another turn runs; whose this is cannot be told
		}
	}
	for _, c := range e.calls {
		if c.starts && !c.settled {
			e.problem("%s came before the answer to %s that starts the turn: %s", method, c.method, cut(string(params)))
		}
	}
}
