package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/sourcegraph/conc"
)

func running(name string, spec Spec, run func(context.Context, Progress) (Result, error)) *Box {
	spec.Name = name
	return boxOf(fake{spec: spec, prepare: func(context.Context, Call) (Action, error) { return Action{Run: run}, nil }})
}

func TestAPanicFailsTheCallAndIsLogged(t *testing.T) {
	var log bytes.Buffer
	h := Chain(Run, Answer(slog.New(slog.NewTextHandler(&log, nil))), Lookup(), Validate(), Prepare())
	box := running("bad", Spec{}, func(context.Context, Progress) (Result, error) { panic("boom") })
	wantText(t, mustRun(t, h, invoke(box, "bad", "{}")), Failed, "a defect of companion (boom)", "may have had part of its effect")
	if !strings.Contains(log.String(), "run_test.go") {
		t.Errorf("the log lacks the place: %s", log.String())
	}
	box = boxOf(fake{spec: Spec{Name: "bad"}, prepare: func(context.Context, Call) (Action, error) { panic("early") }})
	wantText(t, mustRun(t, h, invoke(box, "bad", "{}")), Failed, "early")
}

func TestEveryErrorOfACallBecomesWordsOrEndsTheTurn(t *testing.T) {
	broken := errors.New("broken contract")
	for name, c := range map[string]struct {
		err     error
		outcome Outcome
		words   string
	}{
		"refusal":         {Fail("not so"), Failed, "not so"},
		"wrapped refusal": {fmt.Errorf("x: %w", &Refusal{Denied, "no"}), Denied, "no"},
		"own deadline":    {fmt.Errorf("x: %w", context.DeadlineExceeded), Timeout, "Timed out after"},
		"own cancel":      {context.Canceled, Failed, "cancelled by itself"},
		"stopped":         {ErrStopped, Aborted, "stopped the turn"},
		"broken contract": {broken, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			box := running("x", Spec{}, func(context.Context, Progress) (Result, error) { return Result{}, c.err })
			res, err := pipeline()(context.Background(), invoke(box, "x", "{}"))
			switch {
			case errors.Is(c.err, broken) || errors.Is(c.err, ErrStopped):
				if !errors.Is(err, c.err) {
					t.Errorf("got %v", err)
				}
			case err != nil:
				t.Errorf("the turn ended: %v", err)
			}
			if c.outcome != "" {
				wantText(t, res, c.outcome, c.words)
			}
		})
	}
}

func TestAResultIsNeverEmpty(t *testing.T) {
	for name, c := range map[string]struct {
		res   Result
		words string
	}{
		"nothing":                          {Result{}, "x ended well and gave no output."},
		"failed":                           {Result{Outcome: Failed, Text: " \n"}, "x: failed, and gave no output."},
		"an image":                         {Result{Content: []Content{{Kind: ImageContent}}}, "1 items that are no text"},
		"structured (HB-171)":              {Result{Structured: []byte(`{"n":1}`), Content: []Content{}}, `{"n":1}`},
		"a failure with an image (HB-171)": {Result{Outcome: Failed, Content: []Content{{Kind: ImageContent}}}, "1 items that are no text"},
	} {
		t.Run(name, func(t *testing.T) {
			box := running("x", Spec{}, func(context.Context, Progress) (Result, error) { return c.res, nil })
			res := mustRun(t, pipeline(), invoke(box, "x", "{}"))
			wantText(t, res, res.Outcome, c.words)
			if res.Outcome == "" {
				t.Error("no outcome")
			}
		})
	}
}

// stopped runs a tool, stops it after 3 s of virtual time, and gives result and
// the time from the stop to it.
func stopped(t *testing.T, spec Spec, run func(context.Context, Progress) (Result, error)) (Result, time.Duration) {
	t.Helper()
	var res Result
	var took time.Duration
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	inv := invoke(running("x", spec, run), "x", "{}")
	var wg conc.WaitGroup
	var at time.Time
	wg.Go(func() {
		var err error
		if res, err = pipeline()(ctx, inv); err != nil {
			t.Error(err)
		}
		took = time.Since(at)
	})
	time.Sleep(3 * time.Second) // virtual
	at = time.Now()
	stop()
	wg.Wait()
	if inv.Ran < 3*time.Second || inv.Queued >= time.Second {
		t.Errorf("ran %s, queued %s", inv.Ran, inv.Queued)
	}
	return res, took
}

func TestAStopCancelsAndSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		res, took := stopped(t, Spec{}, func(ctx context.Context, _ Progress) (Result, error) {
			<-ctx.Done()
			return Result{}, ctx.Err()
		})
		wantText(t, res, Aborted, "Aborted by the user after 3.0 s.", "It may have happened")
		if took != 0 {
			t.Errorf("took %s", took)
		}
	})
}

func TestAToolThatCleansUpKeepsItsWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		res, _ := stopped(t, Spec{}, func(ctx context.Context, _ Progress) (Result, error) {
			<-ctx.Done()
			time.Sleep(time.Second) // virtual
			return Result{Outcome: Aborted, Text: "half: abc"}, nil
		})
		wantText(t, res, Aborted, "half: abc")
	})
}

func TestAToolThatIgnoresAStopIsLeftAfterTheGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		res, took := stopped(t, Spec{ReadOnly: true}, func(context.Context, Progress) (Result, error) {
			<-release
			return Result{}, nil
		})
		wantText(t, res, Aborted, "Aborted by the user after")
		if took != Grace {
			t.Errorf("took %s, want %s", took, Grace)
		}
		close(release)
	})
}

func TestAToolThatFinishesIsNotCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		res, took := stopped(t, Spec{Finish: true}, func(ctx context.Context, _ Progress) (Result, error) {
			time.Sleep(4 * time.Second) // virtual: one second past the stop
			return Result{Text: "done"}, ctx.Err()
		})
		wantText(t, res, OK, "done")
		if took != time.Second {
			t.Errorf("took %s", took)
		}
	})
}

func TestAToolThatWouldNotFinishIsCancelledBeforeItIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		res, took := stopped(t, Spec{Finish: true}, func(ctx context.Context, _ Progress) (Result, error) {
			<-ctx.Done()
			return Result{}, ctx.Err()
		})
		wantText(t, res, Aborted, "Aborted by the user after")
		if took >= Grace {
			t.Errorf("took %s", took)
		}
	})
}

func TestACallThatIsStoppedBeforeItRunsSaysThatItWasNotRun(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	box := running("x", Spec{}, func(context.Context, Progress) (Result, error) {
		t.Error("it ran")
		return Result{}, nil
	})
	res, err := pipeline()(ctx, invoke(box, "x", "{}"))
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, res, Aborted, "It was not run.")
}

func TestStartedComesOnceAndAfterPreparation(t *testing.T) {
	n := &notices{}
	inv := invoke(boxOf(fake{spec: Spec{Name: "x"}, prepare: func(context.Context, Call) (Action, error) {
		if n.started > 0 {
			t.Error("started before it was known what would run")
		}
		return Action{Run: func(context.Context, Progress) (Result, error) {
			if n.started != 1 {
				t.Error("it runs and was not started")
			}
			return Result{}, nil
		}}, nil
	}}), "x", "{}")
	inv.Notices = n
	mustRun(t, pipeline(), inv)
	if n.started != 1 || inv.Action.Activity != "Running x" {
		t.Errorf("started %d times, activity %q", n.started, inv.Action.Activity)
	}
}

func TestWhatACallThatWasCutShortPrintedIsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		res, _ := stopped(t, Spec{}, func(_ context.Context, out Progress) (Result, error) {
			out.Output("building a\n")
			out.Output("building b\n")
			<-release
			return Result{}, nil
		})
		wantText(t, res, Aborted, "Aborted by the user after 5.0 s. It may have happened, or a part of it", "Output so far:\nbuilding a\nbuilding b\n")
		close(release)
	})
	box := running("x", Spec{}, func(_ context.Context, out Progress) (Result, error) {
		for range 1000 {
			out.Output("äöü 56789\n")
		}
		return Result{}, context.DeadlineExceeded
	})
	res := mustRun(t, pipeline(), invoke(box, "x", "{}"))
	wantText(t, res, Timeout, "Timed out after", "It may have happened", " of 13000 bytes of output so far:\n")
	if len(res.Text) > tailBytes+300 || !utf8.ValidString(res.Text) {
		t.Errorf("%d bytes, valid %v", len(res.Text), utf8.ValidString(res.Text))
	}
}

func TestAPassingFailureIsAResult(t *testing.T) {
	for name, spec := range map[string]Spec{"a writer": {}, "a reader": {ReadOnly: true}} {
		box := running("x", spec, func(context.Context, Progress) (Result, error) {
			return Result{}, fmt.Errorf("the server restarts: %w", ErrTransient)
		})
		res := mustRun(t, pipeline(), invoke(box, "x", "{}"))
		wantText(t, res, Failed, "x failed: the server restarts")
		if strings.Contains(res.Text, "may have happened") == spec.ReadOnly {
			t.Errorf("%s: %s", name, res.Text)
		}
	}
}

func TestTimesAddUpWhateverTheEnd(t *testing.T) {
	wait := func(d time.Duration) Stage {
		return func(next Handler) Handler {
			return func(ctx context.Context, inv *Invocation) (Result, error) {
				time.Sleep(d) // virtual
				return next(ctx, inv)
			}
		}
	}
	block := func(Handler) Handler {
		return func(context.Context, *Invocation) (Result, error) { return Result{}, &Refusal{Blocked, "no"} }
	}
	twice := func(next Handler) Handler {
		return func(ctx context.Context, inv *Invocation) (Result, error) {
			if _, err := next(ctx, inv); err != nil {
				return Result{}, err
			}
			time.Sleep(time.Second) // virtual
			return next(ctx, inv)
		}
	}
	after := func(next Handler) Handler {
		return func(ctx context.Context, inv *Invocation) (Result, error) {
			defer time.Sleep(time.Hour) // virtual: what follows a run is neither queued nor run
			return next(ctx, inv)
		}
	}
	for name, c := range map[string]struct {
		stages      []Stage
		queued, ran time.Duration
	}{
		"ran":       {[]Stage{wait(2 * time.Second)}, 2 * time.Second, 3 * time.Second},
		"blocked":   {[]Stage{wait(2 * time.Second), block}, 2 * time.Second, 0},
		"run twice": {[]Stage{wait(2 * time.Second), twice}, 3 * time.Second, 6 * time.Second},
		"hooked":    {[]Stage{after, wait(time.Second)}, time.Second, 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				box := running("x", Spec{}, func(context.Context, Progress) (Result, error) {
					time.Sleep(3 * time.Second) // virtual
					return Result{}, nil
				})
				inv := invoke(box, "x", "{}")
				h := Chain(Run, append([]Stage{Answer(nil), Lookup(), Validate(), Prepare()}, c.stages...)...)
				mustRun(t, h, inv)
				if inv.Queued != c.queued || inv.Ran != c.ran {
					t.Errorf("queued %v, ran %v; want %v, %v", inv.Queued, inv.Ran, c.queued, c.ran)
				}
			})
		})
	}
}

func TestARefusedCallReachesNoStage(t *testing.T) {
	n := &notices{}
	inv := invoke(running("x", Spec{}, func(context.Context, Progress) (Result, error) {
		t.Error("it ran")
		return Result{}, nil
	}), "x", "{}")
	inv.Refused, inv.Notices = &Refusal{Aborted, "Not run: the answer broke off."}, n
	wantText(t, mustRun(t, pipeline(), inv), Aborted, "Not run: the answer broke off.")
	if n.started != 1 {
		t.Errorf("started %d times", n.started)
	}
}
