package anthropic_test

import (
	"flag"
	"net/http"
	"strings"
	"testing"

	"companion/agent/model"
	"companion/agent/model/anthropic"
	"companion/agent/model/modeltest"
	"companion/agent/model/modeltest/suite"
)

var update = flag.Bool("update", false, "rewrite the goldens")

func TestProvider(t *testing.T) {
	suite.Run(t, suite.Setup{
		Vendor: modeltest.Anthropic,
		New: func(t *testing.T, baseURL string, client *http.Client) model.Provider {
			t.Helper()
			p, err := anthropic.New(anthropic.Options{APIKey: modeltest.Key, BaseURL: baseURL, HTTPClient: client})
			if err != nil {
				t.Fatal(err)
			}
			return p
		},
		Env: []string{
			"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_PROFILE",
			"ANTHROPIC_FEDERATION_RULE_ID", "ANTHROPIC_ORGANIZATION_ID", "ANTHROPIC_IDENTITY_TOKEN", "ANTHROPIC_WORKSPACE_ID", "ANTHROPIC_WEBHOOK_SIGNING_KEY",
		},
		Update: *update,
	})
}

func hear(t *testing.T, o anthropic.Options, req model.Request, events ...string) modeltest.Heard {
	t.Helper()
	body := modeltest.Stream(modeltest.Anthropic, 0, modeltest.Turn{RawEvents: events})
	o.APIKey, o.HTTPClient = modeltest.Key, &http.Client{Transport: modeltest.RoundTripper(body, 0)}
	p, err := anthropic.New(o)
	if err != nil {
		t.Fatal(err)
	}
	h := modeltest.Hear(p.Stream(t.Context(), req))
	if h.Broken != "" {
		t.Error(h.Broken)
	}
	return h
}

const (
	start   = `{"type":"message_start","message":{"usage":{"input_tokens":5,"output_tokens":1}}}`
	stopped = `{"type":"message_stop"}`
)

func block(index, start string, deltas ...string) []string {
	events := []string{`{"type":"content_block_start","index":` + index + `,"content_block":` + start + `}`}
	for _, d := range deltas {
		events = append(events, `{"type":"content_block_delta","index":`+index+`,"delta":`+d+`}`)
	}
	return append(events, `{"type":"content_block_stop","index":`+index+`}`)
}

func ended(reason string) []string {
	return []string{`{"type":"message_delta","delta":{"stop_reason":"` + reason + `"},"usage":{"output_tokens":9}}`, stopped}
}

func TestBlocks(t *testing.T) {
	tool := `{"type":"tool_use","id":"t1","name":"read","input":{},"caller":{"type":"direct"}}`
	for _, c := range []struct {
		name   string
		blocks []string
		reason string
		stop   model.Stop
		item   model.Item // kind, text, arguments, incomplete, raw
	}{
		{
			"a call without arguments", block("0", tool), "tool_use", model.StopTools,
			model.Item{Kind: model.ToolCall, Arguments: "{}", Raw: []byte(`{"caller":{"type":"direct"},"id":"t1","input":{},"name":"read","type":"tool_use"}`)},
		},
		{
			"arguments that are no JSON though the call is whole", block("0", tool, `{"type":"input_json_delta","partial_json":"{\"a\":}"}`), "tool_use", model.StopTools,
			model.Item{Kind: model.ToolCall, Arguments: `{"a":}`},
		},
		{
			"a call cut off before its arguments", block("0", tool), "max_tokens", model.StopLength,
			model.Item{Kind: model.ToolCall, Incomplete: true},
		},
		{
			"a call cut off by the window", block("0", tool, `{"type":"input_json_delta","partial_json":"{\"a\":1"}`), "model_context_window_exceeded", model.StopLength,
			model.Item{Kind: model.ToolCall, Arguments: `{"a":1`, Incomplete: true},
		},
		{
			"redacted thinking", block("0", `{"type":"redacted_thinking","data":"xyz"}`), "pause_turn", model.StopPause,
			model.Item{Kind: model.Reasoning, Raw: []byte(`{"data":"xyz","type":"redacted_thinking"}`)},
		},
		{
			"thinking without text, signed", block("0", `{"type":"thinking","thinking":"","signature":""}`, `{"type":"signature_delta","signature":"s"}`), "pause_turn", model.StopPause,
			model.Item{Kind: model.Reasoning, Raw: []byte(`{"signature":"s","thinking":"","type":"thinking"}`)},
		},
		{
			"a block nobody knows", block("0", `{"type":"brand_new","x":{"b":1,"a":2}}`), "pause_turn", model.StopPause,
			model.Item{Kind: model.Reasoning, Raw: []byte(`{"type":"brand_new","x":{"b":1,"a":2}}`)},
		},
		{
			"a search by the service", block("0", `{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}`, `{"type":"input_json_delta","partial_json":"{\"query\":\"go\"}"}`), "pause_turn", model.StopPause,
			model.Item{Kind: model.ToolCall, Arguments: `{"query":"go"}`, Raw: []byte(`{"id":"s1","input":{"query":"go"},"name":"web_search","type":"server_tool_use"}`)},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := hear(t, anthropic.Options{}, model.Request{Model: "m"}, append(append([]string{start}, c.blocks...), ended(c.reason)...)...)
			if h.Err != nil || h.Stop != c.stop || len(h.Items) != 1 {
				t.Fatalf("heard %+v", h)
			}
			it := h.Items[0]
			if it.Kind != c.item.Kind || it.Arguments != c.item.Arguments || it.Incomplete != c.item.Incomplete || string(it.Raw) != string(c.item.Raw) {
				t.Errorf("item %+v\nraw %s, want %s", it, it.Raw, c.item.Raw)
			}
			if h.Usage.Output != 9 || h.Usage.Input != 5 {
				t.Errorf("usage %+v", h.Usage)
			}
		})
	}
}

func TestErrorInTheMiddle(t *testing.T) {
	h := hear(t, anthropic.Options{}, model.Request{Model: "m"}, start, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)
	if h.Kind() != model.ErrOverload || !strings.Contains(h.Err.Error(), "Overloaded") {
		t.Error(h.Err)
	}
}

func TestOlderVersionForGateways(t *testing.T) {
	server := modeltest.NewServer(t, modeltest.Anthropic, modeltest.Turn{Text: "ok"}, modeltest.Turn{Text: "ok"})
	req := model.Request{Model: "m", Tools: []model.Tool{{
		Name: "write", Strict: true, LongText: true,
		Parameters: []byte(`{"type":"object","properties":{},"required":[],"additionalProperties":false}`),
	}}}
	for _, o := range []anthropic.Options{
		{APIKey: "k-1234", BaseURL: server.URL, Version: "2023-06-01", XAPIKey: true, Headers: map[string]string{"anthropic-beta": "b"}},
		{APIKey: "k-1234", BaseURL: server.URL},
	} {
		p, err := anthropic.New(o)
		if err != nil {
			t.Fatal(err)
		}
		if h := modeltest.Hear(p.Stream(t.Context(), req)); h.Err != nil {
			t.Fatal(h.Err)
		}
	}
	old, now := server.Requests()[0], server.Requests()[1]
	if h := old.Header; h.Get("anthropic-version") != "2023-06-01" || h.Get("X-Api-Key") != "k-1234" || h.Get("Authorization") != "" || h.Get("anthropic-beta") != "b" {
		t.Errorf("headers %v", h)
	}
	if h := now.Header; h.Get("anthropic-version") != "2026-10-21" || h.Get("X-Api-Key") != "" || h.Get("Authorization") != "Bearer k-1234" {
		t.Errorf("headers %v", h)
	}
	for _, field := range []string{`"strict":true`, `"eager_input_streaming":true`} {
		if strings.Contains(string(old.Body), field) || !strings.Contains(string(now.Body), field) {
			t.Errorf("%s: %s\n%s", field, old.Body, now.Body)
		}
	}
}

func TestKeyIsRequired(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "stranger")
	if _, err := anthropic.New(anthropic.Options{}); err == nil {
		t.Error("no key was taken")
	}
}

// The SDK drops data without a type: it must not look like an empty stream,
// which is asked for again.
func TestDataWithoutAnEventLineIsNoEmptyStream(t *testing.T) {
	begun := "event: message_start\ndata: " + start + "\n\n"
	for name, c := range map[string]struct {
		body  string
		kind  model.ErrorKind
		words string
	}{
		"an error":                {"data: {\"type\":\"error\",\"error\":{\"message\":\"boom\"}}\n\n", model.ErrProtocol, "boom"},
		"garbage":                 {"data: garbage " + modeltest.Key + "\r\n\r\n", model.ErrProtocol, "garbage"},
		"no blank line after it":  {"data: garbage", model.ErrProtocol, "garbage"},
		"an event without a name": {"event:\ndata: garbage\n\n", model.ErrProtocol, "garbage"},
		"very long":               {"data: " + strings.Repeat("x", 1<<20) + "\n\n", model.ErrProtocol, "xxx"},
		"after the start":         {begun + "data: boom\n\n", model.ErrProtocol, "boom"},
		"nothing":                 {"", model.ErrEmpty, "empty stream"},
		"comments and ids":        {": hi\n\nid: 1\n\ndata:\n\ndata: [DONE]\n\n", model.ErrEmpty, "empty stream"},
		"cut after the start":     {begun + "event: content_block_start\ndata: {", model.ErrStreamCut, "broke off"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := anthropic.New(anthropic.Options{
				APIKey: modeltest.Key, HTTPClient: &http.Client{Transport: modeltest.RoundTripper([]byte(c.body), 0)},
			})
			if err != nil {
				t.Fatal(err)
			}
			h := modeltest.Hear(p.Stream(t.Context(), model.Request{Model: "m"}))
			if h.Kind() != c.kind || !strings.Contains(h.Err.Error(), c.words) || strings.Contains(h.Err.Error(), modeltest.Key) || len(h.Err.Error()) > 1000 {
				t.Errorf("kind %q, want %q with %q: %v", h.Kind(), c.kind, c.words, h.Err)
			}
		})
	}
}
