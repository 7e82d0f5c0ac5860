package gate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sourcegraph/conc"

	"companion/tools"
)

// one is a call of a step: what it touches and how long each part takes.
type one struct {
	name     string
	locks    []tools.Lock
	readOnly bool
	prepares time.Duration
	asks     time.Duration // how long a person thinks; 0 = nobody is asked
	runs     time.Duration
}

// step runs calls as agent/calls does: all at once, with places in call order.
// It gives what happened, and how long it took in virtual time.
func step(t *testing.T, locks *Locks, calls ...one) (said []string, took time.Duration) {
	t.Helper()
	tr := &trace{}
	asks := map[string]time.Duration{}
	var all []tools.Tool
	for _, o := range calls {
		asks[o.name] = o.asks
		run := holder(tr, o.name, o.runs, o.readOnly, o.locks...)
		all = append(all, fake{run.Spec(), func(ctx context.Context, c tools.Call) (tools.Action, error) {
			time.Sleep(o.prepares) // virtual
			return run.Prepare(ctx, c)
		}})
	}
	policy := func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
			inv.Verdict.Allow = asks[inv.Call.Name] == 0
			return next(ctx, inv)
		}
	}
	approval := func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
			time.Sleep(asks[inv.Call.Name]) // virtual
			return next(ctx, inv)
		}
	}
	h := tools.Chain(tools.Run, tools.Answer(nil), tools.Lookup(), tools.Validate(), tools.Prepare(), policy, Declare(), approval, Stage(locks))
	box, line := boxOf(all...), NewLine()
	start := time.Now()
	var wg conc.WaitGroup
	for _, o := range calls {
		inv, place := invoke(box, o.name, "{}"), line.Join(o.readOnly)
		inv.Order = place
		wg.Go(func() {
			defer place.Leave()
			if _, err := h(context.Background(), inv); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	return tr.said, time.Since(start)
}

func TestCallsOfAStepRunInCallOrderWhereTheyConflict(t *testing.T) {
	ex := func(r string) []tools.Lock { return []tools.Lock{{Resource: r}} }
	sh := func(r string) []tools.Lock { return []tools.Lock{{Resource: r, Shared: true}} }
	const s, ms = time.Second, time.Millisecond
	for name, c := range map[string]struct {
		calls []one
		want  string
		took  time.Duration
	}{
		"two edits of one file, the first slow to prepare": {
			[]one{{name: "a", locks: ex("f"), prepares: s, runs: s}, {name: "b", locks: ex("f"), runs: s}},
			"a begins, a ends, b begins, b ends", 3 * s,
		},
		"two edits of different files": {
			[]one{{name: "a", locks: ex("f"), runs: s}, {name: "b", locks: ex("g"), runs: 2 * s}},
			"a begins, b begins, a ends, b ends", 2 * s,
		},
		"a command waits for what is before it and holds up what follows": {
			[]one{{name: "a", locks: ex("f"), runs: s}, {name: "cmd", runs: s}, {name: "b", locks: ex("g"), runs: s}},
			"a begins, a ends, cmd begins, cmd ends, b begins, b ends", 3 * s,
		},
		"what is allowed does not queue behind a command that asks": {
			[]one{{name: "cmd", asks: time.Minute, runs: s}, {name: "read", locks: sh("f"), readOnly: true, runs: s}, {name: "edit", locks: ex("f"), runs: s}},
			"read begins, read ends, edit begins, edit ends, cmd begins, cmd ends", time.Minute + s,
		},
		"a read of a file waits for the edit of it that asks": {
			[]one{{name: "edit", locks: ex("f"), asks: time.Minute, runs: s}, {name: "read", locks: sh("f"), readOnly: true, runs: s}, {name: "other", locks: sh("g"), readOnly: true, runs: s + ms}},
			"other begins, other ends, edit begins, edit ends, read begins, read ends", time.Minute + 2*s,
		},
		"the person is one resource": {
			[]one{{name: "q1", locks: ex("user"), runs: s}, {name: "q2", locks: ex("user"), runs: s}, {name: "read", locks: sh("f"), readOnly: true, runs: s + ms}},
			"q1 begins, read begins, q1 ends, q2 begins, read ends, q2 ends", 2 * s,
		},
		"the terminal is one resource": {
			[]one{{name: "t1", locks: ex("terminal"), runs: s}, {name: "t2", locks: ex("terminal"), runs: s}},
			"t1 begins, t1 ends, t2 begins, t2 ends", 2 * s,
		},
		"a reader that prepares holds up no reader": {
			[]one{{name: "a", readOnly: true, prepares: time.Minute, runs: s}, {name: "b", locks: sh("f"), readOnly: true, runs: s}},
			"b begins, b ends, a begins, a ends", time.Minute + s,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				said, took := step(t, New(), c.calls...)
				if name == "two edits of different files" || strings.HasPrefix(name, "the person") {
					slices.SortStableFunc(said[:2], strings.Compare) // they begin at one moment
				}
				if got := strings.Join(said, ", "); got != c.want || took != c.took {
					t.Errorf("after %v: %s\nwant after %v: %s", took, got, c.took, c.want)
				}
			})
		})
	}
}

func TestEightCallsRunAtTheSameTimeAndTheNinthWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls []one
		for i := range 8 {
			calls = append(calls, one{name: fmt.Sprint("c", i), locks: []tools.Lock{{Resource: fmt.Sprint(i)}}, runs: 300 * time.Millisecond})
		}
		if _, took := step(t, New(), calls...); took != 300*time.Millisecond {
			t.Errorf("eight calls of 300 ms took %v", took)
		}
		calls = append(calls, one{name: "c8", readOnly: true, locks: []tools.Lock{{Resource: "x", Shared: true}}, runs: 300 * time.Millisecond})
		if _, took := step(t, New(), calls...); took != 600*time.Millisecond {
			t.Errorf("nine calls of 300 ms took %v", took)
		}
	})
}

// Of a hundred calls that wait for the first, none keeps the first from running.
func TestManyWaitingCallsDoNotKeepOutTheOneThatTheyWaitFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := []one{{name: "first", prepares: time.Minute, runs: time.Second}}
		for i := range 100 {
			calls = append(calls, one{name: fmt.Sprint("c", i), locks: []tools.Lock{{Resource: "f"}}, runs: time.Millisecond})
		}
		said, took := step(t, New(), calls...)
		if said[0] != "first begins" || took != time.Minute+time.Second+100*time.Millisecond {
			t.Errorf("%s first, took %v", said[0], took)
		}
	})
}

// A stream of readers from other threads does not starve a writer, nor one of
// writers a reader.
func TestNobodyStarves(t *testing.T) {
	for name, shared := range map[string]bool{"a writer among readers": true, "a reader among writers": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				locks := New()
				stream := []tools.Lock{{Resource: "f", Shared: shared}}
				ctx, stop := context.WithCancel(context.Background())
				var wg conc.WaitGroup
				for i := range 4 { // they overlap, so that f is never free by itself
					wg.Go(func() {
						time.Sleep(time.Duration(i) * 300 * time.Millisecond)
						for ctx.Err() == nil {
							if tk, err := locks.acquire(ctx, stream, nil); err == nil {
								time.Sleep(time.Second) // virtual
								locks.release(tk)
							}
						}
					})
				}
				time.Sleep(10 * time.Second) // virtual
				start := time.Now()
				tk, err := locks.acquire(ctx, []tools.Lock{{Resource: "f", Shared: !shared}}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); took > 4*time.Second {
					t.Errorf("waited %v", took)
				}
				locks.release(tk)
				stop()
				wg.Wait()
			})
		})
	}
}

// A refusal of Prepare holds only once the calls in front have had their
// effects.
func TestAnEditOfAFileThatTheCallBeforeMakesIsPreparedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made atomic.Bool
		write := fake{tools.Spec{Name: "write"}, func(context.Context, tools.Call) (tools.Action, error) {
			return tools.Action{Locks: []tools.Lock{{Resource: "/f"}}, Run: func(context.Context, tools.Progress) (tools.Result, error) {
				time.Sleep(time.Second) // virtual
				made.Store(true)
				return tools.Result{Text: "made", Changed: []tools.Change{{Path: "/f", Created: true}}}, nil
			}}, nil
		}}
		edit := fake{tools.Spec{Name: "edit"}, func(context.Context, tools.Call) (tools.Action, error) {
			if !made.Load() {
				return tools.Action{}, tools.Fail("no such file")
			}
			return tools.Action{Locks: []tools.Lock{{Resource: "/f"}}, Run: func(context.Context, tools.Progress) (tools.Result, error) {
				return tools.Result{Text: "edited"}, nil
			}}, nil
		}}
		box, line, h := boxOf(write, edit), NewLine(), pipeline(New())
		var wg conc.WaitGroup
		run := func(name string, outcome tools.Outcome, words string) {
			inv, place := invoke(box, name, "{}"), line.Join(false)
			inv.Order = place
			wg.Go(func() {
				defer place.Leave()
				wantText(t, mustRun(t, h, inv), outcome, words)
			})
		}
		run("write", tools.OK, "made")
		run("edit", tools.OK, "edited")
		wg.Wait()
		made.Store(false)
		run("edit", tools.Failed, "no such file")
		wg.Wait()
	})
}

// A command may have changed anything: what was prepared before it ended is
// prepared again.
func TestWhatWasPreparedBeforeACommandEndedIsPreparedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shared{text: "x"}
		command := fake{tools.Spec{Name: "command"}, func(context.Context, tools.Call) (tools.Action, error) {
			return tools.Action{Run: func(context.Context, tools.Progress) (tools.Result, error) {
				time.Sleep(time.Second) // virtual
				s.mu.Lock()
				s.text += "!" // and says nothing of it
				s.mu.Unlock()
				return tools.Result{Text: "ran"}, nil
			}}, nil
		}}
		box, line, h := boxOf(command, s.editor("a")), NewLine(), pipeline(New())
		var wg conc.WaitGroup
		for _, name := range []string{"command", "a"} {
			inv, place := invoke(box, name, "{}"), line.Join(false)
			inv.Order = place
			wg.Go(func() {
				defer place.Leave()
				wantText(t, mustRun(t, h, inv), tools.OK)
			})
		}
		wg.Wait()
		if s.text != "x!a" {
			t.Errorf("text %q", s.text)
		}
	})
}

// Where only line numbers moved, nothing is asked again.
func TestChecksDoNotRunAgainWhereOnlyLinesMoved(t *testing.T) {
	before := tools.Action{Effects: []tools.Effect{{Kind: tools.Write, Path: "/f"}}, Preview: tools.Preview{Diff: "@@ -1 +1 @@\n near\n-a\n+b\n"}}
	moved := before
	moved.Preview.Diff = "@@ -7 +7 @@\n far\n-a\n+b\n"
	if !same(before, moved) {
		t.Error("line numbers count")
	}
	for name, change := range map[string]func(*tools.Action){
		"the change":  func(a *tools.Action) { a.Preview.Diff = "@@ -1 +1 @@\n near\n-a\n+c\n" },
		"an effect":   func(a *tools.Action) { a.Effects = []tools.Effect{{Kind: tools.Write, Path: "/g"}} },
		"a lock":      func(a *tools.Action) { a.Locks = []tools.Lock{{Resource: "/g"}} },
		"the command": func(a *tools.Action) { a.Preview.Command = "ls" },
		"the folder":  func(a *tools.Action) { a.Preview.Cwd = "/" },
		"the text":    func(a *tools.Action) { a.Preview.Text = "x" },
	} {
		other := before
		change(&other)
		if same(before, other) {
			t.Errorf("%s does not count", name)
		}
	}
}

func TestAFileThatChangesEveryTimeIsGivenUp(t *testing.T) {
	locks := New()
	n := 0
	box := boxOf(fake{tools.Spec{Name: "edit"}, func(context.Context, tools.Call) (tools.Action, error) {
		n++
		locks.leave(&ticket{}, []tools.Change{{Path: "/f"}}, &tools.Invocation{})
		return tools.Action{
			Effects: []tools.Effect{{Kind: tools.Write, Path: "/f"}}, Locks: []tools.Lock{{Resource: "/f"}}, Preview: tools.Preview{Text: fmt.Sprint(n)},
			Run: func(context.Context, tools.Progress) (tools.Result, error) {
				t.Error("it ran")
				return tools.Result{}, nil
			},
		}, nil
	}})
	wantText(t, mustRun(t, pipeline(locks), invoke(box, "edit", "{}")), tools.Failed, "was changed by other calls each time")
	if n > rounds+1 {
		t.Errorf("prepared %d times", n)
	}
}

func TestAStopInTheLineIsHeardAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line := NewLine()
		line.Join(false)
		second := line.Join(false)
		ctx, stop := context.WithCancel(context.Background())
		time.AfterFunc(time.Second, stop)
		if err := second.wait(ctx, unknown(false)); err == nil {
			t.Error("it went on")
		}
		if waited, err := second.Settled(ctx); !waited || err == nil {
			t.Error("it settled")
		}
	})
}
