//go:build unix

package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sourcegraph/conc"

	"companion/tools"
	"companion/tools/shell/sessions"
)

// begin runs a line that does not end in time and gives its session.
func begin(t testing.TB, x *Shell, root string, a execArgs) (int, tools.Result) {
	t.Helper()
	if a.YieldMs == 0 {
		a.YieldMs = 250
	}
	res, _ := run(t, x, root, a)
	return number(t, res), res
}

func number(t testing.TB, res tools.Result) int {
	t.Helper()
	m := regexp.MustCompile(`session: (\d+)\b`).FindStringSubmatch(res.Text)
	if m == nil {
		t.Fatalf("no session: %.2000s", res.Text)
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// until types chars, once, and then looks until the text of all looks together
// fits want.
func until(t testing.TB, x *Shell, root string, id int, chars, want string) string {
	t.Helper()
	all := ""
	re := regexp.MustCompile(want)
	for deadline := time.Now().Add(60 * time.Second); time.Now().Before(deadline); chars = "\x00" {
		a := stdinArgs{Session: id, Chars: chars, YieldMs: 250}
		if chars == "\x00" { // only look, and not for 5 s
			a.Chars, a.Resize = "", nil
			s, ok := x.store.Get("t", id)
			if !ok {
				t.Fatalf("session %d is gone", id)
			}
			s.Wait(context.Background(), 50*time.Millisecond)
			all += s.Take().Text
		} else {
			res, _ := run(t, x, root, a)
			all += res.Text + "\n"
		}
		if re.MatchString(all) {
			return all
		}
	}
	t.Fatalf("%q did not come:\n%.4000s", want, all)
	return ""
}

// where waits for a file that a command writes its pid to, by mv.
func where(t testing.TB, path string) string {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	t.Fatalf("%s did not come", path)
	return ""
}

func TestALineThatDoesNotEndInTimeGoesOnAsASession(t *testing.T) {
	x, root := bench(t)
	id, res := begin(t, x, root, execArgs{Command: "echo one; while [ ! -e go ]; do sleep 0.02; done; echo two; exit 3"})
	want(t, res, tools.OK, "Still running after ", "session: 1.", "Output so far:\none\n")
	if res.FullOutput != "" {
		t.Errorf("a plain, short output has a file: %s", res.FullOutput)
	}
	list, _ := run(t, x, root, nil)
	want(t, list, tools.OK, "session 1: running for ", "4 bytes of output, the last ", "pipes", "in "+root, "echo one; while")
	if err := os.WriteFile(filepath.Join(root, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	res, _ = run(t, x, root, stdinArgs{Session: id, YieldMs: 300_000})
	want(t, res, tools.Failed, "Session 1 (echo one; while", "has ended. Exit code 3, after ", "New output:\ntwo\n")
	if strings.Contains(res.Text, "one\n") || time.Since(begun) > 30*time.Second {
		t.Errorf("after %s: %s", time.Since(begun), res.Text)
	}
	res, _ = run(t, x, root, stdinArgs{Session: id, Chars: "\x03"}) // tools.md: ^C to a finished session gives its final status
	want(t, res, tools.OK, "has ended. Exit code 3", "No new output.")
	res, _ = run(t, x, root, stopArgs{Session: id})
	want(t, res, tools.OK, "Exit code 3")
	list, _ = run(t, x, root, nil)
	want(t, list, tools.OK, "session 1: ended ", "exit code 3")
}

// HB-127 and HB-139: what stays behind does not hold the call, whatever it
// holds; it is killed where it is found.
func TestAChildThatHoldsTheOutputDoesNotHoldTheCall(t *testing.T) {
	for name, c := range map[string]struct{ line, says string }{
		"HB-127: it keeps printing":                   {"sh -c '(while :; do echo x; sleep .1; done) & sleep 0.3; echo done'", "done\n"},
		"HB-127: it sleeps":                           {"sleep 300 & echo ok", "ok\n"},
		"HB-127: it left the group":                   {"setsid sleep 300 & sleep 0.2; echo ok", "ok\n"},
		"HB-127: nohup":                               {"nohup sleep 300 >/dev/null 2>&1 & echo ok", "ok\n"},
		"HB-127: it prints without a pause":           {"yes & sleep 0.2; echo ok >&2", "left out"},
		"HB-127: a coproc":                            {"coproc sleep 300; echo ok", "ok\n"},
		"HB-139: session of its own, all redirected":  {"setsid sh -c 'sleep 1000' >o 2>&1 </dev/null & echo started", "started\n"},
		"HB-139: disowned":                            {"sleep 1000 >/dev/null 2>&1 </dev/null & disown; echo started", "started\n"},
		"HB-139: forked twice":                        {"setsid sh -c 'setsid sh -c \"sleep 1000 & sleep 1000\" & exit' >/dev/null 2>&1 & sleep 0.2; echo started", "started\n"},
		"HB-139: a clean environment, the same group": {"env -i sleep 1000 >/dev/null 2>&1 & echo started", "started\n"},
	} {
		for _, tty := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, terminal %v", name, tty), func(t *testing.T) {
				t.Parallel()
				x, root := bench(t)
				begun := time.Now()
				res, _ := run(t, x, root, execArgs{Command: c.line, TTY: tty, YieldMs: 30_000})
				if took := time.Since(begun); took > 20*time.Second {
					t.Errorf("the call was held for %s", took)
				}
				want(t, res, tools.OK, "Exit code 0.", c.says)
				if strings.Contains(res.Text, "may still run") {
					t.Errorf("something was left: %.500s", res.Text)
				}
			})
		}
	}
	x, root := bench(t)
	res, _ := run(t, x, root, execArgs{Command: "sleep 300 & echo ok"})
	want(t, res, tools.OK, "left running in the background was killed: sleep (pid ", "becomes a session")
}

// HB-133: a stop ends the whole group, and what left it.
func TestAStopLeavesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		prefix, suffix string
		linux          bool
	}{
		"a helper beside the leader":  {"", "exec sleep 1000", false},
		"it takes no polite end":      {"trap '' TERM HUP INT;", "sleep 1000", false},
		"it left with setsid":         {"setsid", "exec sleep 1000", true},
		"it is stopped":               {"", "kill -STOP $(cat pid); exec sleep 1000", false},
		"an interactive shell's jobs": {"set -m;", "sleep 1000", true},
	} {
		for _, tty := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, terminal %v", name, tty), func(t *testing.T) {
				t.Parallel()
				if _, err := os.Stat("/proc/self/environ"); err != nil && c.linux {
					t.Skip("children that left the group are found by /proc only")
				}
				x, root := bench(t)
				line, pid := grandchild(t, root, c.prefix, c.suffix)
				id, _ := begin(t, x, root, execArgs{Command: line, TTY: tty})
				where(t, pid)
				begun := time.Now()
				res, _ := run(t, x, root, stopArgs{Session: id})
				want(t, res, tools.OK, "Stopped after ", "with all that it started")
				if took := time.Since(begun); took > 15*time.Second {
					t.Errorf("it took %s", took)
				}
				gone(t, pid)
			})
		}
	}
}

func TestWhatIsStoppedHasTimeToCleanUp(t *testing.T) {
	for _, tty := range []bool{true, false} {
		x, root := bench(t)
		helper := "sh -c 'trap \"sleep 0.2; echo clean > done; exit\" TERM HUP; touch up; while :; do sleep 0.02; done'"
		id, _ := begin(t, x, root, execArgs{Command: "cd . && " + helper + "; true", TTY: tty})
		where(t, filepath.Join(root, "up"))
		res, _ := run(t, x, root, stopArgs{Session: id})
		want(t, res, tools.OK, "Stopped after ")
		if data, err := os.ReadFile(filepath.Join(root, "done")); err != nil || string(data) != "clean\n" {
			t.Errorf("terminal %v: the helper was killed before it had cleaned up: %q, %v", tty, data, err)
		}
	}
}

// HB-194: no event comes after the end, whenever the program ends.
func TestAPollThatRacesWithTheEndTellsItOnce(t *testing.T) {
	t.Parallel()
	x, root := bench(t)
	for i := range 20 { // 100 in the room of sessions
		line := fmt.Sprintf("sleep 0.%03d; echo last", 240+i)
		out := newConsole()
		res, err := prepare(t, x, root, execArgs{Command: line, YieldMs: 250}).Run(context.Background(), out)
		if err != nil {
			t.Fatal(err)
		}
		heard, said := out.all(), res.Text
		if strings.Contains(res.Text, "Still running") {
			out = newConsole()
			if res, err = prepare(t, x, root, stdinArgs{Session: number(t, res), YieldMs: 300_000}).Run(context.Background(), out); err != nil {
				t.Fatal(err)
			}
			heard, said = heard+out.all(), said+res.Text
		}
		want(t, res, tools.OK, "xit code 0")
		if heard != "last\n" && heard != "" || strings.Count(said, "\nlast\n") != 1 {
			t.Fatalf("try %d: heard %q, said %s", i, heard, said)
		}
	}
}

// HB-195: a stop of the turn ends a long poll at once, and nothing else.
func TestAStoppedPollReturnsAtOnceAndTheProgramGoesOn(t *testing.T) {
	for _, tty := range []bool{false, true} {
		x, root := bench(t)
		id, _ := begin(t, x, root, execArgs{Command: "while [ ! -e go ]; do sleep 0.02; done; echo on", TTY: tty})
		ctx, stop := context.WithCancel(context.Background())
		var res tools.Result
		var wg conc.WaitGroup
		action := prepare(t, x, root, stdinArgs{Session: id, YieldMs: 60_000})
		wg.Go(func() {
			var err error
			if res, err = action.Run(ctx, newConsole()); err != nil {
				t.Error(err)
			}
		})
		begun := time.Now()
		stop()
		wg.Wait()
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("it took %s", took)
		}
		want(t, res, tools.Aborted, "Aborted by the user", "was left as it is")
		if err := os.WriteFile(filepath.Join(root, "go"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		res, _ = run(t, x, root, stdinArgs{Session: id, YieldMs: 300_000})
		want(t, res, tools.OK, "Exit code 0", "on\n")
	}
}

func TestThreadsDoNotReachEachOther(t *testing.T) {
	x, root := bench(t)
	line, pid := grandchild(t, root, "", "exec sleep 600")
	id, _ := begin(t, x, root, execArgs{Command: line, TTY: true})
	for _, a := range []any{stdinArgs{Session: id, Chars: "x"}, stdinArgs{Session: id}, stopArgs{Session: id}, stopArgs{Session: 99}} {
		var r *tools.Refusal
		if _, err := plan(x, "other", root, a); !errors.As(err, &r) || !strings.Contains(r.Text, "This thread has none") {
			t.Errorf("%v gave %v", a, err)
		}
	}
	var r *tools.Refusal
	if _, err := plan(x, "t", root, stopArgs{Session: 7}); !errors.As(err, &r) || !strings.Contains(r.Text, "There is no session 7. This thread has 1;") {
		t.Errorf("%v", err)
	}
	x.CloseThread("other")
	if list := x.store.List("t"); len(list) != 1 || list[0].Ended() {
		t.Error("it ended with another thread")
	}
	where(t, pid)
	x.CloseThread("t")
	gone(t, pid)
	if list := x.store.List("t"); len(list) != 0 {
		t.Errorf("%d sessions of a closed thread", len(list))
	}
	if next, _ := begin(t, x, root, execArgs{Command: "sleep 600"}); next != id+1 {
		t.Errorf("number %d was given again", next)
	}
}

func TestAThreadHas64SessionsAndTheNewestStay(t *testing.T) {
	t.Parallel()
	x, root := bench(t)
	first, _ := begin(t, x, root, execArgs{Command: "sleep 600"})
	var keep []*sessions.Session
	for i := range sessions.Most - 1 {
		line := "sleep 600"
		if i == 40 {
			line = "true"
		}
		s, err := x.store.Start(sessions.Options{Thread: "t", Command: line, Dir: root, Env: x.env})
		if err != nil {
			t.Fatal(err)
		}
		if i == 40 {
			<-s.Done()
		}
		x.store.Keep(s)
		keep = append(keep, s)
	}
	_, res := begin(t, x, root, execArgs{Command: "sleep 601"})
	if strings.Contains(res.Text, "to make room") {
		t.Errorf("one that runs was stopped, and one had ended: %s", res.Text)
	}
	if _, err := plan(x, "t", root, stopArgs{Session: x.store.ID(keep[40])}); err == nil {
		t.Error("the one that had ended is still there")
	}
	_, res = begin(t, x, root, execArgs{Command: "sleep 602"})
	want(t, res, tools.OK, fmt.Sprintf("Session %d (sleep 600) was stopped to make room: a thread has at most 64.", first))
	if n := len(x.store.List("t")); n != sessions.Most {
		t.Errorf("%d sessions", n)
	}
	if keep[0].Ended() {
		t.Error("more than one was stopped")
	}
}

func TestADeadlineHoldsForSessionsToo(t *testing.T) {
	x, root := bench(t)
	line, pid := grandchild(t, root, "", "sleep 600")
	id, _ := begin(t, x, root, execArgs{Command: line, TimeoutMs: 2_000})
	res, _ := run(t, x, root, stdinArgs{Session: id, YieldMs: 300_000})
	want(t, res, tools.Timeout, "Timed out: killed after ", "timeout_ms")
	gone(t, pid)
}

func TestPipesTakeOnlyAnInterrupt(t *testing.T) {
	x, root := bench(t)
	id, _ := begin(t, x, root, execArgs{Command: "trap 'echo caught; exit 4' INT; while :; do sleep 0.02; done"})
	var r *tools.Refusal
	for _, a := range []stdinArgs{{Session: id, Chars: "yes\n"}, {Session: id, Resize: &size{80, 24}}} {
		if _, err := plan(x, "t", root, a); !errors.As(err, &r) || !strings.Contains(r.Text, "tty true") {
			t.Errorf("%v gave %v", a, err)
		}
	}
	text := until(t, x, root, id, "\x03", "caught|xit code 4")
	if strings.Contains(text, "Failed") {
		t.Error(text)
	}
}

func TestALineThatIsAPatchIsOne(t *testing.T) {
	x, root := bench(t)
	var got string
	x.patch = func(_ context.Context, call tools.Call, dir, patch string) (tools.Action, error) {
		got = dir + ": " + patch
		if patch == "bad\n" {
			return tools.Action{}, tools.Fail("bad patch")
		}
		return tools.Action{
			Effects: []tools.Effect{{Kind: tools.Write, Path: dir + "/a"}},
			Run: func(context.Context, tools.Progress) (tools.Result, error) {
				return tools.Result{Text: "Updated a."}, nil
			},
		}, nil
	}
	if err := os.Mkdir(filepath.Join(root, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for line, dir := range map[string]string{
		"apply_patch <<'EOF'\n*** Begin Patch\nEOF":               root,
		"cd sub && apply_patch <<'EOF'\n*** Begin Patch\nEOF":     root + "/sub",
		"cd /x/y/.. && apply_patch <<EOF\n*** Begin Patch\nEOF\n": "/x/y/..",
	} {
		a := prepare(t, x, root, execArgs{Command: line})
		if len(a.Effects) != 1 || a.Effects[0].Kind != tools.Write || got != dir+": *** Begin Patch\n" {
			t.Errorf("%q: %v, %q", line, a.Effects, got)
		}
		res, err := a.Run(context.Background(), newConsole())
		if err != nil || !strings.HasSuffix(res.Text, "\nUpdated a.") || !strings.Contains(res.Text, "`apply_patch`") {
			t.Errorf("%v, %v", res, err)
		}
	}
	var r *tools.Refusal
	if _, err := plan(x, "t", root, execArgs{Command: "apply_patch <<X\nbad\nX"}); !errors.As(err, &r) || r.Text != "bad patch" {
		t.Errorf("%v", err)
	}
	got = ""
	if a := prepare(t, x, root, execArgs{Command: "apply_patch <<X; rm a\nbad\nX"}); a.Effects[0].Kind != tools.Command || got != "" {
		t.Errorf("a line that does more is a patch: %v", a.Effects)
	}
}

// HB-135, in what a model and a display get.
func TestCodesReachNobodyButTheFile(t *testing.T) {
	x, root := bench(t)
	line := `for i in $(seq 1000); do printf '\033[33;21mwarn %d\n' $i; done; printf '\033]8;;http://x\033\\link\033]8;;\033\\ \r 10%%\r 99%%\r100%%\n\033[2A\033[3Cx\n\n'`
	for _, tty := range []bool{false, true} {
		res, out := run(t, x, root, execArgs{Command: line, TTY: tty, MaxOutputTokens: 500})
		want(t, res, tools.OK, "warn 1\n", "100%\n")
		if all := res.Text + out.all(); strings.ContainsAny(all, "\x1b\r\a") || strings.Contains(res.Text, "99%") || strings.Contains(all, "http://x") || strings.Contains(all, "[33") {
			t.Errorf("terminal %v: %q", tty, all[max(0, len(all)-300):])
		}
		raw, err := os.ReadFile(res.FullOutput)
		if err != nil || strings.Count(string(raw), "\x1b[33;21m") != 1000 || !strings.Contains(res.Text, res.FullOutput) {
			t.Errorf("terminal %v: %d bytes, %v; %s", tty, len(raw), err, res.FullOutput)
		}
	}
}
