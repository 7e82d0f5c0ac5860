package offline

import (
	"encoding/json"
	"errors"

	"companion/agent/model"
)

// step is what the plan wants next: a call, or (name "") the final text.
type step struct {
	name, args string
	text       string
}

// wanted unwinds the plan where the transcript ends.
type wanted struct{ step }

func (*wanted) Error() string { return "the transcript ends here" }

// Ends of the plan other than by its last word.
var (
	errBudget   = errors.New("the bound of calls is reached")
	errDiverged = errors.New("the transcript holds other calls than this plan would have made")
)

// maxCalls bounds the calls of a turn; it stays below the agent's limit of 100
// steps, so that the plan has the last word.
const maxCalls = 90

// entry is one thing that happened in the turn: a call with its result, a final
// message of ours, or words of the agent.
type entry struct {
	kind       model.ItemKind
	name, args string
	result     result
	text       string
	developer  bool
}

// result of a call, as the model is told it.
type result struct {
	text   string
	failed bool
}

// tape feeds the plan with what is in the transcript already.
type tape struct {
	entries []entry
	at      int
	calls   int
}

// record reads the last turn: what the person said, and what followed.
func record(items []model.Item) (said string, t tape) {
	start := 0
	for i, it := range items {
		if it.Kind == model.Message && it.Role == model.User {
			start, said = i+1, it.Text
		}
	}
	open := map[string]int{}
	for _, it := range items[start:] {
		switch it.Kind {
		case model.Message:
			t.entries = append(t.entries, entry{kind: it.Kind, text: it.Text, developer: it.Role == model.Developer})
		case model.ToolCall:
			open[it.CallID] = len(t.entries)
			t.entries = append(t.entries, entry{kind: it.Kind, name: it.Name, args: it.Arguments})
		case model.ToolReply:
			if i, ok := open[it.CallID]; ok {
				t.entries[i].result = result{it.Text, it.IsError}
			}
		}
	}
	return said, t
}

// call gives the recorded result of a call, or unwinds with *wanted to make it.
func (t *tape) call(name string, args any) (result, error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return result{}, err
	}
	for t.at < len(t.entries) && t.entries[t.at].developer {
		t.at++
	}
	if t.calls >= maxCalls {
		return result{}, errBudget
	}
	t.calls++
	if t.at == len(t.entries) {
		return result{}, &wanted{step{name: name, args: string(raw)}}
	}
	e := t.entries[t.at]
	if e.kind != model.ToolCall || e.name != name || e.args != string(raw) {
		return result{}, errDiverged
	}
	t.at++
	return e.result, nil
}

// say ends the turn with text. When it was said already and the agent had words
// after it, those are given and the plan goes on.
func (t *tape) say(text string) (after []string, err error) {
	for t.at < len(t.entries) && t.entries[t.at].developer {
		t.at++
	}
	if t.at == len(t.entries) || t.entries[t.at].kind != model.Message {
		return nil, &wanted{step{text: text}}
	}
	t.at++
	for t.at < len(t.entries) && t.entries[t.at].developer {
		after = append(after, t.entries[t.at].text)
		t.at++
	}
	return after, nil
}
