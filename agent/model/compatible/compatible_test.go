package compatible_test

import (
	"flag"
	"net/http"
	"testing"

	"companion/agent/model"
	"companion/agent/model/compatible"
	"companion/agent/model/modeltest"
	"companion/agent/model/modeltest/suite"
)

var update = flag.Bool("update", false, "rewrite the goldens")

func newProvider(t *testing.T, baseURL string, client *http.Client) model.Provider {
	t.Helper()
	p, err := compatible.New(compatible.Options{APIKey: modeltest.Key, BaseURL: baseURL, HTTPClient: client})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestProvider(t *testing.T) {
	suite.Run(t, suite.Setup{
		Vendor: modeltest.Compatible,
		New:    newProvider,
		Env: []string{
			"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_CUSTOM_HEADERS", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID",
			"OPENAI_ADMIN_KEY", "OPENAI_WEBHOOK_SECRET",
		},
		Update: *update,
	})
}

func TestBaseURLIsRequired(t *testing.T) {
	for _, base := range []string{"", "localhost:11434", "ftp://x/v1", "/v1"} {
		if _, err := compatible.New(compatible.Options{BaseURL: base}); err == nil {
			t.Errorf("%q was taken", base)
		}
	}
}

func TestWithoutKeyNoneIsSent(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "stranger")
	server := modeltest.NewServer(t, modeltest.Compatible, modeltest.Turn{Text: "ok"})
	p, err := compatible.New(compatible.Options{BaseURL: server.URL, Headers: map[string]string{"X-Gateway": "g"}})
	if err != nil {
		t.Fatal(err)
	}
	if h := modeltest.Hear(p.Stream(t.Context(), model.Request{Model: "m"})); h.Err != nil {
		t.Fatal(h.Err)
	}
	header := server.Requests()[0].Header
	if a := header.Get("Authorization"); a != "" || header.Get("X-Gateway") != "g" {
		t.Errorf("authorization %q, headers %v", a, header)
	}
}

// TestQuirks: what local servers do differently [known], each as seen on a wire.
func TestQuirks(t *testing.T) {
	delta := func(d, finish string) string {
		return `{"choices":[{"index":0,"delta":` + d + `,"finish_reason":` + finish + `}]}`
	}
	type call struct{ name, args string }
	for _, c := range []struct {
		name   string
		events []string
		calls  []call
		think  string
	}{
		{
			"missing ids, whole calls, all at index 0, finish stop",
			[]string{delta(`{"tool_calls":[{"index":0,"function":{"name":"a","arguments":"{\"x\":1}"}},{"index":0,"function":{"name":"a","arguments":"{\"x\":2}"}}]}`, `"stop"`), "[DONE]"},
			[]call{{"a", `{"x":1}`}, {"a", `{"x":2}`}},
			"",
		},
		{
			"the same id twice",
			[]string{
				delta(`{"tool_calls":[{"index":0,"id":"c","function":{"name":"a","arguments":"{}"}}]}`, `null`),
				delta(`{"tool_calls":[{"index":1,"id":"c","function":{"name":"b","arguments":"{}"}}]}`, `"tool_calls"`), "[DONE]",
			},
			[]call{{"a", "{}"}, {"b", "{}"}},
			"",
		},
		{
			"an id used before in the thread",
			[]string{delta(`{"tool_calls":[{"index":0,"id":"old","function":{"name":"a","arguments":"{}"}}]}`, `"tool_calls"`)},
			[]call{{"a", "{}"}},
			"",
		},
		{
			"arguments as an object, no index",
			[]string{delta(`{"tool_calls":[{"id":"","function":{"name":"a","arguments":{"x":1}}}]}`, `null`), delta(`{}`, `"stop"`), "[DONE]"},
			[]call{{"a", `{"x":1}`}},
			"",
		},
		{
			"no index, in pieces",
			[]string{
				delta(`{"tool_calls":[{"id":"1","function":{"name":"a","arguments":"{\"x\""}}]}`, `null`),
				delta(`{"tool_calls":[{"function":{"arguments":":1}"}}]}`, `null`),
				delta(`{"tool_calls":[{"id":"2","function":{"name":"b","arguments":"{}"}}]}`, `"tool_calls"`),
			},
			[]call{{"a", `{"x":1}`}, {"b", "{}"}},
			"",
		},
		{
			"the name in every chunk",
			[]string{
				delta(`{"tool_calls":[{"index":0,"id":"1","function":{"name":"a","arguments":"{\"x\""}}]}`, `null`),
				delta(`{"tool_calls":[{"index":0,"id":"1","function":{"name":"a","arguments":":1}"}}]}`, `"tool_calls"`),
			},
			[]call{{"a", `{"x":1}`}},
			"",
		},
		{
			"no arguments at all",
			[]string{delta(`{"tool_calls":[{"index":0,"id":"1","function":{"name":"a"}}]}`, `"tool_calls"`)},
			[]call{{"a", "{}"}},
			"",
		},
		{
			"reasoning in Ollama's field, content null",
			[]string{delta(`{"reasoning":"hm","content":null}`, `null`), delta(`{"content":"ok"}`, `"stop"`), "[DONE]"},
			nil,
			"hm",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := modeltest.Stream(modeltest.Compatible, 0, modeltest.Turn{RawEvents: c.events})
			p := newProvider(t, "http://model.invalid/v1", &http.Client{Transport: modeltest.RoundTripper(body, 0)})
			h := modeltest.Hear(p.Stream(t.Context(), model.Request{Model: "m", Items: []model.Item{{Kind: model.ToolCall, ID: "i", CallID: "old"}}}))
			if h.Err != nil || h.Broken != "" {
				t.Fatalf("heard %+v", h)
			}
			ids := map[string]bool{"": true, "old": true}
			var got []call
			think := ""
			for _, it := range h.Items {
				switch it.Kind {
				case model.ToolCall:
					got = append(got, call{it.Name, it.Arguments})
					if ids[it.CallID] {
						t.Errorf("call id %q is not unique", it.CallID)
					}
					ids[it.CallID] = true
				case model.Reasoning:
					think = it.Text
				}
			}
			if len(got) != len(c.calls) || think != c.think {
				t.Fatalf("calls %v, reasoning %q", got, think)
			}
			for i := range got {
				if got[i] != c.calls[i] {
					t.Errorf("call %d: %v, want %v", i, got[i], c.calls[i])
				}
			}
			if len(got) > 0 && h.Stop != model.StopTools {
				t.Errorf("stop %q", h.Stop)
			}
		})
	}
}
