package attempt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"companion/tools"
)

// fake is a tool whose parts a test gives.
type fake struct {
	spec   tools.Spec
	action tools.Action
	ready  func(context.Context) error // nil = at all times
}

func (f fake) Spec() tools.Spec { return f.spec }

func (f fake) Prepare(context.Context, tools.Call) (tools.Action, error) { return f.action, nil }

func (f fake) WaitReady(ctx context.Context) error {
	if f.ready == nil {
		return nil
	}
	return f.ready(ctx)
}

func run(t *testing.T, ctx context.Context, f fake, stages ...tools.Stage) (tools.Result, *tools.Invocation) {
	t.Helper()
	f.spec.Name = "x"
	box := tools.NewRegistry(f).Box(tools.BoxOptions{})
	inv := &tools.Invocation{Box: box, Call: tools.Call{Thread: "t", Turn: "u", ID: "c1", Name: "x", Raw: json.RawMessage("{}")}}
	h := tools.Chain(tools.Run, append([]tools.Stage{tools.Answer(nil), tools.Lookup(), tools.Validate(), tools.Prepare()}, stages...)...)
	res, err := h(ctx, inv)
	if err != nil {
		t.Errorf("the turn ended: %v", err)
	}
	return res, inv
}

func want(t *testing.T, res tools.Result, outcome tools.Outcome, parts ...string) {
	t.Helper()
	if res.Outcome != outcome {
		t.Errorf("outcome %q, want %q: %s", res.Outcome, outcome, res.Text)
	}
	for _, p := range parts {
		if !strings.Contains(res.Text, p) {
			t.Errorf("the text lacks %q:\n%s", p, res.Text)
		}
	}
}

// tries fails n times by err, then it is well.
func tries(n int, err error, ran *int) tools.Action {
	return tools.Action{Run: func(context.Context, tools.Progress) (tools.Result, error) {
		*ran++
		if *ran <= n {
			return tools.Result{}, err
		}
		return tools.Result{Text: "well"}, nil
	}}
}

func TestOnlyWhatHasNoEffectsIsTriedAgainAndOnce(t *testing.T) {
	broke := fmt.Errorf("the connection broke: %w", tools.ErrTransient)
	refused := fmt.Errorf("%w (%w)", tools.Fail("no answer"), tools.ErrTransient)
	for name, c := range map[string]struct {
		readOnly bool
		effects  []tools.Effect
		err      error
		fails    int
		ran      int
		outcome  tools.Outcome
		words    string
	}{
		"a read":                    {true, nil, broke, 1, 2, tools.OK, "well"},
		"a read that refuses":       {true, nil, refused, 1, 2, tools.OK, "well"},
		"a read of the network":     {true, []tools.Effect{{Kind: tools.Network, Host: "h"}}, broke, 1, 2, tools.OK, "well"},
		"a read that fails twice":   {true, nil, broke, 9, 2, tools.Failed, "failed twice in the same way"},
		"a read, in another way":    {true, nil, tools.Fail("no such file"), 9, 1, tools.Failed, "no such file"},
		"a writer":                  {false, nil, broke, 9, 1, tools.Failed, "It may have happened"},
		"a reader that can write":   {true, []tools.Effect{{Kind: tools.Write, Path: "/f"}}, broke, 9, 1, tools.Failed, "the connection broke"},
		"a reader that can command": {true, []tools.Effect{{Kind: tools.Command}}, broke, 9, 1, tools.Failed, "the connection broke"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ran := 0
				a := tries(c.fails, c.err, &ran)
				a.Effects = c.effects
				res, inv := run(t, context.Background(), fake{spec: tools.Spec{ReadOnly: c.readOnly}, action: a}, Retry())
				want(t, res, c.outcome, c.words)
				if ran != c.ran {
					t.Errorf("ran %d times, want %d", ran, c.ran)
				}
				if c.ran == 2 && inv.Queued != Pause {
					t.Errorf("queued %v, want the pause", inv.Queued)
				}
			})
		})
	}
}

func TestAStopEndsThePauseBeforeTheSecondTry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		time.AfterFunc(Pause/2, stop)
		ran := 0
		res, _ := run(t, ctx, fake{spec: tools.Spec{ReadOnly: true}, action: tries(9, tools.ErrTransient, &ran)}, Retry())
		want(t, res, tools.Aborted, "Aborted by the user after 0.1 s")
		if ran != 1 {
			t.Errorf("ran %d times", ran)
		}
	})
}

func TestACallWaitsForItsServerAndIsToldWhatIsWrongWithIt(t *testing.T) {
	for name, c := range map[string]struct {
		ready   func(context.Context) error
		outcome tools.Outcome
		words   string
		queued  time.Duration
	}{
		"at all times": {nil, tools.OK, "well", 0},
		"after a while": {func(context.Context) error {
			time.Sleep(5 * time.Second) // virtual
			return nil
		}, tools.OK, "well", 5 * time.Second},
		"never": {func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}, tools.Timeout, "not ready within 1m30s", MaxWait},
		"broken":       {func(context.Context) error { return errors.New("exit status 1") }, tools.Failed, "did not start: exit status 1", 0},
		"in own words": {func(context.Context) error { return &tools.Refusal{Outcome: tools.Blocked, Text: "log in first"} }, tools.Blocked, "log in first", 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ran := 0
				res, inv := run(t, context.Background(), fake{action: tries(0, nil, &ran), ready: c.ready}, Wait())
				want(t, res, c.outcome, c.words)
				if inv.Queued != c.queued || (ran == 1) != (c.outcome == tools.OK) {
					t.Errorf("queued %v, ran %d times", inv.Queued, ran)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		time.AfterFunc(time.Second, stop)
		res, _ := run(t, ctx, fake{ready: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}, Wait())
		want(t, res, tools.Aborted, "Aborted by the user after 1.0 s. It was not run.")
	})
}

// before keeps what it is asked to record.
type before struct {
	said []string
	err  error
}

func (b *before) Before(_ context.Context, thread, turn, call string, paths []string) error {
	b.said = append(b.said, thread+" "+turn+" "+call+" "+strings.Join(paths, ","))
	return b.err
}

func TestWhatACallWillChangeIsRecordedBefore(t *testing.T) {
	ran := 0
	a := tries(0, nil, &ran)
	a.Effects = []tools.Effect{{Kind: tools.Write, Path: "/a"}, {Kind: tools.Read, Path: "/r"}, {Kind: tools.Write, Path: "/b"}, {Kind: tools.Write, Path: "/a"}}
	b := &before{}
	res, _ := run(t, context.Background(), fake{action: a}, Checkpoint(b))
	want(t, res, tools.OK, "well")
	if !slices.Equal(b.said, []string{"t u c1 /a,/b"}) {
		t.Errorf("recorded %q", b.said)
	}
	b.err = errors.New("disk full")
	res, _ = run(t, context.Background(), fake{action: a}, Checkpoint(b))
	want(t, res, tools.Failed, "was not run", "could not be recorded", "disk full")
	if ran != 1 {
		t.Errorf("ran %d times", ran)
	}
	res, _ = run(t, context.Background(), fake{action: a}, Checkpoint(nil))
	want(t, res, tools.OK, "well")
	a.Effects = nil
	res, _ = run(t, context.Background(), fake{action: a}, Checkpoint(b))
	want(t, res, tools.OK, "well")
}

// policy denies or asks for what has the effect escalate, and counts.
func policy(answer error, asked *int) tools.Stage {
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
			inv.OnReprepare(func(_ context.Context, inv *tools.Invocation) error {
				*asked++
				if len(inv.Action.Effects) != 2 || inv.Action.Effects[1].Kind != tools.Escalate {
					return errors.New("judged by other effects")
				}
				return answer
			})
			return next(ctx, inv)
		}
	}
}

func TestWhatTheSandboxDeniedIsRunOnceMoreWithAYes(t *testing.T) {
	more := []tools.Effect{{Kind: tools.Command, Command: "make"}, {Kind: tools.Escalate}}
	free := tools.Action{Effects: more, Run: func(context.Context, tools.Progress) (tools.Result, error) {
		return tools.Result{Text: "made outside"}, nil
	}}
	again := free
	again.Run = func(context.Context, tools.Progress) (tools.Result, error) {
		return tools.Result{}, &Confined{Why: "the network", Again: free}
	}
	silent := free
	silent.Effects = nil
	for name, c := range map[string]struct {
		again   tools.Action
		answer  error
		asked   int
		outcome tools.Outcome
		words   []string
	}{
		"a yes":                       {free, nil, 1, tools.OK, []string{"made outside"}},
		"a no":                        {free, &tools.Refusal{Outcome: tools.Denied, Text: "the user refused"}, 1, tools.Denied, []string{"denied it: writing /etc", "What it did until then stands", "the user refused"}},
		"denied outside too":          {again, nil, 1, tools.Failed, []string{"the sandbox denied it: the network"}},
		"nothing to be had":           {tools.Action{}, nil, 0, tools.Failed, []string{"the sandbox denied it: writing /etc"}},
		"more rights without a judge": {silent, nil, 0, tools.Failed, []string{"the sandbox denied it: writing /etc"}},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			boxed := tools.Action{Activity: "Making", Run: func(context.Context, tools.Progress) (tools.Result, error) {
				return tools.Result{}, &Confined{Why: "writing /etc", Again: c.again}
			}}
			res, inv := run(t, context.Background(), fake{action: boxed}, policy(c.answer, &asked), Escalate())
			want(t, res, c.outcome, c.words...)
			if asked != c.asked || inv.Action.Activity != "Making" {
				t.Errorf("asked %d times, want %d; activity %q", asked, c.asked, inv.Action.Activity)
			}
		})
	}
}
