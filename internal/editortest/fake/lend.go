package fake

import (
	"encoding/json"

	"companion/internal/editortest/fake/lent"
	"companion/internal/editortest/fake/shape"
	"companion/internal/editortest/fake/wire"
)

// Reply prepares answers to requests of companion/*, or gives them to open
// ones. A request without a reply stays open; companion/edit/apply is done as
// asked instead.
func (e *Editor) Reply(method string, replies ...Reply) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.desk.Put(method, replies...)
	for _, r := range e.lent {
		e.meet(r)
	}
	e.touch()
}

// serveLent takes a request of tier 1.
func (e *Editor) serveLent(r *reverse) {
	if !shape.Has(e.opt.Companion, lent.Flag(r.method)) {
		e.problem("the request %s came although the handshake did not offer it", r.method)
	}
	r.ask = &lent.Ask{Method: r.method, Params: r.params}
	e.desk.Asked, e.lent = append(e.desk.Asked, r.ask), append(e.lent, r)
	r.cancelled = func() {
		r.ask.Withdrawn = true
		e.refuse(r, wire.RequestCancelled, "cancelled")
	}
	e.meet(r)
	if r.method == "companion/edit/apply" && !r.ask.Taken {
		r.ask.Taken = true
		e.answer(r, e.editFile(r.params))
	}
}

// meet gives a request its reply, if there is one.
func (e *Editor) meet(r *reverse) {
	reply, ok := e.desk.Take(r.ask)
	if !ok {
		return
	}
	for range max(1, reply.Times) {
		for _, v := range reply.Progress {
			e.send(wire.Message{Method: "$/progress", Params: wire.Encode(map[string]any{"token": r.ask.Token(), "value": v})})
		}
	}
	say := func() {
		if reply.Error != nil {
			e.refuse(r, reply.Error.Code, reply.Error.Message)
			return
		}
		e.answer(r, reply.Body())
	}
	switch {
	case reply.Die:
		e.gone = true
		e.wg.Go(func() { _ = e.rwc.Close() })
	case reply.Silent:
		r.cancelled = func() { r.ask.Withdrawn = true }
	case reply.AfterCancel:
		r.cancelled = func() {
			r.ask.Withdrawn = true
			say()
		}
	default:
		if reply.WrongID {
			e.send(wire.Message{ID: wire.Encode(string(r.id)), Result: json.RawMessage(`{"content":[{"type":"text","text":"to nobody"}]}`)})
		}
		say()
		if reply.Twice {
			say()
		}
	}
}

// editFile is companion/edit/apply, done strictly.
func (e *Editor) editFile(params json.RawMessage) map[string]any {
	no := func(reason string) map[string]any { return map[string]any{"applied": false, "reason": reason} }
	var p lent.Edit
	if err := json.Unmarshal(params, &p); err != nil || p.URI == "" || p.Label == "" {
		e.problem("companion/edit/apply: bad params %s", params)
		return no("rejected")
	}
	d := e.docs[p.URI]
	if d == nil {
		return no(p.Refusal(false, "", 0))
	}
	if why := p.Refusal(true, d.Text, d.Version); why != "" {
		return no(why)
	}
	var f shape.FileEdit
	f.TextDocument.URI, f.TextDocument.Version, f.Edits = p.URI, &d.Version, p.Edits
	if reason := e.apply(f, false, true); reason != "" {
		return no("rejected")
	}
	answer := map[string]any{"applied": true, "version": d.Version, "hash": lent.Hash(d.Text)}
	if p.Save {
		answer["saved"] = e.save(d) == nil
	}
	return answer
}
