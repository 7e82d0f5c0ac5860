package talk

import (
	"encoding/json"
	"fmt"
)

// Paired holds the rules of docs/protocol.md on the events of connections, in
// the order in which they came: in each thread seq counts from the first one
// without a gap, a delta's afterSeq is the seq before it, and every start has
// exactly one end.
func Paired(events []json.RawMessage) error {
	type key struct{ thread, id string }
	last := map[string]int64{}
	calls, turns := map[key]int{}, map[key]int{} // 1 = open, 2 = ended
	for i, raw := range events {
		var e struct {
			ThreadID, TurnID, CallID, Type string
			Seq, AfterSeq                  int64
		}
		if err := json.Unmarshal(raw, &e); err != nil {
			return err
		}
		before, known := last[e.ThreadID]
		switch {
		case e.Seq > 0 && known && e.Seq != before+1:
			return fmt.Errorf("event %d: seq %d follows %d: %s", i, e.Seq, before, raw)
		case e.Seq == 0 && known && e.AfterSeq != before:
			return fmt.Errorf("event %d: afterSeq %d, but %d came last: %s", i, e.AfterSeq, before, raw)
		case e.Seq > 0:
			last[e.ThreadID] = e.Seq
		}
		call, turn := key{e.ThreadID, e.CallID}, key{e.ThreadID, e.TurnID}
		want, set := -1, 0
		at := turns
		switch e.Type {
		case "turn.started":
			want, set = 0, 1
		case "turn.completed":
			want, set = 1, 2
		case "tool.started":
			at, turn, want, set = calls, call, 0, 1
		case "tool.completed":
			at, turn, want, set = calls, call, 1, 2
		}
		if want >= 0 && at[turn] != want {
			return fmt.Errorf("event %d: %s out of place: %s", i, e.Type, raw)
		}
		if want >= 0 {
			at[turn] = set
		}
	}
	for _, open := range []map[key]int{calls, turns} {
		for k, state := range open {
			if state == 1 {
				return fmt.Errorf("%s of thread %s has no end", k.id, k.thread)
			}
		}
	}
	return nil
}
