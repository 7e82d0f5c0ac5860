package editortest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"companion/internal/editortest"
	"companion/internal/editortest/fake"
	"companion/internal/editortest/talk"

	"github.com/sourcegraph/conc"
)

// tier1 is an editor that takes over what these tests look at.
const tier1 = `{"version":1,"events":true,"progress":true,"review":true,"toolCalls":true,"approvals":true}`

// probes are two tools: one that always asks a person first, one that does not.
const probes = `{"tools":[
	{"name":"asking","description":"Asks.","inputSchema":{"type":"object"},"annotations":{"readOnly":true},"approval":"always"},
	{"name":"pause","description":"Waits.","inputSchema":{"type":"object"},"annotations":{"readOnly":true},"approval":"never"}]}`

// meet connects an editor of tier 1 to a server in this process whose model
// follows the turns.
func meet(t testing.TB, dir string, turns []map[string]any) *fake.Editor {
	t.Helper()
	sv := editortest.Server{
		StateDir: filepath.Join(dir, "state"), ConfigFile: filepath.Join(dir, "config.jsonc"),
		Workspace: filepath.Join(dir, "w"), Home: filepath.Join(dir, "home"),
	}
	script, err := json.Marshal(map[string]any{"turns": turns})
	if err != nil {
		t.Fatal(err)
	}
	settings := fmt.Sprintf(`{"companion.model":%q,"companion.tools.trustedOwners":["fake-editor"]}`, "script/"+filepath.Join(dir, "model.json"))
	for _, d := range []string{sv.StateDir, sv.Workspace, sv.Home} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, data := range map[string]string{sv.ConfigFile: settings, filepath.Join(dir, "model.json"): string(script)} {
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rwc, wait := inMemory(t, sv)
	e := fake.Connect(rwc, fake.Options{
		Roots: []string{sv.Workspace}, Companion: json.RawMessage(tier1), InitializationOptions: json.RawMessage(probes), Timeout: time.Minute,
	})
	t.Cleanup(func() {
		if err := e.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		if code, err := wait(); code != 0 || err != nil {
			t.Errorf("exit %d, %v", code, err)
		}
		for _, p := range e.Problems() {
			t.Errorf("problem: %s", p)
		}
	})
	if _, err := e.Initialize(context.Background()); err != nil {
		t.Fatal(err)
	}
	return e
}

func startTurn(t testing.TB, e *fake.Editor, text string) (thread, turn string) {
	t.Helper()
	var r struct{ ThreadID, TurnID string }
	err := e.Request(context.Background(), "companion/turn/start",
		map[string]any{"input": []any{map[string]any{"type": "text", "text": text}}, "mode": "agent"}, &r)
	if err != nil {
		t.Fatal(err)
	}
	return r.ThreadID, r.TurnID
}

func waitAsked(t testing.TB, e *fake.Editor, method, part string) {
	t.Helper()
	err := e.WaitFor(method+" of "+part, func(v *fake.View) bool {
		for _, a := range v.Asked {
			if a.Method == method && strings.Contains(string(a.Params), part) {
				return true
			}
		}
		return false
	})
	if err != nil {
		t.Fatal(err)
	}
}

func waitEnd(t testing.TB, e *fake.Editor, turn, status string) {
	t.Helper()
	err := e.WaitFor("the end of "+turn, func(v *fake.View) bool {
		for _, x := range v.Events {
			if x.TurnID == turn && x.Type == "turn.completed" {
				if x.Status != status {
					t.Errorf("turn %s is %s: %s", turn, x.Status, x.Raw)
				}
				return true
			}
		}
		return false
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestTwentyApprovalsAndAToolCallAreAnsweredInAnyOrder holds that none of what
// the editor is asked blocks another, whichever it answers first.
func TestTwentyApprovalsAndAToolCallAreAnsweredInAnyOrder(t *testing.T) {
	const approvals = 20
	var turns []map[string]any
	for range approvals {
		turns = append(turns, map[string]any{"calls": []any{map[string]any{"name": "asking"}}})
	}
	turns = append(turns, map[string]any{"calls": []any{map[string]any{"name": "pause"}}})
	for range approvals + 1 {
		turns = append(turns, map[string]any{"expect": []string{"for you"}, "text": "Done."})
	}
	dir := t.TempDir()
	runtime.GC() // as in TestScenarios
	runtime.GC()
	synctest.Test(t, func(t *testing.T) {
		e := meet(t, dir, turns)
		type open struct{ thread, turn, method string }
		var all []open
		for i := range approvals + 1 {
			thread, turn := startTurn(t, e, fmt.Sprintf("turn %d", i))
			o := open{thread, turn, "companion/approval/request"}
			if i == approvals {
				o.method = "companion/tool/call"
			}
			waitAsked(t, e, o.method, thread)
			all = append(all, o)
		}
		result := json.RawMessage(`{"content":[{"type":"text","text":"for you"}]}`)
		for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(len(all)) {
			o := all[i]
			if o.method == "companion/approval/request" {
				e.Reply(o.method, fake.Reply{Match: o.thread, Result: json.RawMessage(`{"optionId":"once"}`)})
			}
			e.Reply("companion/tool/call", fake.Reply{Match: o.thread, Result: result})
			waitEnd(t, e, o.turn, "completed")
		}
		paired(t, e)
	})
}

func paired(t testing.TB, e *fake.Editor) {
	t.Helper()
	var raw []json.RawMessage
	e.Look(func(v *fake.View) {
		for _, x := range v.Events {
			raw = append(raw, x.Raw)
		}
	})
	if err := talk.Paired(raw); err != nil {
		t.Error(err)
	}
}

var number = regexp.MustCompile(`(?m)^\d+\t`)

// TestTenThousandChangesWhileATurnRuns types in a burst: what the model reads
// then is the buffer to the byte, and companion/status is answered throughout.
func TestTenThousandChangesWhileATurnRuns(t *testing.T) {
	e := meet(t, t.TempDir(), []map[string]any{
		{"calls": []any{map[string]any{"name": "pause"}}},
		{"calls": []any{map[string]any{"name": "read", "arguments": map[string]any{"path": "a.txt"}}}},
		{"text": "Read."},
	})
	uri := "file://" + filepath.ToSlash(filepath.Join(roots(e), "a.txt"))
	if err := os.WriteFile(filepath.Join(roots(e), "a.txt"), []byte("0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := e.OpenText(uri, "plaintext", "0\n"); err != nil {
		t.Fatal(err)
	}
	_, turn := startTurn(t, e, "wait, then read")
	waitAsked(t, e, "companion/tool/call", "pause")
	var worst time.Duration
	done := make(chan struct{})
	var wg conc.WaitGroup
	wg.Go(func() {
		for {
			start := time.Now()
			if err := e.Request(context.Background(), "companion/status", struct{}{}, nil); err != nil {
				t.Errorf("companion/status: %v", err)
				return
			}
			worst = max(worst, time.Since(start))
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
		}
	})
	lines := 1
	for i := range 10_000 {
		text := []string{"é", "😀", "x", "漢"}[i%4]
		if i%50 == 0 {
			text += "\n"
		}
		at, err := e.At(uri, i*7919%lines+1, 1+i%3)
		if err == nil {
			err = e.Type(uri, at, text)
		}
		if err != nil {
			t.Fatal(err)
		}
		lines += strings.Count(text, "\n")
	}
	close(done)
	wg.Wait()
	e.Reply("companion/tool/call", fake.Reply{Result: json.RawMessage(`{"content":[{"type":"text","text":"on"}]}`)})
	waitEnd(t, e, turn, "completed")
	want, _ := e.Buffer(uri)
	got := ""
	e.Look(func(v *fake.View) {
		for _, x := range v.Events {
			var end struct{ Text string }
			if x.Type == "tool.completed" && json.Unmarshal(x.Raw, &end) == nil {
				got = end.Text
			}
		}
	})
	if strings.HasPrefix(got, "(") { // what read says of the whole
		_, got, _ = strings.Cut(got, "\n")
	}
	if got = number.ReplaceAllString(got, ""); strings.TrimRight(got, "\n") != strings.TrimRight(want.Text, "\n") {
		t.Errorf("the model read %d bytes, the buffer has %d:\n%.300s", len(got), len(want.Text), got)
	}
	t.Logf("the slowest companion/status took %v", worst)
	if worst > 2*time.Second { // 50 ms on a quiet machine
		t.Errorf("companion/status took %v", worst)
	}
	paired(t, e)
}

// roots is the folder of meet.
func roots(e *fake.Editor) string {
	folders := e.InitializeParams()["workspaceFolders"].([]map[string]any)
	return strings.TrimPrefix(folders[0]["uri"].(string), "file://")
}
