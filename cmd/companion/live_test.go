package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"companion/agent/model/modeltest"
	"companion/internal/editortest/fake"
)

// goModule is a module that builds, with gopls' name for it.
func goModule(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("gopls"); err != nil {
		t.Fatal("gopls is not in PATH: scripts/need.sh gopls installs it, make test-servers puts it there")
	}
	root := t.TempDir()
	write(t, root, "go.mod", "module example.com/m\n\ngo 1.24\n")
	write(t, root, "main.go", "package main\n\nfunc main() {\n\tprintln(answer())\n}\n\nfunc answer() int {\n\treturn 42\n}\n")
	return root
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestServersRunOnEveryWire runs the built binary headless against a loopback
// server of each vendor: it reads, makes an edit that breaks the build, sees
// the diagnostic of real gopls in that call's result, and repairs it.
func TestServersRunOnEveryWire(t *testing.T) {
	bin := binary(t)
	for _, v := range []struct {
		vendor            modeltest.Vendor
		model, url, key   string
		withoutV1OnTheURL bool
	}{
		{modeltest.OpenAI, "openai/test", "OPENAI_BASE_URL", "OPENAI_API_KEY", false},
		{modeltest.Compatible, "compatible/test", "COMPANION_COMPATIBLE_BASE_URL", "COMPANION_COMPATIBLE_API_KEY", false},
		{modeltest.Anthropic, "anthropic/test", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", true},
		{modeltest.Gemini, "gemini/test", "GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY", true},
	} {
		t.Run(string(v.vendor), func(t *testing.T) {
			root := goModule(t)
			server := modeltest.NewServer(t, v.vendor,
				modeltest.Turn{Expect: []string{"break it"}, Calls: []modeltest.Call{{Name: "read", Arguments: `{"path":"main.go"}`}}},
				modeltest.Turn{
					Expect: []string{"return 42"}, Text: "I break it.",
					Calls: []modeltest.Call{{Name: "edit", Arguments: `{"path":"main.go","edits":[{"old":"return 42","new":"return \"forty-two\""}]}`}},
				},
				modeltest.Turn{
					Expect: []string{"cannot use", "main.go:8:9", "Edit applied. Diagnostics (gopls, complete"},
					Calls:  []modeltest.Call{{Name: "edit", Arguments: `{"path":"main.go","edits":[{"old":"return \"forty-two\"","new":"return 43"}]}`}},
				},
				modeltest.Turn{Expect: []string{"1 fixed"}, Text: "Repaired."},
			)
			cmd := exec.Command(bin, "run", "--json", "--model", v.model, "--cwd", root, "break it")
			cmd.Env = append(os.Environ(), v.url+"="+server.URL, v.key+"=test-key-1234",
				"COMPANION_STATE_DIR="+t.TempDir(), "COMPANION_CONFIG="+os.DevNull, "GOWORK=off")
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("companion run: %v\n%s\n%s", err, stderr.String(), out)
			}
			if strings.Contains(string(out)+stderr.String(), "test-key-1234") {
				t.Error("the key is in the output")
			}
			got, err := os.ReadFile(filepath.Join(root, "main.go"))
			if err != nil || !strings.Contains(string(got), "return 43") {
				t.Errorf("main.go: %v\n%s", err, got)
			}
			checkEvents(t, out)
		})
	}
}

// checkEvents holds the pairing rules of docs/protocol.md on a run's JSON lines.
func checkEvents(t *testing.T, out []byte) {
	t.Helper()
	started, completed, seq := map[string]bool{}, map[string]int{}, int64(0)
	var last string
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		var e struct {
			Type, CallID, Status string
			Seq                  int64
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if e.Seq != seq+1 {
			t.Errorf("seq %d follows %d", e.Seq, seq)
		}
		seq, last = e.Seq, e.Type+" "+e.Status
		switch e.Type {
		case "tool.started":
			started[e.CallID] = true
		case "tool.completed":
			completed[e.CallID]++
		}
	}
	if last != "turn.completed completed" {
		t.Errorf("the last event is %s", last)
	}
	if len(started) != 3 || len(completed) != 3 {
		t.Errorf("started %v, completed %v", started, completed)
	}
	for id := range started {
		if completed[id] != 1 {
			t.Errorf("call %s has %d ends", id, completed[id])
		}
	}
}

// mark is inherited by everything that a test starts, so that what is left of
// it can be found.
const mark = "COMPANION_TEST_MARK="

// TestServersNothingOutlivesItsEnd ends the editor or companion in the middle
// of a turn: within a second (two where companion is asked to end) nothing of
// companion, gopls or a running command is left, and the file is whole.
func TestServersNothingOutlivesItsEnd(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	for name, end := range map[string]ending{
		"the editor is killed": {editor: true, within: time.Second},
		// HB-038: a third process keeps companion's stdin open.
		"the editor is killed and stdin stays open": {editor: true, hold: true, within: 2 * time.Second},
		// HB-042
		"SIGTERM to companion": {signal: syscall.SIGTERM, within: 2 * time.Second},
		"SIGHUP to companion":  {signal: syscall.SIGHUP, within: 2 * time.Second},
		"SIGKILL to companion": {signal: syscall.SIGKILL, within: 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) { outlive(t, end) })
	}
}

// ending is how a session ends, and how long what it started may live on.
type ending struct {
	editor, hold bool
	signal       syscall.Signal
	within       time.Duration
}

func outlive(t *testing.T, end ending) {
	bin, root := binary(t), goModule(t)
	script := filepath.Join(t.TempDir(), "script.json")
	write(t, filepath.Dir(script), "script.json", `{"turns":[
		{"calls":[{"name":"read","arguments":{"path":"main.go"}}]},
		{"calls":[{"name":"edit","arguments":{"path":"main.go","edits":[{"old":"return 42","new":"return 43"}]}}]},
		{"calls":[{"name":"exec_command","arguments":{"command":"sleep 1000 & sleep 1000"}}]}]}`)
	id := mark + strconv.FormatInt(time.Now().UnixNano(), 36)
	settings := filepath.Join(t.TempDir(), "config.jsonc")
	write(t, filepath.Dir(settings), "config.jsonc", `{"companion.mode":"full"}`)
	editor := exec.Command(os.Args[0], "-test.run=^TestHelperEditor$")
	editor.Env = append(os.Environ(), id, "COMPANION_TEST_EDITOR="+bin, "COMPANION_TEST_ROOT="+root, "COMPANION_TEST_HOLD="+strconv.FormatBool(end.hold),
		"COMPANION_MODEL=script/"+script, "COMPANION_CONFIG="+settings, "COMPANION_STATE_DIR="+t.TempDir(), "GOWORK=off")
	var log bytes.Buffer
	editor.Stderr = &log
	if err := editor.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = editor.Process.Kill(); _ = editor.Wait() })
	waitFor(t, time.Minute, "the command runs", func() bool { return count(id, "sleep") >= 2 && count(id, "gopls") >= 1 })
	started := time.Now()
	if end.editor {
		_ = editor.Process.Kill()
		_ = editor.Wait()
	} else {
		for _, pid := range pids(id, "serve") {
			if p, err := os.FindProcess(pid); err != nil {
				t.Fatal(err)
			} else if err := p.Signal(end.signal); err != nil {
				t.Fatal(err)
			}
		}
	}
	waitFor(t, 10*time.Second, "nothing is left", func() bool { return count(id, "")-count(id, "TestHelperEditor") == 0 })
	if took := time.Since(started); took > end.within {
		t.Errorf("it took %v until nothing was left\n%s", took, log.String())
	}
	got, err := os.ReadFile(filepath.Join(root, "main.go"))
	old := "package main\n\nfunc main() {\n\tprintln(answer())\n}\n\nfunc answer() int {\n\treturn 42\n}\n"
	if text := string(got); err != nil || text != old && text != strings.Replace(old, "42", "43", 1) {
		t.Errorf("main.go is neither old nor new: %v\n%s", err, got)
	}
}

// TestHelperEditor is no test: it is the editor that gets killed.
func TestHelperEditor(t *testing.T) {
	bin, root := os.Getenv("COMPANION_TEST_EDITOR"), os.Getenv("COMPANION_TEST_ROOT")
	if bin == "" {
		return
	}
	cmd := exec.Command(bin, "serve")
	cmd.Stderr = os.Stderr
	theirs, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = theirs
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("COMPANION_TEST_HOLD") == "true" {
		third := exec.Command("sleep", "30")
		third.Env, third.ExtraFiles = []string{}, []*os.File{in}
		if err := third.Start(); err != nil {
			t.Fatal(err)
		}
	}
	ed := fake.Connect(stdio{out, in}, fake.Options{Roots: []string{root}, ProcessID: os.Getpid(), Timeout: 2 * time.Minute})
	if _, err := ed.Initialize(context.Background()); err != nil {
		t.Fatal(err)
	}
	uri, err := ed.Open(filepath.Join(root, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ed.Run(context.Background(), "companion.edit", map[string]any{"prompt": "go", "uri": uri}); err != nil {
		t.Fatal(err)
	}
	<-ed.Done() // until the kill
}

func waitFor(t *testing.T, limit time.Duration, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !cond(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within %v", what, limit)
		}
	}
}

// count counts processes whose environment holds id and whose command line
// contains name; zombies do not count.
func count(id, name string) int { return len(pids(id, name)) }

func pids(id, name string) (list []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, d := range dirs {
		env, err := os.ReadFile(d + "/environ")
		if err != nil || !bytes.Contains(env, []byte(id)) {
			continue
		}
		line, _ := os.ReadFile(d + "/cmdline")
		if pid, err := strconv.Atoi(filepath.Base(d)); err == nil && len(line) > 0 && strings.Contains(string(line), name) {
			list = append(list, pid)
		}
	}
	return list
}
