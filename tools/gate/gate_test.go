package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sourcegraph/conc"

	"companion/tools"
)

// trace notes in which order things happen.
type trace struct {
	mu   sync.Mutex
	said []string
}

func (t *trace) say(s string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.said = append(t.said, s)
}

// holder runs for d and notes its begin and end.
func holder(tr *trace, name string, d time.Duration, readOnly bool, locks ...tools.Lock) tools.Tool {
	return fake{spec: tools.Spec{Name: name, ReadOnly: readOnly}, prepare: func(context.Context, tools.Call) (tools.Action, error) {
		return tools.Action{Locks: locks, Run: func(context.Context, tools.Progress) (tools.Result, error) {
			tr.say(name + " begins")
			time.Sleep(d) // virtual
			tr.say(name + " ends")
			return tools.Result{Text: "x"}, nil
		}}, nil
	}}
}

func TestConflictingCallsWaitAndServeFirstComeFirst(t *testing.T) {
	ex := func(r string) []tools.Lock { return []tools.Lock{{Resource: r}} }
	sh := func(r string) []tools.Lock { return []tools.Lock{{Resource: r, Shared: true}} }
	type one struct {
		name     string
		locks    []tools.Lock
		readOnly bool
	}
	for name, c := range map[string]struct {
		calls []one
		want  []string
	}{
		"two writers of one file": {
			[]one{{"a", ex("f"), false}, {"b", ex("f"), false}},
			[]string{"a begins", "a ends", "b begins", "b ends"},
		},
		"writers of two files": {
			[]one{{"a", ex("f"), false}, {"b", ex("g"), false}},
			[]string{"a begins", "b begins", "a ends", "b ends"},
		},
		"readers share": {
			[]one{{"a", sh("f"), false}, {"b", sh("f"), false}},
			[]string{"a begins", "b begins", "a ends", "b ends"},
		},
		"a reader does not overtake a waiting writer": {
			[]one{{"a", sh("f"), false}, {"b", ex("f"), false}, {"c", sh("f"), false}},
			[]string{"a begins", "a ends", "b begins", "b ends", "c begins", "c ends"},
		},
		"none declared excludes everything": {
			[]one{{"a", ex("f"), false}, {"b", nil, false}, {"c", ex("g"), false}},
			[]string{"a begins", "a ends", "b begins", "b ends", "c begins", "c ends"},
		},
		"none declared, but read-only, shares with readers": {
			[]one{{"a", nil, true}, {"b", sh("f"), false}, {"c", ex("f"), false}},
			[]string{"a begins", "b begins", "a ends", "b ends", "c begins", "c ends"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr := &trace{}
				var all []tools.Tool
				for i, o := range c.calls {
					all = append(all, holder(tr, o.name, time.Second+time.Duration(i)*time.Millisecond, o.readOnly, o.locks...))
				}
				h, box := pipeline(New()), boxOf(all...)
				var wg conc.WaitGroup
				for _, o := range c.calls {
					wg.Go(func() {
						if _, err := h(context.Background(), invoke(box, o.name, "{}")); err != nil {
							t.Error(err)
						}
					})
					synctest.Wait() // each has reached the gate before the next comes
				}
				wg.Wait()
				if !slices.Equal(tr.said, c.want) {
					t.Errorf("got %v, want %v", tr.said, c.want)
				}
			})
		})
	}
}

func TestAStopWhileWaitingLeavesTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := &trace{}
		f := tools.Lock{Resource: "f"}
		locks := New()
		h, box := pipeline(locks), boxOf(holder(tr, "a", time.Minute, false, f), holder(tr, "b", time.Second, false, f), holder(tr, "c", time.Second, false, f))
		ctx, stop := context.WithCancel(context.Background())
		var wg conc.WaitGroup
		wg.Go(func() { mustRun(t, h, invoke(box, "a", "{}")) })
		synctest.Wait()
		wg.Go(func() {
			res, err := h(ctx, invoke(box, "b", "{}"))
			if err != nil || res.Outcome != tools.Aborted {
				t.Errorf("got %v, %v", res, err)
			}
		})
		synctest.Wait()
		wg.Go(func() { mustRun(t, h, invoke(box, "c", "{}")) })
		synctest.Wait()
		stop()
		wg.Wait()
		if want := []string{"a begins", "a ends", "c begins", "c ends"}; !slices.Equal(tr.said, want) {
			t.Errorf("got %v", tr.said)
		}
		if len(locks.held)+len(locks.waiting) > 0 {
			t.Errorf("left behind: %v, %v", locks.held, locks.waiting)
		}
	})
}

// shared is a text that tools edit.
type shared struct {
	mu       sync.Mutex
	text     string
	prepared int
}

func (s *shared) look() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text
}

// editor is a tool that appends its name. Its preparation remembers what it
// saw, and running on another text is an error.
func (s *shared) editor(name string) tools.Tool {
	return fake{spec: tools.Spec{Name: name}, prepare: func(context.Context, tools.Call) (tools.Action, error) {
		base := s.look()
		s.mu.Lock()
		s.prepared++
		s.mu.Unlock()
		return tools.Action{
			Effects: []tools.Effect{{Kind: tools.Write, Path: "/f"}}, Locks: []tools.Lock{{Resource: "/f"}}, Preview: tools.Preview{Diff: base},
			Run: func(context.Context, tools.Progress) (tools.Result, error) {
				if s.look() != base {
					return tools.Result{}, tools.Fail("stale")
				}
				time.Sleep(time.Second) // virtual
				s.mu.Lock()
				s.text += name
				s.mu.Unlock()
				return tools.Result{Text: "edited", Changed: []tools.Change{{Path: "/f"}}}, nil
			},
		}, nil
	}}
}

func TestACallWhoseFileOurOwnCallChangedIsPreparedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shared{}
		h := pipeline(New())
		box := boxOf(s.editor("a"), s.editor("b"))
		var wg conc.WaitGroup
		for _, name := range []string{"a", "b"} {
			wg.Go(func() { wantText(t, mustRun(t, h, invoke(box, name, "{}")), tools.OK, "edited") })
			synctest.Wait()
		}
		wg.Wait()
		if s.text != "ab" || s.prepared != 3 {
			t.Errorf("text %q after %d preparations, want ab after 3", s.text, s.prepared)
		}
	})
}

func TestChecksRunAgainOnANewPreparationWithoutTheLocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shared{}
		locks := New()
		var seen []string
		judge := func(next tools.Handler) tools.Handler {
			return func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
				inv.OnReprepare(func(_ context.Context, inv *tools.Invocation) error {
					seen = append(seen, fmt.Sprintf("%s sees %q with %d held", inv.Call.Name, inv.Action.Preview.Diff, len(locks.held)))
					return &tools.Refusal{Outcome: tools.Denied, Text: "no longer"}
				})
				return next(ctx, inv)
			}
		}
		h := tools.Chain(tools.Run, tools.Answer(nil), tools.Lookup(), tools.Validate(), tools.Prepare(), judge, Stage(locks))
		box := boxOf(s.editor("a"), s.editor("b"))
		var wg conc.WaitGroup
		wg.Go(func() { wantText(t, mustRun(t, h, invoke(box, "a", "{}")), tools.OK) })
		synctest.Wait()
		wg.Go(func() { wantText(t, mustRun(t, h, invoke(box, "b", "{}")), tools.Denied, "no longer") })
		wg.Wait()
		if want := []string{`b sees "a" with 0 held`}; !slices.Equal(seen, want) || s.text != "a" {
			t.Errorf("saw %v, text %q", seen, s.text)
		}
	})
}

func TestALockIsGivenBackAfterAPanicAndAnError(t *testing.T) {
	locks := New()
	for name, run := range map[string]func(context.Context, tools.Progress) (tools.Result, error){
		"panic": func(context.Context, tools.Progress) (tools.Result, error) { panic("boom") },
		"error": func(context.Context, tools.Progress) (tools.Result, error) {
			return tools.Result{}, errors.New("broken contract")
		},
	} {
		box := boxOf(fake{spec: tools.Spec{Name: name}, prepare: func(context.Context, tools.Call) (tools.Action, error) {
			return tools.Action{Locks: []tools.Lock{{Resource: "f"}}, Run: run}, nil
		}})
		_, err := pipeline(locks)(context.Background(), invoke(box, name, "{}"))
		if (name == "error") != (err != nil) {
			t.Errorf("%s gave %v", name, err)
		}
		if len(locks.held) > 0 {
			t.Errorf("%s keeps its lock", name)
		}
	}
}
