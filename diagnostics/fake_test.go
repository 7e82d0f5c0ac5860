package diagnostics

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"companion/diagnostics/lspclient"
	"companion/diagnostics/lsptest"
	"companion/tools"
	"companion/workspace"
)

const ms = time.Millisecond

// rig is a service over a fake server for *.fk files, in virtual time.
type rig struct {
	*testing.T
	s   *Service
	ws  *workspace.Workspace
	srv *lsptest.Server
	at  func(name string) string
}

// fake runs f in a bubble of virtual time.
func fake(t *testing.T, o lsptest.Options, profile lspclient.Profile, bounds Bounds, files map[string]string, f func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ws, at := project(t, files)
		srv := lsptest.New(o)
		s := New(Options{Workspace: ws, Dial: srv.Dial, Env: []string{}, Bounds: bounds, Servers: map[string]Override{
			"fake": {Command: "fake", Extensions: []string{"fk"}, Profile: &profile},
		}})
		defer func() {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			if err := s.Close(ctx); err != nil {
				t.Error(err)
			}
		}()
		f(&rig{t, s, ws, srv, at})
	})
}

// settle lets everything happen that happens within d.
func settle(d time.Duration) {
	time.Sleep(d) // virtual
	synctest.Wait()
}

func (r *rig) ask(names ...string) (tools.Report, []tools.Diagnostic) {
	r.Helper()
	var paths []string
	for _, n := range names {
		paths = append(paths, r.at(n))
	}
	rep, items, err := r.s.Diagnostics(r.Context(), paths, tools.Warning)
	if err != nil {
		r.Fatal(err)
	}
	return rep, items
}

func (r *rig) edit(name, after string) *tools.Result {
	r.Helper()
	return step(r.T, r.s, r.at(name), after)
}

func (r *rig) want(res *tools.Result, status tools.Status, fresh, fixed, remaining int) {
	r.Helper()
	rep := res.Report
	if rep.Status != status || len(rep.New) != fresh || len(rep.Fixed) != fixed || rep.Remaining != remaining {
		r.Fatalf("got %s, %d new, %d fixed, %d remaining; want %s, %d, %d, %d\n%s", rep.Status, len(rep.New), len(rep.Fixed),
			rep.Remaining, status, fresh, fixed, remaining, res.Text)
	}
}

func (r *rig) contains(text string, parts ...string) {
	r.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			r.Fatalf("%q is missing in:\n%s", p, text)
		}
	}
}

var versioned = lspclient.Profile{Own: 20 * time.Millisecond, Cross: 50 * time.Millisecond}

func TestAnEditIsReportedAsWhatItChanged(t *testing.T) {
	fake(t, lsptest.Options{Debounce: 30 * ms}, versioned, Bounds{}, map[string]string{"a.fk": "one\nBAD old\nthree\n"}, func(r *rig) {
		r.ask("a.fk")
		res := r.edit("a.fk", "zero\none\nBAD old\nthree BAD\n")
		r.want(res, tools.Complete, 1, 0, 1)
		r.contains(res.Text, "Wrote it.\n\nEdit applied. Diagnostics (fake, complete, 30 ms): 1 new error, 1 that was there before not shown.\na.fk:4:7: error: BAD is not good [lsptest]")
		res = r.edit("a.fk", "zero\none\nthree BAD\n")
		r.want(res, tools.Complete, 0, 1, 1)
		res = r.edit("a.fk", "zero\n")
		r.want(res, tools.Complete, 0, 1, 0)
		r.contains(res.Text, "1 fixed.")
		res = r.edit("a.fk", "zero\nWARN\n")
		r.contains(res.Text, "1 new warning.\na.fk:2:1: warning: WARN is a warning [lsptest]")
	})
}

func TestTheLastWriterHearsOfOtherFilesAndABatchSettlesOnce(t *testing.T) {
	fake(t, lsptest.Options{Debounce: 10 * ms}, versioned, Bounds{}, map[string]string{
		"lib.fk": "DEF f\n", "use.fk": "NEED f\n", "other.fk": "x\n",
	}, func(r *rig) {
		r.ask("lib.fk", "use.fk", "other.fk")
		one, two := write(r.T, r.ws, r.at("lib.fk"), "DEF g\nBAD\n"), write(r.T, r.ws, r.at("other.fk"), "y\n")
		r.s.AfterStep(r.Context(), []tools.Finished{one, two})
		r.want(one.Result, tools.Complete, 1, 0, 0)
		if strings.Contains(one.Result.Text, "Other files") {
			r.Fatalf("the first writer was told of other files:\n%s", one.Result.Text)
		}
		r.want(two.Result, tools.Complete, 1, 0, 0)
		r.contains(two.Result.Text, "no problems.\nOther files: 1 new error.\nuse.fk:1:1: error: undefined: f [lsptest]")
		back := r.edit("lib.fk", "DEF f\n")
		r.contains(back.Text, "1 fixed.\nOther files: 1 fixed.")
	})
}

func TestAPublishOfAnOlderVersionIsNeverTold(t *testing.T) {
	fake(t, lsptest.Options{StaleFirst: 300 * ms}, versioned, Bounds{}, map[string]string{"a.fk": "BAD\n"}, func(r *rig) {
		r.ask("a.fk")
		r.want(r.edit("a.fk", "fine\n"), tools.Complete, 0, 1, 0)
		r.want(r.edit("a.fk", "BAD again\n"), tools.Complete, 1, 0, 0)
	})
}

// HB-001
func TestTheServerHearsOfEveryEdit(t *testing.T) {
	fake(t, lsptest.Options{}, versioned, Bounds{}, map[string]string{"a.fk": "BAD\n"}, func(r *rig) {
		if _, items := r.ask("a.fk"); len(items) != 1 {
			r.Fatalf("before: %v", items)
		}
		write(r.T, r.ws, r.at("a.fk"), "OK\n")
		if rep, items := r.ask("a.fk"); len(items) != 0 || rep.Status != tools.Complete {
			r.Fatalf("after: %+v %v", rep, items)
		}
		synctest.Wait()
		log := r.srv.Log("textDocument/didOpen", "textDocument/didChange")
		if len(log) != 2 || !strings.Contains(string(log[0].Params), `"version":1`) || !strings.Contains(string(log[1].Params), `"version":2`) ||
			!strings.Contains(string(log[1].Params), `OK\n`) {
			r.Fatalf("wire: %+v", log)
		}
	})
}

// HB-004
func TestAFileThatAnotherProgramChangedIsSentAgain(t *testing.T) {
	for _, told := range []bool{false, true} {
		fake(t, lsptest.Options{}, versioned, Bounds{}, map[string]string{"a.fk": "BAD\n"}, func(r *rig) {
			r.ask("a.fk")
			if err := os.WriteFile(r.at("a.fk"), []byte("OK\n"), 0o644); err != nil {
				r.Fatal(err)
			}
			if told {
				r.ws.DiskChanged(r.at("a.fk"))
			}
			if rep, items := r.ask("a.fk"); len(items) != 0 || rep.Status != tools.Complete {
				r.Fatalf("told=%v: %+v %v", told, rep, items)
			}
		})
	}
}

// HB-006
func TestAWaitThatExpiresIsNotTakenForClean(t *testing.T) {
	fake(t, lsptest.Options{Debounce: 20 * time.Second}, versioned, Bounds{Cold: 2 * time.Second, Query: 2 * time.Second}, map[string]string{"a.fk": "x\n"}, func(r *rig) {
		start := time.Now()
		res := r.edit("a.fk", "BAD\n")
		r.want(res, tools.Pending, 0, 0, 0)
		r.contains(res.Text, "not known yet")
		if strings.Contains(res.Text, "no problems") {
			r.Fatal(res.Text)
		}
		if took := time.Since(start); took > 2500*ms {
			r.Fatalf("it took %s", took)
		}
		rep, _ := r.ask("a.fk")
		if rep.Status != tools.Pending {
			r.Fatalf("%+v", rep)
		}
		r.contains(rep.Text, "not known yet")
	})
}

// HB-007
func TestAServerThatNeverAnswersDoesNotBlockEdits(t *testing.T) {
	fake(t, lsptest.Options{NeverInitialize: true}, versioned, Bounds{}, map[string]string{"x.fk": "x\n"}, func(r *rig) {
		start := time.Now()
		res := r.edit("x.fk", "BAD\n")
		if took := time.Since(start); took > 6*time.Second {
			r.Fatalf("the first edit took %s", took)
		}
		r.want(res, tools.Pending, 0, 0, 0)
		if raw, err := os.ReadFile(r.at("x.fk")); err != nil || string(raw) != "BAD\n" {
			r.Fatalf("on disk: %q %v", raw, err)
		}
		start = time.Now()
		r.want(r.edit("x.fk", "BAD 2\n"), tools.Pending, 0, 0, 0)
		if took := time.Since(start); took > 100*ms {
			r.Fatalf("the second edit waited again: %s", took)
		}
		settle(6 * time.Second)
		res = r.edit("x.fk", "BAD 3\n")
		r.want(res, tools.ServerDown, 0, 0, 0)
		r.contains(res.Text, "unavailable", "never answered initialize within 10s", "nothing is known")
	})
}

// HB-008
func TestAServerThatDiesOnOpenIsRestartedThreeTimes(t *testing.T) {
	fake(t, lsptest.Options{DieOnOpen: true}, versioned, Bounds{}, map[string]string{"s.fk": "x\n"}, func(r *rig) {
		start := time.Now()
		res := r.edit("s.fk", "y\n")
		if took := time.Since(start); took > 6*time.Second || res.Report.Status == tools.Complete {
			r.Fatalf("%s after %s", res.Text, took)
		}
		settle(20 * time.Second)
		if n := r.srv.Sessions(); n != 4 {
			r.Fatalf("started %d times", n)
		}
		res = r.edit("s.fk", "z\n")
		r.want(res, tools.ServerDown, 0, 0, 0)
		r.contains(res.Text, "fake ended: exit status 1; it was started 4 times and is not started again")
		if st := r.s.Status(); len(st) != 1 || st[0].State != Broken {
			r.Fatalf("%+v", st)
		}
	})
}

// HB-013
func TestOldDiagnosticsAreNotShownOnWrongLines(t *testing.T) {
	fake(t, lsptest.Options{SilentAfter: 1}, versioned, Bounds{}, map[string]string{"a.fk": strings.Repeat("x\n", 9) + "BAD\n"}, func(r *rig) {
		r.ask("a.fk")
		res := r.edit("a.fk", strings.Repeat("new\n", 5)+strings.Repeat("x\n", 9)+"BAD\n")
		r.want(res, tools.Pending, 0, 0, 0)
		if strings.Contains(res.Text, ":10:") {
			r.Fatal(res.Text)
		}
		if items, fresh := r.s.Known(r.at("a.fk")); fresh || len(items) != 0 {
			r.Fatalf("known: %v %v", items, fresh)
		}
	})
}

// HB-014
func TestAListWithTheOldVersionIsNotFresh(t *testing.T) {
	fake(t, lsptest.Options{StaleOnly: true}, versioned, Bounds{}, map[string]string{"a.fk": "BAD\n"}, func(r *rig) {
		r.ask("a.fk")
		start := time.Now()
		res := r.edit("a.fk", "fine\n")
		r.want(res, tools.Pending, 0, 0, 0)
		r.contains(res.Text, "not known yet")
		if took := time.Since(start); took > 9*time.Second {
			r.Fatalf("it took %s", took)
		}
	})
}

func TestWhatACommandBrokeIsToldOnceInTheTurn(t *testing.T) {
	fake(t, lsptest.Options{Debounce: 50 * ms}, versioned, Bounds{}, map[string]string{"a.fk": "x\n", "b.fk": "x\n"}, func(r *rig) {
		r.ask("a.fk", "b.fk")
		r.edit("b.fk", "y\n")
		if err := os.WriteFile(r.at("a.fk"), []byte("BAD, by a command\n"), 0o644); err != nil {
			r.Fatal(err)
		}
		run := tools.Finished{
			Inv:    &tools.Invocation{Call: tools.Call{Thread: "t1"}, Action: tools.Action{Effects: []tools.Effect{{Kind: tools.Command, Command: "x"}}}},
			Result: &tools.Result{Text: "ran"},
		}
		r.s.AfterStep(r.Context(), []tools.Finished{run})
		r.contains(run.Result.Text, "by an earlier edit or another program:\na.fk:1:1")
		if got := run.Result.Text + r.s.AfterTurn(r.Context(), "t1"); strings.Count(got, "a.fk:1:1: error: BAD is not good") != 1 {
			r.Fatalf("%q", got)
		}
	})
}

func TestASilentServerCostsTheColdBoundOnce(t *testing.T) {
	fake(t, lsptest.Options{Silent: true}, versioned, Bounds{}, map[string]string{"a.fk": "x\n"}, func(r *rig) {
		for i, most := range []time.Duration{5 * time.Second, 1100 * ms, 1100 * ms} {
			start := time.Now()
			r.want(r.edit("a.fk", strings.Repeat("y\n", i+1)), tools.Pending, 0, 0, 0)
			if took := time.Since(start); took > most {
				r.Fatalf("edit %d took %s", i, took)
			}
		}
	})
}
