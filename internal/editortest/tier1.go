package editortest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"companion/internal/editortest/fake"
	"companion/internal/editortest/talk"
)

func body(a []string) json.RawMessage {
	if len(a) == 0 {
		return json.RawMessage("{}")
	}
	return json.RawMessage(a[0])
}

// request waits for the end of the turn before, as a command does.
func (w *world) request(a []string) error {
	if len(a) < 1 || !json.Valid(body(a[1:])) {
		return fmt.Errorf("takes METHOD [JSON]")
	}
	var err error
	stuck := w.until("the end of the turn before", func() bool {
		w.result = nil
		err = w.e.Request(context.Background(), a[0], body(a[1:]), &w.result)
		var busy *fake.ResponseError
		return !errors.As(err, &busy) || !strings.Contains(string(busy.Data), "turnRunning")
	})
	if stuck != nil {
		return stuck
	}
	var id struct {
		ThreadID string `json:"threadId"`
	}
	if json.Unmarshal(w.result, &id) == nil && id.ThreadID != "" {
		w.thread = id.ThreadID
	}
	return w.started(w.result, err)
}

func (w *world) refused(a []string) error {
	if len(a) < 2 {
		return fmt.Errorf("takes PART METHOD [JSON]")
	}
	err := w.e.Request(context.Background(), a[1], body(a[2:]), nil)
	if err == nil || !strings.Contains(err.Error(), a[0]) {
		return fmt.Errorf("the answer is %v, want an error with %q", err, a[0])
	}
	return nil
}

func (w *world) notify(a []string) error {
	w.e.Notify(a[0], json.RawMessage(a[1]))
	return nil
}

func (w *world) reply(a []string) error {
	var r fake.Reply
	dec := json.NewDecoder(strings.NewReader(a[1]))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return err
	}
	if r.Die {
		w.crashed = true
	}
	w.e.Reply(a[0], r)
	return nil
}

// field finds a dotted place in a result: a string as it is, all else as JSON.
func (w *world) field(path string) (string, error) {
	var v any
	if err := json.Unmarshal(w.result, &v); err != nil {
		return "", err
	}
	for _, key := range strings.Split(path, ".") {
		list, isList := v.([]any)
		m, _ := v.(map[string]any)
		i, err := strconv.Atoi(key)
		switch {
		case isList && key == "#":
			v = len(list)
		case isList && err == nil && i < len(list):
			v = list[i]
		case m[key] != nil:
			v = m[key]
		default:
			return "", fmt.Errorf("no %s in %s", path, w.result)
		}
	}
	if s, ok := v.(string); ok {
		return s, nil
	}
	b, err := json.Marshal(v)
	return string(b), err
}

func (w *world) keepAs(a []string) (err error) {
	w.vars[a[0]], err = w.field(a[1])
	return err
}

func (w *world) expectResult(a []string) error {
	got, err := w.field(a[0])
	if err == nil && got != a[1] {
		err = fmt.Errorf("%s is %q in %s", a[0], got, w.result)
	}
	return err
}

func (w *world) use(a []string) error {
	w.thread, w.turn = a[0], a[1]
	return nil
}

// waitTold waits until a client that takes events has heard of the end.
func (w *world) waitTold() error {
	if !strings.Contains(string(w.opt.Companion), "events") {
		return nil
	}
	return w.e.WaitFor("turn.completed", func(v *fake.View) bool {
		for _, e := range v.Events {
			if e.TurnID == w.turn && e.Type == "turn.completed" {
				return true
			}
		}
		return false
	})
}

func asked(v *fake.View, method, part string) (n int, withdrawn bool) {
	for _, q := range v.Asked {
		if q.Method == method && strings.Contains(string(q.Params), part) {
			n++
			withdrawn = withdrawn || q.Withdrawn
		}
	}
	return n, withdrawn
}

func (w *world) waitAsked(a []string) error {
	part := ""
	if len(a) > 2 {
		part = a[2]
	}
	return w.e.WaitFor(strings.Join(a, " "), func(v *fake.View) bool {
		n, withdrawn := asked(v, a[1], part)
		return n > 0 && (a[0] == "asked" || withdrawn)
	})
}

func (w *world) expectAsked(a []string) error {
	var err error
	w.e.Look(func(v *fake.View) {
		if n, _ := asked(v, a[0], a[1]); n == 0 {
			err = fmt.Errorf("no %s with %q among %d requests", a[0], a[1], len(v.Asked))
		}
	})
	return err
}

func (w *world) expectOpen(a []string) error {
	return w.e.WaitFor(a[1]+" open "+a[0], func(v *fake.View) bool {
		n := 0
		for _, q := range v.Asked {
			if q.Method == a[0] && !q.Taken && !q.Withdrawn {
				n++
			}
		}
		return strconv.Itoa(n) == a[1]
	})
}

func (w *world) expectPaired([]string) error {
	var raw []json.RawMessage
	w.e.Look(func(v *fake.View) {
		for _, e := range v.Events {
			raw = append(raw, e.Raw)
		}
	})
	return talk.Paired(raw)
}

// restart keeps the editor's buffers out of it: it opens them again.
func (w *world) restart([]string) error {
	if err := w.stopServer(); err != nil {
		return err
	}
	return w.start()
}
