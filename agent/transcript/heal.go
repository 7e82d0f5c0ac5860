package transcript

import (
	"fmt"
	"strings"

	"companion/agent/model"
)

// Texts of results that history lacks.
const (
	noResult    = "no result was recorded: the call was interrupted, and may have had its effect or part of it"
	emptyResult = "(the tool gave no output)"
)

// Heal gives a transcript that every provider takes: each call is followed by
// exactly one non-empty result before anything else is said, results without a
// call and messages without text are left out, and ids are unique. What is in order stays as it is, and
// Heal(a) is a prefix of Heal(a+b) whenever a leaves no call open.
func Heal(items []model.Item) []model.Item {
	h := healer{out: make([]model.Item, 0, len(items)), ids: map[string]bool{}, calls: map[string]bool{}}
	for _, it := range items {
		h.take(it)
	}
	h.close()
	return h.out
}

type healer struct {
	out   []model.Item
	ids   map[string]bool // item ids in out
	calls map[string]bool // call ids in out
	open  []openCall      // of the step, in order
	done  bool            // a result of the step was seen
}

// openCall is a call that waits for its result.
type openCall struct {
	was  string // CallID as recorded
	call model.Item
}

func (h *healer) take(it model.Item) {
	switch {
	case it.Hosted: // the vendor pairs them
	case it.Kind == model.ToolReply:
		h.reply(it)
		return
	case it.Kind == model.ToolCall:
		if h.done {
			h.close()
		}
		was := it.CallID
		it.CallID = unique(it.CallID, "call", h.calls)
		it.Name = CallName(it.Name)
		h.open = append(h.open, openCall{was, it})
	case it.Kind == model.Message && len(it.Raw) == 0 && len(it.Images) == 0 && strings.TrimSpace(it.Text) == "":
		return // vendors refuse a message without text
	case it.Kind == model.Message && it.Role != model.Assistant, it.Kind == model.ToolsAdded:
		h.close()
	case h.done: // the next step's reasoning or message
		h.close()
	}
	h.put(it)
}

func (h *healer) put(it model.Item) {
	it.ID = unique(it.ID, "item", h.ids)
	h.out = append(h.out, it)
}

func (h *healer) reply(it model.Item) {
	for i, o := range h.open {
		if o.was != it.CallID {
			continue
		}
		h.open = append(h.open[:i:i], h.open[i+1:]...)
		h.done = true
		it.CallID, it.Name, it.Namespace = o.call.CallID, o.call.Name, o.call.Namespace
		if strings.TrimSpace(it.Text) == "" && len(it.Images) == 0 {
			it.Text = emptyResult
		}
		h.put(it)
		return
	}
}

// close answers every open call.
func (h *healer) close() {
	for _, o := range h.open {
		h.put(model.Item{
			Kind: model.ToolReply, ID: o.call.CallID + "-missing", CallID: o.call.CallID,
			Name: o.call.Name, Namespace: o.call.Namespace, Text: noResult, IsError: true,
		})
	}
	h.open, h.done = nil, false
}

// unique gives id, or id with a number when it is taken, and takes it.
func unique(id, empty string, taken map[string]bool) string {
	if id == "" {
		id = empty
	}
	out := id
	for n := 2; taken[out]; n++ {
		out = fmt.Sprintf("%s-%d", id, n)
	}
	taken[out] = true
	return out
}

// CallName is a name that every vendor takes back in a history (models.md:
// ^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$), whatever a model wrote.
func CallName(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	out := b.String()
	if out == "" || out[0] != '_' && (out[0] < 'A' || out[0] > 'z') {
		out = "_" + out
	}
	return out[:min(len(out), 64)]
}
