//go:build unix

package shell

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sourcegraph/conc"

	"companion/tools"
	"companion/workspace"
)

// console takes what a command writes and can be waited on.
type console struct {
	mu   sync.Mutex
	text string
	seen chan struct{} // closed at the first output
}

func newConsole() *console { return &console{seen: make(chan struct{})} }

func (c *console) Output(s string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.text == "" {
		close(c.seen)
	}
	c.text += s
}
func (c *console) Activity(string) {}

func (c *console) all() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text
}

func bench(t testing.TB, env ...string) (*Shell, string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.New(workspace.Options{Roots: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	x := New(Options{
		Workspace: ws, Env: append([]string{"PATH=" + os.Getenv("PATH")}, env...), Secrets: []string{"MY_OWN_KEY_VARIABLE"},
		Dir: filepath.Join(root, ".state"),
	})
	t.Cleanup(x.Close)
	return x, root
}

// plan prepares a call of the tool that takes such arguments.
func plan(x *Shell, thread, root string, a any) (tools.Action, error) {
	raw, err := json.Marshal(a)
	if err != nil {
		return tools.Action{}, err
	}
	var tool tools.Tool
	switch a.(type) {
	case execArgs:
		tool = execCommand{x}
	case stdinArgs:
		tool = writeStdin{x}
	case stopArgs:
		tool = stopSession{x}
	default:
		tool = listSessions{x}
	}
	return tool.Prepare(context.Background(), tools.Call{Thread: thread, Roots: []string{root}, Args: raw})
}

func prepare(t testing.TB, x *Shell, root string, a any) tools.Action {
	t.Helper()
	action, err := plan(x, "t", root, a)
	if err != nil {
		t.Fatal(err)
	}
	return action
}

func run(t testing.TB, x *Shell, root string, a any) (tools.Result, *console) {
	t.Helper()
	out := newConsole()
	res, err := prepare(t, x, root, a).Run(context.Background(), out)
	if err != nil {
		t.Fatal(err)
	}
	return res, out
}

func want(t testing.TB, res tools.Result, outcome tools.Outcome, parts ...string) {
	t.Helper()
	if res.Outcome != outcome {
		t.Errorf("outcome %q, want %q: %s", res.Outcome, outcome, res.Text)
	}
	for _, p := range parts {
		if !strings.Contains(res.Text, p) {
			t.Errorf("the text lacks %q:\n%.3000s", p, res.Text)
		}
	}
}

func TestACommandTellsCodeTimeAndBothStreams(t *testing.T) {
	x, root := bench(t)
	for name, c := range map[string]struct {
		command string
		outcome tools.Outcome
		words   []string
	}{
		"ends well":           {"echo out; echo err >&2", tools.OK, []string{"Exit code 0. Wall time ", "Output:\nout\nerr\n"}},
		"ends badly":          {"echo no; exit 3", tools.Failed, []string{"Exit code 3.", "no\n"}},
		"says nothing":        {"true", tools.OK, []string{"Exit code 0.", "No output."}},
		"dies by a signal":    {"kill -SEGV $$", tools.Failed, []string{"Killed by signal segmentation fault"}},
		"reads its input":     {"cat; echo end", tools.OK, []string{"Output:\nend\n"}},
		"colours":             {`printf '\033[31mred\033[0m\r\n'`, tools.OK, []string{"Output:\nred\n"}},
		"bytes, not UTF-8":    {`printf 'a\377b'`, tools.OK, []string{"a\uFFFDb"}},
		"unknown command":     {"no-such-command-here", tools.Failed, []string{"Exit code 127.", "no-such-command-here"}},
		"a shell syntax slip": {"echo (", tools.Failed, []string{"syntax error"}},
	} {
		t.Run(name, func(t *testing.T) {
			res, _ := run(t, x, root, execArgs{Command: c.command})
			want(t, res, c.outcome, c.words...)
		})
	}
}

func TestOutputIsStreamedWhileTheCommandRuns(t *testing.T) {
	x, root := bench(t)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	out := newConsole()
	done := make(chan tools.Result, 1)
	action := prepare(t, x, root, execArgs{Command: "echo first; sleep 600"})
	var wg conc.WaitGroup
	wg.Go(func() {
		res, err := action.Run(ctx, out)
		if err != nil {
			t.Error(err)
		}
		done <- res
	})
	select {
	case <-out.seen:
	case <-time.After(30 * time.Second):
		t.Fatal("no output came while the command ran")
	}
	stop()
	wg.Wait()
	want(t, <-done, tools.Aborted, "Aborted by the user after", "first\n")
}

// grandchild starts a sleeper that holds the pipe, writes its pid and waits.
func grandchild(t *testing.T, root, prefix, suffix string) (command, pidFile string) {
	t.Helper()
	pidFile = filepath.Join(root, "pid")
	return prefix + " sh -c 'echo $$ > " + pidFile + ".tmp; mv " + pidFile + ".tmp " + pidFile + "; exec sleep 600' & " +
		"while [ ! -e " + pidFile + " ]; do sleep 0.01; done; " + suffix, pidFile
}

// gone waits until a process has ended (a zombie has).
func gone(t *testing.T, pidFile string) {
	t.Helper()
	data, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) {
			return
		}
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err == nil && strings.Contains(string(stat), ") Z ") {
			return
		}
	}
	t.Errorf("process %d is still there", pid)
}

func TestNothingOfACommandOutlivesIt(t *testing.T) {
	for name, c := range map[string]struct {
		prefix, suffix string
		timeout        int
		outcome        tools.Outcome
		linux          bool
	}{
		"the shell ends, a child holds the pipe":  {"", "echo done", 0, tools.OK, false},
		"the deadline passes":                     {"", "sleep 600", 3000, tools.Timeout, false},
		"the shell ignores a polite end":          {"", "trap '' TERM; sleep 600 & wait; sleep 600", 3000, tools.Timeout, false},
		"a child left the group, the shell ends":  {"setsid", "echo done", 0, tools.OK, true},
		"a child left the group, deadline passes": {"setsid", "sleep 600", 3000, tools.Timeout, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := os.Stat("/proc/self/environ"); err != nil && c.linux {
				t.Skip("children that left the group are found by /proc only")
			}
			x, root := bench(t)
			command, pidFile := grandchild(t, root, c.prefix, c.suffix)
			begun := time.Now()
			res, _ := run(t, x, root, execArgs{Command: command, TimeoutMs: c.timeout})
			if took := time.Since(begun); took > 30*time.Second {
				t.Errorf("the call was held for %s", took)
			}
			want(t, res, c.outcome)
			gone(t, pidFile)
		})
	}
}

func TestCloseKillsWhatRunsAndWhatComes(t *testing.T) {
	x, root := bench(t)
	action := prepare(t, x, root, execArgs{Command: "echo up; sleep 600"})
	out := newConsole()
	var wg conc.WaitGroup
	wg.Go(func() {
		res, err := action.Run(context.Background(), out)
		if err != nil || res.Outcome != tools.Failed || !strings.Contains(res.Text, "Killed by signal killed") {
			t.Errorf("got %v, %v", res, err)
		}
	})
	<-out.seen
	x.Close()
	wg.Wait()
	_, err := prepare(t, x, root, execArgs{Command: "sleep 600"}).Run(context.Background(), newConsole())
	var r *tools.Refusal
	if !errors.As(err, &r) || !strings.Contains(r.Text, "companion is ending") {
		t.Errorf("started after the end: %v", err)
	}
}

func TestALongOutputKeepsHeadAndTailInBoundedMemory(t *testing.T) {
	x, root := bench(t)
	res, _ := run(t, x, root, execArgs{Command: `echo begin; head -c 3000000 /dev/zero | tr '\0' x; echo; echo end`})
	want(t, res, tools.OK, "Output:\nbegin\n", "\nend\n", " of 3000011 bytes are left out here; all of the output is in "+res.FullOutput)
	if len(res.Text) > 4*tokensNone+500 || !res.Truncated {
		t.Errorf("%d bytes are shown, truncated %v", len(res.Text), res.Truncated)
	}
	if info, err := os.Stat(res.FullOutput); err != nil || info.Size() != 3_000_011 || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
}

func TestCommandsGetNoKeysAndNothingThatWaits(t *testing.T) {
	x, root := bench(t, "OPENAI_API_KEY=sk-1", "MY_TOKEN=t", "MY_OWN_KEY_VARIABLE=k", "PAGER=less", "OPENAI_BASE_URL=u", "HOME=/home/me")
	res, _ := run(t, x, root, execArgs{Command: "env"})
	want(t, res, tools.OK, "PAGER=cat", "TERM=dumb", "NO_COLOR=1", "GIT_TERMINAL_PROMPT=0", "HOME=/home/me", "OPENAI_BASE_URL=u")
	for _, secret := range []string{"sk-1", "MY_TOKEN", "MY_OWN_KEY_VARIABLE", "less"} {
		if strings.Contains(res.Text, secret) {
			t.Errorf("%s reached the command", secret)
		}
	}
}

func TestPrepareShowsWhatWouldRunAndWhere(t *testing.T) {
	x, root := bench(t)
	if err := os.Mkdir(filepath.Join(root, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	a := prepare(t, x, root, execArgs{Command: "go test ./...\necho", Workdir: "sub", Justification: "To see."})
	if a.Effects[0] != (tools.Effect{Kind: tools.Command, Command: "go test ./...\necho"}) || len(a.Effects) != 1 {
		t.Errorf("effects %v", a.Effects)
	}
	if want := (tools.Preview{Command: "go test ./...\necho", Cwd: filepath.Join(root, "sub"), Text: "To see."}); a.Preview != want {
		t.Errorf("preview %v", a.Preview)
	}
	if a.Activity != "Running go test ./... …" {
		t.Errorf("activity %q", a.Activity)
	}
	outside := prepare(t, x, root, execArgs{Command: "ls", Workdir: os.TempDir()})
	if len(outside.Effects) != 2 || !outside.Effects[1].Outside {
		t.Errorf("a folder outside is not declared: %v", outside.Effects)
	}
	for _, bad := range []execArgs{{Command: " "}, {Command: "a\x00b"}, {Command: "ls", Workdir: "none"}} {
		raw, err := json.Marshal(bad)
		if err != nil {
			t.Fatal(err)
		}
		var r *tools.Refusal
		if _, err := (execCommand{x}).Prepare(context.Background(), tools.Call{Roots: []string{root}, Args: raw}); !errors.As(err, &r) {
			t.Errorf("%v gave %v", bad, err)
		}
	}
}

func TestFilesThatACommandWroteAreTold(t *testing.T) {
	x, root := bench(t)
	var mu sync.Mutex
	var told []string
	cancel := x.ws.Observe(func(e workspace.Event) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, string(e.Kind)+" "+e.Rel)
	})
	defer cancel()
	if err := os.WriteFile(filepath.Join(root, "old.txt"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(root, "old.txt"), past, past); err != nil {
		t.Fatal(err)
	}
	res, _ := run(t, x, root, execArgs{Command: "echo hi > new.txt"})
	want(t, res, tools.OK)
	mu.Lock()
	defer mu.Unlock()
	if len(told) != 1 || told[0] != "disk new.txt" {
		t.Errorf("told %v", told)
	}
}

func TestUnsavedFilesAreTold(t *testing.T) {
	x, root := bench(t)
	if err := os.WriteFile(filepath.Join(root, "f"), []byte("disk\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := x.ws.Resolve("f")
	if err != nil {
		t.Fatal(err)
	}
	x.ws.DidOpen(f.URI, "plaintext", 1, "disk\n")
	res, _ := run(t, x, root, execArgs{Command: "cat f"})
	if strings.Contains(res.Text, "unsaved") {
		t.Errorf("a saved file is called unsaved: %s", res.Text)
	}
	if err := x.ws.DidChange(f.URI, 2, []workspace.ContentChange{{Text: "buffer\n"}}, "utf-16"); err != nil {
		t.Fatal(err)
	}
	res, _ = run(t, x, root, execArgs{Command: "cat f"})
	want(t, res, tools.OK, "unsaved changes in the editor it did not see: f. Output:\ndisk\n")
}

func TestARelativeFolderOfPATHBringsNoCommands(t *testing.T) {
	sep := string(filepath.ListSeparator)
	path := strings.Join([]string{".", "", "bin", "/usr/bin", "/bin"}, sep)
	if got, want := absolute(path), "/usr/bin"+sep+"/bin"; got != want {
		t.Errorf("PATH %q of %q, want %q", got, path, want)
	}
	x, root := bench(t, "PATH=.:"+os.Getenv("PATH"))
	if err := os.WriteFile(filepath.Join(root, "ls"), []byte("#!/bin/sh\necho theirs\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	res, err := prepare(t, x, root, execArgs{Command: "ls"}).Run(context.Background(), newConsole())
	if err != nil || strings.Contains(res.Text, "theirs") {
		t.Errorf("%v, %s", err, res.Text)
	}
}

func TestBoundsOfACallAreHeld(t *testing.T) {
	for ms, want := range map[int]time.Duration{0: yieldNone, 1: yieldLow, 2_000: 2 * time.Second, 999_999: yieldHigh} {
		if got := span(ms, yieldNone, yieldLow, yieldHigh); got != want {
			t.Errorf("%d ms is %s, want %s", ms, got, want)
		}
	}
	for tokens, want := range map[int]int{0: 40_000, 1: 400, 5_000: 20_000, 999_999: 72_000} {
		if got := budget(tokens); got != want {
			t.Errorf("%d tokens are %d bytes, want %d", tokens, got, want)
		}
	}
}

func TestALoginShellIsOneOnRequest(t *testing.T) {
	x, root := bench(t, "HOME="+t.TempDir())
	for login, says := range map[bool]string{true: "login\n", false: "plain\n"} {
		res, _ := run(t, x, root, execArgs{Command: "shopt -q login_shell && echo login || echo plain", Login: login})
		want(t, res, tools.OK, "Output:\n"+says)
	}
}

func TestTheUsersOwnBashIsTakenUnlessAWorkspaceHasIt(t *testing.T) {
	for shell, want := range map[string]string{
		"/opt/bin/bash": "/opt/bin/bash", "/bin/zsh": "", "bash": "", "/w/bin/bash": "", "": "",
	} {
		if got := own([]string{"A=b", "SHELL=" + shell}, []string{"/w"}); got != want {
			t.Errorf("%q gave %q, want %q", shell, got, want)
		}
	}
}
