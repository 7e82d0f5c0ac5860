package tools

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
func holder(tr *trace, name string, d time.Duration, readOnly bool, locks ...Lock) Tool {
	return fake{spec: Spec{Name: name, ReadOnly: readOnly}, prepare: func(context.Context, Call) (Action, error) {
		return Action{Locks: locks, Run: func(context.Context, Progress) (Result, error) {
			tr.say(name + " begins")
			time.Sleep(d) // virtual
			tr.say(name + " ends")
			return Result{Text: "x"}, nil
		}}, nil
	}}
}

func TestConflictingCallsWaitAndServeFirstComeFirst(t *testing.T) {
	ex := func(r string) []Lock { return []Lock{{Resource: r}} }
	sh := func(r string) []Lock { return []Lock{{Resource: r, Shared: true}} }
	type one struct {
		name     string
		locks    []Lock
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
				var all []Tool
				for i, o := range c.calls {
					all = append(all, holder(tr, o.name, time.Second+time.Duration(i)*time.Millisecond, o.readOnly, o.locks...))
				}
				h, box := pipeline(NewLocks()), boxOf(all...)
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
		f := Lock{Resource: "f"}
		locks := NewLocks()
		h, box := pipeline(locks), boxOf(holder(tr, "a", time.Minute, false, f), holder(tr, "b", time.Second, false, f), holder(tr, "c", time.Second, false, f))
		ctx, stop := context.WithCancel(context.Background())
		var wg conc.WaitGroup
		wg.Go(func() { mustRun(t, h, invoke(box, "a", "{}")) })
		synctest.Wait()
		wg.Go(func() {
			res, err := h(ctx, invoke(box, "b", "{}"))
			if err != nil || res.Outcome != Aborted {
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
func (s *shared) editor(name string) Tool {
	return fake{spec: Spec{Name: name}, prepare: func(context.Context, Call) (Action, error) {
		base := s.look()
		s.mu.Lock()
		s.prepared++
		s.mu.Unlock()
		return Action{
			Effects: []Effect{{Kind: Write, Path: "/f"}}, Locks: []Lock{{Resource: "/f"}}, Preview: Preview{Diff: base},
			Run: func(context.Context, Progress) (Result, error) {
				if s.look() != base {
					return Result{}, Fail("stale")
				}
				time.Sleep(time.Second) // virtual
				s.mu.Lock()
				s.text += name
				s.mu.Unlock()
				return Result{Text: "edited", Changed: []Change{{Path: "/f"}}}, nil
			},
		}, nil
	}}
}

func TestACallWhoseFileOurOwnCallChangedIsPreparedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shared{}
		h := pipeline(NewLocks())
		box := boxOf(s.editor("a"), s.editor("b"))
		var wg conc.WaitGroup
		for _, name := range []string{"a", "b"} {
			wg.Go(func() { wantText(t, mustRun(t, h, invoke(box, name, "{}")), OK, "edited") })
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
		locks := NewLocks()
		var seen []string
		judge := func(next Handler) Handler {
			return func(ctx context.Context, inv *Invocation) (Result, error) {
				inv.OnReprepare(func(_ context.Context, inv *Invocation) error {
					seen = append(seen, fmt.Sprintf("%s sees %q with %d held", inv.Call.Name, inv.Action.Preview.Diff, len(locks.held)))
					return &Refusal{Denied, "no longer"}
				})
				return next(ctx, inv)
			}
		}
		h := Chain(Run, Answer(nil), Lookup(), Validate(), Prepare(), judge, Gate(locks))
		box := boxOf(s.editor("a"), s.editor("b"))
		var wg conc.WaitGroup
		wg.Go(func() { wantText(t, mustRun(t, h, invoke(box, "a", "{}")), OK) })
		synctest.Wait()
		wg.Go(func() { wantText(t, mustRun(t, h, invoke(box, "b", "{}")), Denied, "no longer") })
		wg.Wait()
		if want := []string{`b sees "a" with 0 held`}; !slices.Equal(seen, want) || s.text != "a" {
			t.Errorf("saw %v, text %q", seen, s.text)
		}
	})
}

func TestALockIsGivenBackAfterAPanicAndAnError(t *testing.T) {
	locks := NewLocks()
	for name, run := range map[string]func(context.Context, Progress) (Result, error){
		"panic": func(context.Context, Progress) (Result, error) { panic("boom") },
		"error": func(context.Context, Progress) (Result, error) { return Result{}, errors.New("broken contract") },
	} {
		box := boxOf(fake{spec: Spec{Name: name}, prepare: func(context.Context, Call) (Action, error) {
			return Action{Locks: []Lock{{Resource: "f"}}, Run: run}, nil
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
