package editortest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs testdata/script against the binary: each with an empty home
// and state folder, and config.jsonc of the script as the user's settings.
func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the binary")
	}
	bin := binary(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	box := toolbox(t, "sh", "bash", "touch", "cat", "sleep")
	testscript.Run(t, testscript.Params{
		Dir:           "../../testdata/script",
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", filepath.Dir(bin)+string(os.PathListSeparator)+box)
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("COMPANION_STATE_DIR", filepath.Join(e.WorkDir, "state"))
			e.Setenv("COMPANION_CONFIG", filepath.Join(e.WorkDir, "config.jsonc"))
			e.Setenv("FAKELS", self)
			return os.Mkdir(filepath.Join(e.WorkDir, "home"), 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":      exits,
			"events":     checkEvents,
			"threadid":   threadID,
			"sub":        sub,
			"interrupts": interrupts,
		},
	})
}

// toolbox is a folder with only the named programs, so that no language server
// of the machine is found.
func toolbox(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// exits runs a program that must end with a code: exits CODE PROGRAM ARGS…
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := code(ts, ts.Exec(args[1], args[2:]...)); got != want {
		ts.Fatalf("%s ends with code %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

func code(ts *testscript.TestScript, err error) int {
	var bad *exec.ExitError
	if errors.As(err, &bad) {
		return bad.ExitCode()
	}
	ts.Check(err)
	return 0
}

// interrupts runs a program, sends it an interrupt once a thread log says that
// its turn has started, and keeps what it printed: interrupts CODE FILE PROGRAM
// ARGS…
func interrupts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: interrupts CODE FILE PROGRAM ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	program, err := exec.LookPath(filepath.Join(filepath.SplitList(ts.Getenv("PATH"))[0], args[2]))
	ts.Check(err)
	cmd := exec.Command(program, args[3:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, key := range []string{"PATH", "HOME", "COMPANION_STATE_DIR", "COMPANION_CONFIG"} {
		cmd.Env = append(cmd.Env, key+"="+ts.Getenv(key))
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	ts.Check(cmd.Start())
	started := awaitTurn(ts.MkAbs("state"))
	if !started {
		_ = cmd.Process.Kill()
	}
	_ = cmd.Process.Signal(os.Interrupt)
	got := code(ts, cmd.Wait())
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), out.Bytes(), 0o644))
	if !started || got != want {
		ts.Fatalf("turn started: %v; ends with code %d, want %d\n%s%s", started, got, want, out.String(), errs.String())
	}
}

// awaitTurn waits until a thread log below the state folder has a turn that
// started.
func awaitTurn(state string) bool {
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		files, _ := filepath.Glob(filepath.Join(state, "threads", "*.jsonl"))
		for _, f := range files {
			if b, err := os.ReadFile(f); err == nil && bytes.Contains(b, []byte("turn.started")) {
				return true
			}
		}
	}
	return false
}

// sub replaces $WORK and $FAKELS in a file.
func sub(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		text := os.Expand(ts.ReadFile(name), func(key string) string { return filepath.ToSlash(ts.Getenv(key)) })
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o644))
	}
}

// threadID keeps the newest thread's id of "threads --json": threadid FILE VAR.
func threadID(ts *testscript.TestScript, _ bool, args []string) {
	var list []struct {
		ThreadID string `json:"threadId"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &list))
	if len(list) == 0 {
		ts.Fatalf("no threads")
	}
	ts.Setenv(args[1], list[0].ThreadID)
}

// checkEvents holds a stream of events against the rules of docs/protocol.md.
func checkEvents(ts *testscript.TestScript, _ bool, args []string) {
	open := map[string]bool{}
	var last int64
	final := ""
	for i, line := range strings.Split(strings.TrimSpace(ts.ReadFile(args[0])), "\n") {
		var e struct {
			Type     string `json:"type"`
			ThreadID string `json:"threadId"`
			Seq      int64  `json:"seq"`
			AfterSeq int64  `json:"afterSeq"`
			CallID   string `json:"callId"`
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			ts.Fatalf("line %d: %v: %s", i+1, err, line)
		}
		switch {
		case e.Type == "" || e.ThreadID == "":
			ts.Fatalf("line %d has no type or threadId: %s", i+1, line)
		case e.Seq == 0 && e.AfterSeq != last:
			ts.Fatalf("line %d: afterSeq %d follows seq %d", i+1, e.AfterSeq, last)
		case e.Seq != 0 && e.Seq != last+1:
			ts.Fatalf("line %d: seq %d follows %d", i+1, e.Seq, last)
		case e.Type == "tool.started":
			open[e.CallID] = true
		case e.Type == "tool.completed" && !open[e.CallID]:
			ts.Fatalf("line %d: tool.completed without tool.started: %s", i+1, line)
		case e.Type == "tool.completed":
			delete(open, e.CallID)
		}
		if e.Seq != 0 {
			last = e.Seq
		}
		final = e.Type
	}
	if len(open) > 0 || final != "turn.completed" {
		ts.Fatalf("calls without an end: %v; the last event is %s", open, final)
	}
}
