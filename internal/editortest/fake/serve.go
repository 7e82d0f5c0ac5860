package fake

import (
	"encoding/json"
	"slices"

	"companion/internal/editortest/fake/lent"
	"companion/internal/editortest/fake/shape"
	"companion/internal/editortest/fake/wire"
)

// served is the table of requests that this editor answers; offered tells
// whether its capabilities said so.
func (e *Editor) served() map[string]struct {
	offered bool
	answer  func(*reverse)
} {
	type row = struct {
		offered bool
		answer  func(*reverse)
	}
	return map[string]row{
		"workspace/applyEdit":            {!e.opt.NoApplyEdit, e.serveApplyEdit},
		"workspace/configuration":        {!e.opt.NoConfiguration, e.serveConfiguration},
		"workspace/workspaceFolders":     {true, e.serveFolders},
		"client/registerCapability":      {true, e.serveNull},
		"client/unregisterCapability":    {true, e.serveNull},
		"window/showMessageRequest":      {!e.opt.NoMessageRequest, e.serveMessageRequest},
		"window/showDocument":            {!e.opt.NoShowDocument, e.serveShowDocument},
		"window/workDoneProgress/create": {!e.opt.NoProgress, e.serveProgressCreate},
	}
}

// serve takes a request of the server's; e.mu is held.
func (e *Editor) serve(m wire.Message) {
	id := string(m.ID)
	if old := e.asked[id]; old != nil {
		e.problem("request id %s of %s was used before by %s", id, m.Method, old.method)
	}
	r := &reverse{id: m.ID, method: m.Method, params: m.Params}
	e.asked[id] = r
	e.mustFollowAnswer(m.Method, m.Params)
	row, known := e.served()[m.Method]
	custom := e.opt.Handle[m.Method]
	switch {
	case custom != nil:
		result, bad := custom(m.Params)
		if bad != nil {
			e.refuse(r, bad.Code, bad.Message)
			return
		}
		e.answer(r, result)
	case e.opt.Companion != nil && lent.Flag(m.Method) != "":
		e.serveLent(r)
	case !known:
		e.problem("the request %s was not offered by this editor", m.Method)
		e.refuse(r, wire.MethodNotFound, "no such method: "+m.Method)
	case !row.offered && m.Method == "window/showMessageRequest":
		// The capability is younger than the request: a server may try.
		e.refuse(r, wire.MethodNotFound, "not supported: "+m.Method)
	case !row.offered:
		e.problem("the request %s came although the capability was not given", m.Method)
		e.refuse(r, wire.MethodNotFound, "not supported: "+m.Method)
	default:
		row.answer(r)
	}
}

func (e *Editor) answer(r *reverse, result any) {
	r.answered = true
	e.send(wire.Message{ID: r.id, Result: wire.Encode(result)})
}

func (e *Editor) refuse(r *reverse, code int, text string) {
	r.answered = true
	e.send(wire.Message{ID: r.id, Error: &ResponseError{Code: code, Message: text}})
}

func (e *Editor) serveNull(r *reverse) { e.answer(r, nil) }

func (e *Editor) serveConfiguration(r *reverse) {
	var p struct {
		Items []struct {
			Section string `json:"section"`
		} `json:"items"`
	}
	if err := json.Unmarshal(r.params, &p); err != nil {
		e.problem("workspace/configuration: %v", err)
	}
	out := make([]json.RawMessage, len(p.Items))
	for i, it := range p.Items {
		out[i] = json.RawMessage("null")
		if it.Section == "companion" && e.opt.Settings != nil {
			out[i] = e.opt.Settings
		}
	}
	e.answer(r, out)
}

func (e *Editor) serveFolders(r *reverse) {
	e.answer(r, e.InitializeParams()["workspaceFolders"])
}

func (e *Editor) serveShowDocument(r *reverse) {
	var p struct {
		URI       string `json:"uri"`
		TakeFocus bool   `json:"takeFocus"`
	}
	if err := json.Unmarshal(r.params, &p); err != nil || p.URI == "" {
		e.problem("window/showDocument: bad params %s", r.params)
	}
	if p.TakeFocus {
		e.problem("window/showDocument takes the user's focus")
	}
	e.shown = append(e.shown, p.URI)
	e.answer(r, map[string]any{"success": true})
}

// Answer prepares the button that the user presses on the next message
// request, or presses it on the open one. Besides titles: "(dismiss)" answers
// null, "(unsupported)" answers -32601.
func (e *Editor) Answer(titles ...string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answers = append(e.answers, titles...)
	e.press()
	e.touch()
}

// Hold leaves message requests for which no answer is prepared open, until
// Answer; without it they are a problem and answered null.
func (e *Editor) Hold() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hold = true
}

func messageTitle(params json.RawMessage) string {
	title, _, _ := shape.ReadMessageRequest(params)
	return title
}

func (e *Editor) serveMessageRequest(r *reverse) {
	title, buttons, problems := shape.ReadMessageRequest(r.params)
	for _, p := range problems {
		e.problem("window/showMessageRequest %q: %s", title, p)
	}
	if e.question != nil {
		e.problem("window/showMessageRequest %q while %q is open", title, messageTitle(e.question.params))
	}
	e.question = r
	r.cancelled = func() {
		if e.question == r {
			e.question = nil
		}
		if e.opt.Wrong.MessageAfterCancel && len(buttons) > 0 {
			e.answer(r, map[string]any{"title": buttons[0]})
			return
		}
		e.refuse(r, wire.RequestCancelled, "cancelled")
	}
	e.press()
	if e.question == r && !e.hold {
		e.problem("window/showMessageRequest %q was not expected; its buttons: %s", title, r.params)
		e.question = nil
		e.answer(r, nil)
	}
}

// press answers the open question with the next prepared answer, if there is
// both.
func (e *Editor) press() {
	r := e.question
	if r == nil || len(e.answers) == 0 {
		return
	}
	title := e.answers[0]
	e.answers = e.answers[1:]
	e.question = nil
	message, buttons, _ := shape.ReadMessageRequest(r.params)
	switch {
	case title == "(dismiss)":
		e.answer(r, nil)
	case title == "(unsupported)":
		e.refuse(r, wire.MethodNotFound, "not supported")
	case !slices.Contains(buttons, title):
		e.problem("the prepared answer %q is no button of %q; its buttons: %q", title, message, buttons)
		e.answer(r, nil)
	case e.opt.Wrong.MessageShape:
		e.answer(r, title)
	default:
		e.answer(r, map[string]any{"title": title})
		if e.opt.Wrong.MessageTwice {
			e.answer(r, map[string]any{"title": title})
		}
	}
}
