package transcript

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"companion/agent/model"
	"companion/session"
	"companion/tools"
)

// crashed is what is recorded of calls that a dead process was running.
const crashed = "aborted: companion ended while this call ran; it may have had its effect, or part of it"

// Restore rebuilds the transcript from its log and appends what a crash left
// out: a tool.completed for each call that was running, results for calls
// without one, and the turn.completed.
func (t *Transcript) Restore(recs []session.Record) error {
	c := cut{open: map[string]session.Event{}, ended: map[string]session.CallEnd{}}
	for _, r := range recs {
		switch {
		case r.Kind == session.KindHeader && r.Info != nil:
			id := t.info.ID
			t.info = *r.Info
			t.info.ID, t.info.Status = id, session.StatusIdle
			t.State.Roots = []string{t.info.Cwd}
		case r.Kind == session.KindState:
			var s State
			if json.Unmarshal(r.Item, &s) == nil {
				if len(s.Roots) == 0 {
					s.Roots = t.State.Roots
				}
				t.State = s
			}
		case r.Kind == session.KindCompact:
			t.restoreCompact(r.Item)
		case r.Kind == session.KindItem:
			if it, section, err := decodeItem(r.Item); err == nil {
				t.restoreItem(it, section)
			}
		case r.Kind == session.KindEvent && r.Event != nil:
			t.restoreEvent(*r.Event)
			c.hear(*r.Event)
		}
	}
	t.closeCrashed(c)
	t.Settle()
	return t.Err()
}

func (t *Transcript) restoreItem(it model.Item, section string) {
	t.items = append(t.items, it)
	var found []string
	for _, l := range it.Loads {
		if it.Kind == model.ToolReply {
			found = append(found, tools.Spec{Name: l.Name, Namespace: l.Namespace}.Full())
		}
	}
	t.State.Loaded = merged(t.State.Loaded, found)
	if section != "" {
		t.Sections[section] = it.Text
	}
	t.nItems = max(t.nItems, serial(it.ID, "i"))
	t.nCalls = max(t.nCalls, serial(it.CallID, "c"))
}

// serial is N of an id PREFIX N, 0 for any other.
func serial(id, prefix string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(id, prefix))
	return n
}

func (t *Transcript) restoreEvent(e session.Event) {
	t.seq = max(t.seq, e.Seq)
	t.observe(e)
	t.nItems = max(t.nItems, serial(e.ItemID, "i"))
	t.nCalls = max(t.nCalls, serial(e.CallID, "c"))
	if e.End != nil {
		t.Touch(e.End.Changed...)
	}
}

// cut is what a log that breaks off has begun and not ended.
type cut struct {
	turns []session.Event          // turn.started without turn.completed
	open  map[string]session.Event // tool.started without tool.completed, by call
	order []string                 // of calls
	ended map[string]session.CallEnd
	said  session.Event // the last event, when it is a message.completed
}

func (c *cut) hear(e session.Event) {
	c.said = session.Event{}
	switch e.Type {
	case session.TurnStarted:
		c.turns = append(c.turns, e)
	case session.TurnCompleted:
		c.turns = slices.DeleteFunc(c.turns, func(s session.Event) bool { return s.Turn == e.Turn })
	case session.ToolStarted:
		c.open[e.CallID] = e
		c.order = append(c.order, e.CallID)
	case session.ToolCompleted:
		delete(c.open, e.CallID)
		if e.End != nil {
			c.ended[e.CallID] = *e.End
		}
	case session.MessageCompleted:
		c.said = e
	}
}

func (t *Transcript) closeCrashed(c cut) {
	if e := c.said; e.ItemID != "" && !slices.ContainsFunc(t.items, func(it model.Item) bool { return it.ID == e.ItemID }) {
		t.Write(t.Add(model.Item{Kind: model.Message, ID: e.ItemID, Role: model.Assistant, Text: e.Text}, ""))
	}
	for _, id := range c.order {
		e, ok := c.open[id]
		if !ok {
			continue
		}
		delete(c.open, id)
		name := ""
		if e.Tool != nil {
			name = e.Tool.Name
		}
		t.Emit(session.Event{
			Turn: e.Turn, Type: session.ToolCompleted, ItemID: e.ItemID, CallID: id,
			End: &session.CallEnd{Name: name, Outcome: string(tools.Aborted), Text: crashed},
		})
	}
	t.answerCrashed(c)
	for _, turn := range c.turns {
		t.Emit(session.Event{
			Turn: turn.Turn, Type: session.TurnCompleted, Status: "stopped",
			Error: fmt.Sprintf("companion ended while this turn ran (begun %s)", turn.At.Format(time.RFC3339)),
		})
	}
}

// answerCrashed gives results to the calls that lack one: what the call's end
// said, where that came into the log and the result did not.
func (t *Transcript) answerCrashed(c cut) {
	answered := map[string]bool{}
	for _, it := range t.items {
		if it.Kind == model.ToolReply {
			answered[it.CallID] = true
		}
	}
	for _, it := range slices.Clone(t.items) {
		if it.Kind != model.ToolCall || answered[it.CallID] {
			continue
		}
		answered[it.CallID] = true
		text, bad := crashed, true
		if end, ok := c.ended[it.CallID]; ok {
			if text = end.Text; end.Shown != "" {
				text = end.Shown
			}
			bad = end.Outcome != string(tools.OK)
		}
		t.Write(t.Add(model.Item{
			Kind: model.ToolReply, CallID: it.CallID, Name: it.Name, Namespace: it.Namespace, Text: text, IsError: bad,
		}, ""))
	}
}

func (t *Transcript) restoreCompact(raw json.RawMessage) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return
	}
	t.items, t.Sections = nil, map[string]string{}
	t.kept = openPlan(t.plan)
	t.relist()
	for _, r := range list {
		if it, _, err := decodeItem(r); err == nil {
			t.restoreItem(it, "")
		}
	}
}
