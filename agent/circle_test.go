package agent

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"companion/agent/consent"
	"companion/agent/model/script"
	"companion/session"
	"companion/tools"
)

// answers gives one reply after the other; the last again and again.
type answers struct {
	replies []consent.Reply
	err     error
	asked   []consent.Question
}

func (a *answers) ask(_ context.Context, q consent.Question) (consent.Reply, error) {
	a.asked = append(a.asked, q)
	if a.err != nil {
		return consent.Reply{}, a.err
	}
	return a.replies[min(len(a.asked), len(a.replies))-1], nil
}

func TestAPersonIsAskedAboutACircle(t *testing.T) {
	yes, no := consent.Reply{Yes: true}, consent.Reply{Feedback: "read b.go"}
	for name, c := range map[string]struct {
		answers answers
		calls   int // the same call so many times, then the end
		asked   int
		status  string
		told    string
	}{
		"go on":             {answers{replies: []consent.Reply{yes}}, 5, 1, Completed, ""},
		"go on, twice":      {answers{replies: []consent.Reply{yes}}, 6, 2, Completed, ""},
		"do something else": {answers{replies: []consent.Reply{no}}, 3, 1, Completed, "its result will not change. Do something else, or end and say what is missing. The user says: read b.go"},
		"stop":              {answers{err: tools.ErrStopped}, 9, 1, Stopped, ""},
		"nobody":            {answers{err: consent.ErrNobody}, 9, 2, Limit, "its result will not change"},
	} {
		t.Run(name, func(t *testing.T) {
			var turns []script.Turn
			for range c.calls {
				turns = append(turns, script.Turn{Calls: []script.Call{callOf("read")}})
			}
			r := newRig(t, rigOptions{
				turns: append(turns, script.Turn{Text: "done"}), tools: []tools.Tool{readTool("text")},
				more: func(o *Options) { o.Ask = c.answers.ask },
			})
			out := r.turn(TurnOptions{}, "go")
			if out.Status != c.status || len(c.answers.asked) != c.asked {
				t.Errorf("asked %d times: %+v", len(c.answers.asked), out)
			}
			if said := script.Said(r.rec.reqs[len(r.rec.reqs)-1]); !strings.Contains(said, c.told) || c.told == "" && strings.Contains(said, "will not change") {
				t.Errorf("the model was told %s", said)
			}
			if n := len(r.find(session.ApprovalRequested)); n != c.asked || n != len(r.find(session.ApprovalResolved)) {
				t.Errorf("%d approvals", n)
			}
			for _, q := range c.answers.asked {
				if q.Kind != consent.ToLoop || q.CallID == "" || q.Turn != out.Turn || !strings.Contains(q.Title, "(read) 3 times") && c.status != Limit {
					t.Errorf("asked %+v", q)
				}
			}
		})
	}
}

func TestPollsAreNoCircle(t *testing.T) {
	poll := fakeTool{tools.Spec{Name: "poll", Polls: true, ReadOnly: true}, says("still running")}
	var turns []script.Turn
	for range 20 {
		turns = append(turns, script.Turn{Calls: []script.Call{callOf("poll")}})
	}
	r := newRig(t, rigOptions{turns: append(turns, script.Turn{Text: "it ended"}), tools: []tools.Tool{poll}})
	if out := r.turn(TurnOptions{}, "wait for it"); out.Status != Completed || out.Steps != 21 {
		t.Errorf("%+v", out)
	}
}

func TestTokensOfATurnAreLimited(t *testing.T) {
	var turns []script.Turn
	for i := range 9 {
		turns = append(turns, script.Turn{
			Usage: &script.Usage{Input: 1000, Cached: 900, Output: 50}, Calls: []script.Call{callOf("read", fmt.Sprintf(`{"path":"%d"}`, i))},
		})
	}
	turns = append(turns[:4:4], script.Turn{Text: "next"})
	r := newRig(t, rigOptions{turns: turns, tools: []tools.Tool{readTool("text")}, more: func(o *Options) { o.MaxTokens = 600 }})
	out := r.turn(TurnOptions{}, "go")
	if out.Status != Limit || out.Steps != 4 || !strings.Contains(out.Error, "stopped after 600 tokens (setting companion.maxTokens)") {
		t.Errorf("%+v", out)
	}
	if out := r.turn(TurnOptions{Thread: out.Thread}, "go on"); out.Status != Completed {
		t.Errorf("%+v", out)
	}
}
