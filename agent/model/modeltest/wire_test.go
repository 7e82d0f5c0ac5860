package modeltest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"companion/agent/model/modeltest"
)

const (
	anthropicTool = `{"name":"a","input_schema":{"type":"object"}}`
	deferredTool  = `{"name":"far","input_schema":{"type":"object"},"defer_loading":true}`
	called        = `{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"a","input":{}}]},`
)

func answered(content string) string {
	return `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[` + content + `]}]}`
}

// What a vendor refuses, the server refuses.
func TestServerRefusesAsTheVendorDoes(t *testing.T) {
	for _, c := range []struct {
		name   string
		vendor modeltest.Vendor
		body   string
		want   string // "" = taken
	}{
		{"a reference", modeltest.Anthropic, `{"tools":[` + anthropicTool + `,` + deferredTool + `],"messages":[` + called + answered(`{"type":"tool_reference","tool_name":"far"}`) + `]}`, ""},
		{"to nothing", modeltest.Anthropic, `{"tools":[` + anthropicTool + `],"messages":[` + called + answered(`{"type":"tool_reference","tool_name":"far"}`) + `]}`, "unresolved: far"},
		{"to a tool that is not deferred", modeltest.Anthropic, `{"tools":[` + anthropicTool + `],"messages":[` + called + answered(`{"type":"tool_reference","tool_name":"a"}`) + `]}`, "unresolved: a"},
		{"all deferred", modeltest.Anthropic, `{"tools":[` + deferredTool + `]}`, "at least one"},
		{"no result", modeltest.Anthropic, `{"messages":[` + strings.TrimSuffix(called, ",") + `]}`, "no tool_result"},
		{"results late", modeltest.Anthropic, `{"messages":[` + called + `{"role":"user","content":[{"type":"text","text":"x"}]}]}`, "without tool_result"},
		{"five marks", modeltest.Anthropic, `{"messages":[{"role":"user","content":[` + strings.Repeat(`{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},`, 4) + `{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}]}`, "at most 4"},
		{"a marked deferred tool", modeltest.Anthropic, `{"tools":[` + anthropicTool + `,` + strings.Replace(deferredTool, `"name"`, `"cache_control":{"type":"ephemeral"},"name"`, 1) + `]}`, "defer_loading and cache_control"},
		{"a definition after the assistant", modeltest.Anthropic, `{"messages":[{"role":"user","content":[{"type":"text","text":"x"}]},{"role":"assistant","content":[{"type":"text","text":"x"}]},{"role":"system","content":[{"type":"tool_addition","tool":{"type":"tool_definition","definition":` + anthropicTool + `}}]}]}`, "role system"},
		{"two of a name", modeltest.Anthropic, `{"tools":[` + anthropicTool + `,` + anthropicTool + `]}`, "twice"},
		{"a long name", modeltest.Anthropic, `{"tools":[{"name":"` + strings.Repeat("x", 65) + `","input_schema":{"type":"object"}}]}`, "at most 64"},
		{"a combined schema", modeltest.Anthropic, `{"tools":[{"name":"x","input_schema":{"type":"object","anyOf":[]}}]}`, "anyOf at its top"},
		{"an output of another type", modeltest.OpenAI, `{"input":[{"type":"custom_tool_call","call_id":"1"},{"type":"function_call_output","call_id":"1"}]}`, "No tool call found"},
		{"no output", modeltest.OpenAI, `{"input":[{"type":"tool_search_call","call_id":"1"}]}`, "No tool output"},
		{"a namespace without words", modeltest.OpenAI, `{"tools":[{"type":"namespace","name":"n","tools":[{"type":"function","name":"a","strict":false,"parameters":{"type":"object"}}]}]}`, "has a description"},
		{"strict is not said", modeltest.OpenAI, `{"tools":[{"type":"function","name":"a","parameters":{"type":"object"}}]}`, "strict is not said"},
		{"a result of nothing", modeltest.Compatible, `{"messages":[{"role":"tool","tool_call_id":"1"}]}`, "no call before it"},
		{"something between", modeltest.Compatible, `{"messages":[{"role":"assistant","tool_calls":[{"id":"1"}]},{"role":"user"},{"role":"tool","tool_call_id":"1"}]}`, "before the results"},
		{"too few responses", modeltest.Gemini, `{"contents":[{"role":"user","parts":[{"text":"x"}]},{"role":"model","parts":[{"functionCall":{"name":"a"}},{"functionCall":{"name":"a"}}]},{"role":"user","parts":[{"functionResponse":{"name":"a","response":{}}}]}]}`, "as many"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, failures := post(t, c.vendor, c.body, modeltest.Turn{Text: "a"})
			if (c.want == "") != (status == http.StatusOK) || (c.want == "") != (failures == "") || !strings.Contains(failures, c.want) {
				t.Errorf("status %d, failures %q, want %q", status, failures, c.want)
			}
		})
	}
}

// A script that calls what no model could know of fails the test.
func TestServerFailsOnScriptsThatNoModelWouldPlay(t *testing.T) {
	far := modeltest.Turn{Calls: []modeltest.Call{{Name: "far", Arguments: `{}`}}}
	body := `{"tools":[` + anthropicTool + `,` + deferredTool + `],"messages":[` + called
	if _, failures := post(t, modeltest.Anthropic, body+answered(`{"type":"text","text":"x"}`)+`]}`, far); !strings.Contains(failures, "far, which is deferred and was not loaded") {
		t.Errorf("called before it was loaded: %q", failures)
	}
	if _, failures := post(t, modeltest.Anthropic, body+answered(`{"type":"tool_reference","tool_name":"far"}`)+`]}`, far); failures != "" {
		t.Errorf("called once it was loaded: %q", failures)
	}
	if _, failures := post(t, modeltest.OpenAI, `{}`, modeltest.Turn{Searches: []modeltest.Search{{Query: "x"}}}); !strings.Contains(failures, "searches the web") {
		t.Errorf("a search that is not offered: %q", failures)
	}
	if _, failures := post(t, modeltest.OpenAI, `{}`, far); failures != "" {
		t.Errorf("an unknown name where that is allowed: %q", failures)
	}
}

func post(t *testing.T, v modeltest.Vendor, body string, turn modeltest.Turn) (status int, failures string) {
	t.Helper()
	r := &recorder{}
	server := modeltest.NewServer(r, v, turn)
	path := map[modeltest.Vendor]string{
		modeltest.OpenAI: "/responses", modeltest.Compatible: "/chat/completions", modeltest.Anthropic: "/v1/messages", modeltest.Gemini: "/v1beta/models/m:streamGenerateContent",
	}[v]
	resp, err := http.Post(server.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	r.end()
	return resp.StatusCode, strings.Join(r.failures, "\n")
}

func TestPrefixTellsWhereARequestIsNoContinuation(t *testing.T) {
	body := func(system, tools, messages string) modeltest.Request {
		return modeltest.Request{Body: []byte(`{"system":"` + system + `","tools":[` + tools + `],"messages":[` + messages + `]}`)}
	}
	user := func(texts ...string) string {
		var blocks []string
		for _, s := range texts {
			blocks = append(blocks, `{"type":"text","text":"`+s+`"}`)
		}
		return `{"role":"user","content":[` + strings.Join(blocks, ",") + `]}`
	}
	other := strings.Replace(anthropicTool, `"a"`, `"b"`, 1)
	base := body("s", anthropicTool, user("one"))
	for _, c := range []struct {
		name string
		next modeltest.Request
		want string // "" = no break
		grew bool
	}{
		{"the same", base, "", false},
		{"longer", body("s", anthropicTool, user("one", "two")), "", false},
		{"a mark", modeltest.Request{Body: []byte(strings.Replace(string(base.Body), `"text":"one"`, `"text":"one","cache_control":{"type":"ephemeral"}`, 1))}, "", false},
		{"deferred tools", body("s", anthropicTool+","+deferredTool, user("one")), "", false},
		{"shorter", body("s", anthropicTool, ""), "element 1 (user text) is gone", false},
		{"another text", body("s", anthropicTool, user("other")), "element 1 (user text) differs", false},
		{"other instructions", body("x", anthropicTool, user("one")), "the instructions differ", false},
		{"a tool more", body("s", anthropicTool+","+other, user("one")), "grew by tool b", true},
		{"a tool before", body("s", other+","+anthropicTool, user("one")), "element 1 (tool a) differs", false},
	} {
		got := modeltest.Prefix(modeltest.Anthropic, []modeltest.Request{base, c.next})
		switch {
		case c.want == "" && len(got) == 0:
		case c.want == "" || len(got) != 1 || got[0].Request != 2 || got[0].Grew != c.grew:
			t.Errorf("%s: %v", c.name, got)
		case !strings.Contains(got[0].String(), c.want):
			t.Errorf("%s: %v, want %q", c.name, got, c.want)
		}
	}
}
