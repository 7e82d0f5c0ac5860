package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"companion/agent/model/modeltest"
	"companion/internal/editortest/fake"
)

// manyTools are what an editor offers: one that opens issues, and others to get
// lost in.
func manyTools(n int) json.RawMessage {
	type spec struct {
		Name        string          `json:"name"`
		Namespace   string          `json:"namespace"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
		Annotations json.RawMessage `json:"annotations"`
		Approval    string          `json:"approval"`
	}
	tool := func(ns, name, description, property string) spec {
		schema := fmt.Sprintf(`{"type":"object","properties":{%q:{"type":"string","description":"What it is about, in a sentence or two."}},"required":[%q]}`, property, property)
		return spec{name, ns, description, json.RawMessage(schema), json.RawMessage(`{"readOnly":true}`), "never"}
	}
	specs := []spec{tool("tracker", "create_issue", "Opens an issue in the issue tracker.", "title")}
	for i := 1; i < n; i++ {
		specs = append(specs, tool(fmt.Sprintf("filler%d", i%20), fmt.Sprintf("widget_%d", i), fmt.Sprintf("Turns widget number %d of the workshop by a quarter.", i), "angle"))
	}
	raw, err := json.Marshal(map[string]any{"tools": specs, "namespaces": []any{map[string]string{"name": "tracker", "description": "The team's issue tracker."}}})
	if err != nil {
		panic(err)
	}
	return raw
}

const forecast = `{"owner":"weather","tools":[{"name":"forecast","namespace":"weather","description":"Gives the weather forecast of a place.","inputSchema":{"type":"object","properties":{"place":{"type":"string"}},"required":["place"]},"annotations":{"readOnly":true},"approval":"never"}]}`

// TestToolsAreFoundAndCalledOnEveryWire runs the built binary under an editor
// that offers 290 tools, against a loopback server of each vendor that refuses
// what the vendor would: a search, a call of what it found, two reads side by
// side, an edit, a command that a rule denies, a write that the output limit cut
// off; then, in another turn, a tool that came meanwhile. Requests only grow.
func TestToolsAreFoundAndCalledOnEveryWire(t *testing.T) {
	bin := binary(t)
	for _, v := range []struct {
		vendor      modeltest.Vendor
		model       string
		url, key    string
		grows       bool // the list of tools, by what was found
		direct      int  // most bytes of the list at first: the tools of companion itself are 35 KB
		mustDefer   bool // deferred definitions are sent beside it
		cutVanishes bool // a cut-off call is not told at all
	}{
		{modeltest.OpenAI, "openai/gpt-6-astra", "OPENAI_BASE_URL", "OPENAI_API_KEY", false, 40_000, false, false},
		{modeltest.Compatible, "compatible/test", "COMPANION_COMPATIBLE_BASE_URL", "COMPANION_COMPATIBLE_API_KEY", true, 40_000, false, false},
		{modeltest.Anthropic, "anthropic/claude-sonnet-5-5", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", false, 0, true, false},
		{modeltest.Gemini, "gemini/gemini-3.8-flash", "GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY", true, 40_000, false, true},
	} {
		t.Run(string(v.vendor), func(t *testing.T) {
			root, home := t.TempDir(), t.TempDir()
			write(t, root, "a.txt", "alpha\n")
			write(t, root, "b.txt", "beta\n")
			write(t, home, "config.jsonc", `{"companion.models":{"`+v.model+`":{"editTool":"edit","toolSearch":true}},"companion.tools.trustedOwners":["fake-editor","weather"],
				"companion.permissions.rules":[{"effect":"command","pattern":"rm *","action":"deny","reason":"nothing is removed here"}]}`)
			ends := "completed"
			server := modeltest.NewServer(t, v.vendor,
				modeltest.Turn{Expect: []string{"open an issue about alpha"}, Calls: []modeltest.Call{{Name: "tool_search", Arguments: `{"query":"open an issue in the tracker"}`}}},
				modeltest.Turn{Expect: []string{"create_issue"}, Calls: []modeltest.Call{{Name: "tracker__create_issue", Arguments: `{"title":"alpha"}`}}},
				modeltest.Turn{Expect: []string{"issue 7 is open"}, Calls: []modeltest.Call{{Name: "read", Arguments: `{"path":"a.txt"}`}, {Name: "read", Arguments: `{"path":"b.txt"}`}}},
				modeltest.Turn{Expect: []string{`\talpha`, `\tbeta`}, Calls: []modeltest.Call{{Name: "edit", Arguments: `{"path":"a.txt","edits":[{"old":"alpha","new":"omega"}]}`}}},
				modeltest.Turn{Calls: []modeltest.Call{{Name: "exec_command", Arguments: `{"command":"rm b.txt"}`}}},
				modeltest.Turn{Expect: []string{"nothing is removed here"}, Stop: "length", Calls: []modeltest.Call{{Name: "write", Arguments: `{"path":"c.txt","content":"half of it is silent damage"}`}}},
			)
			if v.cutVanishes {
				ends = "limit"
			} else {
				server.Add(modeltest.Turn{Expect: []string{"output limit"}, Text: "Issue 7 is open."})
			}
			server.Add(
				modeltest.Turn{Expect: []string{"and the weather"}, Calls: []modeltest.Call{{Name: "tool_search", Arguments: `{"query":"weather forecast"}`}}},
				modeltest.Turn{Expect: []string{"forecast"}, Calls: []modeltest.Call{{Name: "weather__forecast", Arguments: `{"place":"Kiel"}`}}},
				modeltest.Turn{Expect: []string{"rain"}, Text: "It rains."},
			)
			server.Strict()
			e := underEditor(t, bin, root, []string{
				v.url + "=" + server.URL, v.key + "=test-key-1234", "COMPANION_MODEL=" + v.model,
				"COMPANION_CONFIG=" + filepath.Join(home, "config.jsonc"), "COMPANION_STATE_DIR=" + filepath.Join(home, "state"),
			})
			e.Reply("companion/tool/call", fake.Reply{Match: "create_issue", Result: json.RawMessage(`{"content":[{"type":"text","text":"issue 7 is open"}]}`)})
			thread := play(t, e, "", "open an issue about alpha", ends)
			if err := e.Request(t.Context(), "companion/tools/register", json.RawMessage(forecast), nil); err != nil {
				t.Fatal(err)
			}
			e.Reply("companion/tool/call", fake.Reply{Match: "forecast", Result: json.RawMessage(`{"content":[{"type":"text","text":"rain"}]}`)})
			play(t, e, thread, "and the weather", "completed")
			for name, want := range map[string]string{"a.txt": "omega\n", "b.txt": "beta\n", "c.txt": ""} {
				if got, _ := os.ReadFile(filepath.Join(root, name)); string(got) != want {
					t.Errorf("%s holds %q, want %q", name, got, want)
				}
			}
			grew := 0
			for _, b := range server.Prefix() {
				if grew++; !b.Grew || !v.grows {
					t.Error(b)
				}
			}
			counted, outcomes := 0, map[string]int{}
			e.Look(func(view *fake.View) {
				for _, ev := range view.Events {
					var end struct{ Type, Outcome string }
					if json.Unmarshal(ev.Raw, &end) == nil && end.Type == "tool.completed" {
						outcomes[end.Outcome]++
					}
					if ev.Type == "usage" && strings.Contains(string(ev.Raw), "prefixBroken") {
						counted++
					}
				}
			})
			if counted != grew || v.grows != (grew > 0) {
				t.Errorf("the list grew %d times, and usage counts %d", grew, counted)
			}
			if outcomes["denied"] != 1 || outcomes["ok"] != 7 || !v.cutVanishes && outcomes["failed"] != 1 {
				t.Errorf("calls ended %v", outcomes)
			}
			first := server.Requests()[0].Body
			var body struct {
				Tools json.RawMessage `json:"tools"`
			}
			if err := json.Unmarshal(first, &body); err != nil {
				t.Fatal(err)
			}
			if deferred := bytes.Count(body.Tools, []byte("widget_")); (deferred > 0) != v.mustDefer || v.direct > 0 && len(body.Tools) > v.direct {
				t.Errorf("the first list of tools has %d bytes and %d of the tools that can be found", len(body.Tools), deferred)
			}
			t.Logf("tools of the first request: %d bytes; of the editor's definitions: %d", len(body.Tools), len(manyTools(290)))
		})
	}
}

// underEditor starts the binary under an editor of tier 1 that offers tools.
func underEditor(t *testing.T, bin, root string, env []string) *fake.Editor {
	t.Helper()
	cmd := exec.Command(bin, "serve")
	cmd.Dir, cmd.Env = root, append(os.Environ(), env...)
	var log bytes.Buffer
	cmd.Stderr = &log
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	e := fake.Connect(stdio{out, in}, fake.Options{
		Roots: []string{root}, Timeout: time.Minute, InitializationOptions: manyTools(290),
		Companion: json.RawMessage(`{"version":1,"events":true,"toolCalls":true}`),
	})
	t.Cleanup(func() {
		if err := e.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("companion: %v", err)
		}
		for _, p := range e.Problems() {
			t.Errorf("problem: %s", p)
		}
		if strings.Contains(log.String(), "test-key-1234") {
			t.Errorf("the key is in what it logs: %s", log.String())
		}
	})
	if _, err := e.Initialize(t.Context()); err != nil {
		t.Fatal(err)
	}
	return e
}

// play runs a turn to its end, which is as told, and gives its thread.
func play(t *testing.T, e *fake.Editor, thread, text, ends string) string {
	t.Helper()
	params := map[string]any{"input": []any{map[string]any{"type": "text", "text": text}}, "mode": "agent"}
	if thread != "" {
		params["threadId"] = thread
	}
	var r struct{ ThreadID, TurnID string }
	if err := e.Request(t.Context(), "companion/turn/start", params, &r); err != nil {
		t.Fatal(err)
	}
	err := e.WaitFor("the end of the turn", func(v *fake.View) bool {
		for _, ev := range v.Events {
			if ev.TurnID == r.TurnID && ev.Type == "turn.completed" {
				if ev.Status != ends {
					t.Errorf("the turn is %s: %s", ev.Status, ev.Raw)
				}
				return true
			}
		}
		return false
	})
	if err != nil {
		t.Fatal(err)
	}
	return r.ThreadID
}
