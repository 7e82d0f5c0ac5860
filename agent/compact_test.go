package agent

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"companion/agent/model"
	"companion/agent/model/script"
	"companion/session"
	"companion/tools"
)

func TestCompaction(t *testing.T) {
	long := strings.Repeat("a long answer about nothing much ", 400)
	dir := t.TempDir()
	section := "AGENTS: use tabs"
	o := rigOptions{
		dir: dir, context: []ContextProvider{fakeSection{"agents", &section, nil}}, tools: []tools.Tool{readTool(long), editTool(long)},
		turns: []script.Turn{
			{Text: long, Calls: []script.Call{callOf("read"), callOf("edit")}},
			{Text: long},
			{Expect: []string{"about to be shortened"}, Text: "The parser was mended in a.go.", Calls: []script.Call{callOf("edit")}},
			{Expect: []string{"mended in a.go", "mend the parser", "AGENTS: use tabs"}, Refuse: []string{"nothing much"}, Text: "fine"},
		},
	}
	r := newRig(t, o)
	out := r.turn(TurnOptions{}, "mend the parser")
	before, after, err := r.agent.Compact(context.Background(), out.Thread)
	if err != nil || after >= before || after > 1200 {
		t.Fatalf("%d to %d tokens, %v", before, after, err)
	}
	if e := r.find(session.ContextCompacted); len(e) != 1 || e[0].Before != before || e[0].After != after || e[0].Turn != "" {
		t.Errorf("events %+v", e)
	}
	if n := len(r.find(session.ToolStarted)); n != 2 {
		t.Errorf("%d calls were run", n)
	}
	if prev, sum := r.rec.reqs[1], r.rec.reqs[2]; !sameItems(prev.Items, sum.Items[:len(prev.Items)]) || len(prev.Tools) != len(sum.Tools) {
		t.Error("the request for the summary does not share its prefix")
	}
	if o := r.turn(TurnOptions{Thread: out.Thread}, "go on"); o.Text != "fine" {
		t.Fatalf("%+v", o)
	}
	usage := r.find(session.UsageReported)
	if got := usage[len(usage)-1].Usage.PrefixBroken; got != "the thread was compacted" {
		t.Errorf("prefixBroken %q", got)
	}
	sent := r.rec.reqs[len(r.rec.reqs)-1].Items
	if err := r.agent.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	o.turns = []script.Turn{{Text: "here"}}
	r2 := newRig(t, o)
	r2.turn(TurnOptions{Thread: out.Thread}, "after a restart")
	if got := r2.rec.reqs[0].Items; !sameItems(got[:len(sent)], sent) {
		t.Errorf("a resumed thread sends %+v, want %+v first", got, sent)
	}
	r2.events = nil // seq goes on from the first process
}

func TestCompactionWithoutAModelAndWithoutGain(t *testing.T) {
	long := strings.Repeat("words ", 2000)
	r := newRig(t, rigOptions{
		card: Card{ID: "offline/quickfix", Offline: true}, tools: []tools.Tool{readTool(long)},
		turns: []script.Turn{{Calls: []script.Call{callOf("read", `{"path":"a.go"}`)}}, {Text: "seen"}, {Text: "more"}},
	})
	out := r.turn(TurnOptions{}, "look at a.go")
	before, after, err := r.agent.Compact(context.Background(), out.Thread)
	if err != nil || after >= before {
		t.Fatalf("%d to %d, %v", before, after, err)
	}
	r.turn(TurnOptions{Thread: out.Thread}, "and?")
	if said := script.Said(r.rec.reqs[2]); !strings.Contains(said, `called read {"path":"a.go"}, which gave: words`) || !strings.Contains(said, "said: seen") {
		t.Errorf("the digest is not there: %.600s", said)
	}
	for range 3 {
		b, a, err := r.agent.Compact(context.Background(), out.Thread)
		if err != nil || a > b {
			t.Errorf("%d to %d, %v", b, a, err)
		}
	}
	turn := r.newTurn(TurnOptions{Thread: out.Thread}, "x")
	if _, _, err := r.agent.Compact(context.Background(), out.Thread); !errors.Is(err, ErrTurnRunning) {
		t.Errorf("under a turn: %v", err)
	}
	r.agent.StopAll(context.Background())
	turn.Run(context.Background())
	if _, _, err := r.agent.Compact(context.Background(), "absent"); !errors.Is(err, ErrThreadNotFound) {
		t.Errorf("of nothing: %v", err)
	}
}

func TestAThreadThatIsTooLongIsShortenedOnce(t *testing.T) {
	tooLong := script.Turn{Error: &script.Error{Kind: model.ErrContext, Text: "prompt too long"}}
	long := strings.Repeat("words ", 2000)
	for name, c := range map[string]struct {
		first  string
		turns  []script.Turn
		status string
	}{
		"it helps":        {"first", []script.Turn{{Text: long}, tooLong, {Expect: []string{"second", "first"}, Refuse: []string{long}, Text: "fine"}}, Completed},
		"it helps little": {long, []script.Turn{{Text: long}, tooLong, tooLong, {Expect: []string{"second"}, Text: "fine"}}, Completed},
		"it does not":     {long, []script.Turn{{Text: long}, tooLong, tooLong, tooLong}, Failed},
		"nothing to gain": {"first", []script.Turn{{Text: "x"}, tooLong}, Failed},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, rigOptions{turns: c.turns})
			out := r.turn(TurnOptions{}, c.first)
			o := r.turn(TurnOptions{Thread: out.Thread}, "second")
			if o.Status != c.status || o.Status == Failed && !strings.Contains(o.Error, "start a new thread") {
				t.Errorf("%+v", o)
			}
			if err := r.script.Unused(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestACompactionCanBeStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, rigOptions{turns: []script.Turn{{Text: "x"}, {Text: "half", Stall: true}, {Text: "half", Stall: true}, {Text: "fine"}}})
		out := r.turn(TurnOptions{}, "go")
		stopped := make(chan error, 1)
		r.agent.calls.Go(func() {
			_, _, err := r.agent.Compact(context.Background(), out.Thread)
			stopped <- err
		})
		time.Sleep(time.Second)
		waiting := r.newTurn(TurnOptions{Thread: out.Thread, IfBusy: Queue}, "next")
		if n := len(r.agent.Running()); n != 1 {
			t.Errorf("%d turns", n)
		}
		if err := r.agent.Stop(context.Background(), out.Thread, ""); err != nil {
			t.Error(err)
		}
		if err := <-stopped; !errors.Is(err, tools.ErrStopped) {
			t.Errorf("stopped: %v", err)
		}
		waiting.Run(context.Background())
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if _, _, err := r.agent.Compact(ctx, out.Thread); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("bounded: %v", err)
		}
		if r.find(session.ContextCompacted) != nil {
			t.Error("a compaction that was stopped changed the thread")
		}
		r.rec.reqs = nil // the question for a summary is no item of the thread
		if o := r.turn(TurnOptions{Thread: out.Thread}, "on"); o.Text != "fine" {
			t.Errorf("%+v", o)
		}
	})
}
