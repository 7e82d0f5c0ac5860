package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"companion/internal/editortest/fake"
)

// tier1 is an editor that takes over all that these tests look at.
const tier1 = `{"version":1,"events":true,"progress":true,"review":true,"toolCalls":true,"approvals":true,"edits":true,"files":true}`

// pauseTool is a tool of the editor's that asks nobody.
const pauseTool = `{"tools":[{"name":"pause","description":"Waits.","inputSchema":{"type":"object"},"annotations":{"readOnly":true},"approval":"never"}]}`

// live is a running binary and the editor of tier 1 that speaks to it.
type live struct {
	*fake.Editor
	cmd   *exec.Cmd
	model string // the setting
}

// serve starts the binary on a state folder with a scripted model.
func serve(t testing.TB, bin, state, root, script string) live {
	t.Helper()
	dir := t.TempDir()
	for name, data := range map[string]string{
		"model.json":   script,
		"config.jsonc": `{"companion.tools.trustedOwners":["fake-editor"]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	model := "script/" + filepath.Join(dir, "model.json")
	cmd := exec.Command(bin, "serve")
	cmd.Env = append(os.Environ(), "COMPANION_MODEL="+model,
		"COMPANION_CONFIG="+filepath.Join(dir, "config.jsonc"), "COMPANION_STATE_DIR="+state)
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	l := live{fake.Connect(stdio{out, in}, fake.Options{
		Roots: []string{root}, Companion: json.RawMessage(tier1), InitializationOptions: json.RawMessage(pauseTool), Timeout: time.Minute,
	}), cmd, model}
	if _, err := l.Initialize(context.Background()); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l live) ask(t testing.TB, method string, params map[string]any, result any) {
	t.Helper()
	if err := l.Request(context.Background(), method, params, result); err != nil {
		t.Fatal(err)
	}
}

type ids struct{ ThreadID, TurnID string }

func (l live) turn(t testing.TB, thread, mode string) (id ids) {
	t.Helper()
	p := map[string]any{"input": []any{map[string]any{"type": "text", "text": "go"}}, "model": l.model, "ifBusy": "queue"}
	if mode != "" {
		p["mode"] = mode
	}
	if thread != "" {
		p["threadId"] = thread
	}
	l.ask(t, "companion/turn/start", p, &id)
	return id
}

// durable are the events with a seq of a list.
func durable(t testing.TB, list []json.RawMessage) (out []map[string]any) {
	t.Helper()
	for _, raw := range list {
		var e map[string]any
		if err := json.Unmarshal(raw, &e); err != nil {
			t.Fatal(err)
		}
		if e["seq"] != nil {
			out = append(out, e)
		}
	}
	return out
}

func (l live) read(t testing.TB, thread string) []map[string]any {
	t.Helper()
	var r struct{ Events []json.RawMessage }
	l.ask(t, "companion/thread/read", map[string]any{"threadId": thread}, &r)
	return durable(t, r.Events)
}

// TestServersKilledInTheMiddleOfATurnLoseNothing kills the server while a turn
// runs and starts another on the same state: thread/read gives the events that
// the client had and the ends that were missing, before a resume and after it.
func TestServersKilledInTheMiddleOfATurnLoseNothing(t *testing.T) {
	bin := binary(t)
	read := `{"calls":[{"name":"read","arguments":{"path":"a.txt"}}]}`
	for _, c := range []struct {
		name, mode, script string
		until              func(v *fake.View) bool
		missing            []string
	}{
		{
			"while the editor runs a tool", "ask", `{"turns":[` + read + `,{"calls":[{"name":"pause"}]}]}`,
			func(v *fake.View) bool { return len(v.Asked) > 0 },
			[]string{"tool.completed aborted", "turn.completed stopped"},
		},
		{
			"while an approval is open", "edit", `{"turns":[` + read + `,{"calls":[{"name":"edit","arguments":{"path":"a.txt","edits":[{"old":"one","new":"1"}]}}]}]}`,
			func(v *fake.View) bool {
				return len(v.Asked) > 0 && v.Asked[len(v.Asked)-1].Method == "companion/approval/request"
			},
			[]string{"tool.completed aborted", "turn.completed stopped"},
		},
		{
			"while the model speaks", "ask", `{"turns":[` + read + `,{"text":"Once upon a time","stall":true}]}`,
			func(v *fake.View) bool { return len(v.Events) > 0 && v.Events[len(v.Events)-1].Type == "message.delta" },
			[]string{"turn.completed stopped"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			state, root := t.TempDir(), t.TempDir()
			write(t, root, "a.txt", "one\n")
			l := serve(t, bin, state, root, c.script)
			id := l.turn(t, "", c.mode)
			if err := l.WaitFor("the middle of the turn", c.until); err != nil {
				t.Fatal(err)
			}
			if err := l.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			<-l.Done() // what it had written is read
			_ = l.cmd.Wait()
			_ = l.Close()
			var raw []json.RawMessage
			l.Look(func(v *fake.View) {
				for _, e := range v.Events {
					raw = append(raw, e.Raw)
				}
			})
			had := durable(t, raw)

			l = serve(t, bin, state, root, `{"turns":[{"text":"Hello again."}]}`)
			got := l.read(t, id.ThreadID)
			l.ask(t, "companion/thread/resume", map[string]any{"threadId": id.ThreadID}, nil)
			if again := l.read(t, id.ThreadID); !reflect.DeepEqual(got, again) {
				t.Errorf("before the resume:\n%v\nafter it:\n%v", got, again)
			}
			if len(got) != len(had)+len(c.missing) || !reflect.DeepEqual(got[:len(had)], had) {
				t.Fatalf("thread/read:\n got %v\nwant %v and %v", got, had, c.missing)
			}
			for i, e := range got[len(had):] {
				end, _ := e["outcome"].(string)
				if s, ok := e["status"].(string); ok {
					end = s
				}
				if s := e["type"].(string) + " " + end; s != c.missing[i] {
					t.Errorf("the missing event %d is %s, want %s", i, s, c.missing[i])
				}
				if e["seq"] != float64(len(had)+i+1) || e["turnId"] != id.TurnID {
					t.Errorf("seq or turn of %v", e)
				}
			}
			next := l.turn(t, id.ThreadID, "")
			if err := l.WaitFor("the next turn", func(v *fake.View) bool {
				last := v.Events[max(0, len(v.Events)-1):]
				return len(last) == 1 && last[0].Type == "turn.completed" && last[0].TurnID == next.TurnID && last[0].Status == "completed"
			}); err != nil {
				t.Error(err)
			}
			if err := l.Shutdown(context.Background()); err != nil {
				t.Error(err)
			}
			_ = l.cmd.Wait()
		})
	}
}
