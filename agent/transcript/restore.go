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
	open := map[string]session.Event{} // tool.started without tool.completed
	var order []string
	var turn session.Event // the last turn.started, if it was not completed
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
		case r.Kind == session.KindItem:
			if it, section, err := decodeItem(r.Item); err == nil {
				t.restoreItem(it, section)
			}
		case r.Kind == session.KindEvent && r.Event != nil:
			e := *r.Event
			t.restoreEvent(e)
			switch e.Type {
			case session.TurnStarted:
				turn = e
			case session.TurnCompleted:
				turn = session.Event{}
			case session.ToolStarted:
				open[e.CallID] = e
				order = append(order, e.CallID)
			case session.ToolCompleted:
				delete(open, e.CallID)
			}
		}
	}
	t.closeCrashed(turn, open, order)
	t.Settle()
	return t.Err()
}

func (t *Transcript) restoreItem(it model.Item, section string) {
	t.items = append(t.items, it)
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

func (t *Transcript) closeCrashed(turn session.Event, open map[string]session.Event, order []string) {
	for _, id := range order {
		e, ok := open[id]
		if !ok {
			continue
		}
		delete(open, id)
		name := ""
		if e.Tool != nil {
			name = e.Tool.Name
		}
		t.Emit(session.Event{
			Turn: e.Turn, Type: session.ToolCompleted, ItemID: e.ItemID, CallID: id,
			End: &session.CallEnd{Name: name, Outcome: string(tools.Aborted), Text: crashed},
		})
	}
	answered := map[string]bool{}
	for _, it := range t.items {
		if it.Kind == model.ToolReply {
			answered[it.CallID] = true
		}
	}
	for _, it := range slices.Clone(t.items) {
		if it.Kind == model.ToolCall && !answered[it.CallID] {
			answered[it.CallID] = true
			t.Write(t.Add(model.Item{
				Kind: model.ToolReply, CallID: it.CallID, Name: it.Name, Namespace: it.Namespace, Text: crashed, IsError: true,
			}, ""))
		}
	}
	if turn.Turn != "" {
		t.Emit(session.Event{
			Turn: turn.Turn, Type: session.TurnCompleted, Status: "stopped",
			Error: fmt.Sprintf("companion ended while this turn ran (begun %s)", turn.At.Format(time.RFC3339)),
		})
	}
}
