package openai_test

import (
	"flag"
	"net/http"
	"strings"
	"testing"

	"companion/agent/model"
	"companion/agent/model/modeltest"
	"companion/agent/model/modeltest/suite"
	"companion/agent/model/openai"
)

var update = flag.Bool("update", false, "rewrite the goldens")

func TestProvider(t *testing.T) {
	suite.Run(t, suite.Setup{
		Vendor: modeltest.OpenAI,
		New: func(t *testing.T, baseURL string, client *http.Client) model.Provider {
			t.Helper()
			p, err := openai.New(openai.Options{APIKey: modeltest.Key, BaseURL: baseURL, HTTPClient: client})
			if err != nil {
				t.Fatal(err)
			}
			return p
		},
		Env: []string{
			"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_CUSTOM_HEADERS", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID",
			"OPENAI_ADMIN_KEY", "OPENAI_WEBHOOK_SECRET",
		},
		Update: *update,
	})
}

func hear(t *testing.T, req model.Request, events ...string) modeltest.Heard {
	t.Helper()
	body := modeltest.Stream(modeltest.OpenAI, 0, modeltest.Turn{RawEvents: events})
	p, err := openai.New(openai.Options{APIKey: modeltest.Key, HTTPClient: &http.Client{Transport: modeltest.RoundTripper(body, 0)}})
	if err != nil {
		t.Fatal(err)
	}
	h := modeltest.Hear(p.Stream(t.Context(), req))
	if h.Broken != "" {
		t.Error(h.Broken)
	}
	return h
}

func item(kind, index, raw string) string {
	return `{"type":"response.output_item.` + kind + `","output_index":` + index + `,"item":` + raw + `}`
}

const completed = `{"type":"response.completed","response":{"id":"r","status":"completed"}}`

func TestFreeformCallKeepsItsText(t *testing.T) {
	raw := `{"type":"custom_tool_call","id":"ctc_1","call_id":"c1","name":"patch","input":"*** Begin \"x\""}`
	h := hear(
		t, model.Request{Model: "m", Tools: []model.Tool{{Name: "patch", Grammar: "start: /.+/"}}, Takes: model.Takes{Freeform: true}},
		item("added", "0", `{"type":"custom_tool_call","id":"ctc_1","call_id":"c1","name":"patch","input":""}`),
		`{"type":"response.custom_tool_call_input.delta","output_index":0,"delta":"*** Begin "}`,
		`{"type":"response.custom_tool_call_input.delta","output_index":0,"delta":"\"x\""}`,
		item("done", "0", raw), completed,
	)
	if h.Err != nil || len(h.Items) != 1 || h.Items[0].Arguments != `*** Begin "x"` || h.Deltas[h.Items[0].ID] != h.Items[0].Arguments || string(h.Items[0].Raw) != raw {
		t.Errorf("heard %+v", h)
	}
}

func TestItemsNobodyKnowsAreKeptForTheReplay(t *testing.T) {
	raw := `{"type":"brand_new","id":"bn_1","x":{"b":1,"a":2}}`
	h := hear(t, model.Request{Model: "m"}, item("added", "0", raw), item("done", "0", raw), completed)
	if h.Err != nil || len(h.Items) != 1 || h.Items[0].Kind != model.Reasoning || string(h.Items[0].Raw) != raw || h.Items[0].RawFor != "openai/m" {
		t.Errorf("heard %+v", h)
	}
}

func TestACallIDUsedBeforeIsMintedAnewAndNotReplayed(t *testing.T) {
	h := hear(
		t, model.Request{Model: "m", Items: []model.Item{{Kind: model.ToolCall, ID: "1", CallID: "c1"}, {Kind: model.ToolReply, ID: "2", CallID: "c1"}}},
		item("done", "0", `{"type":"function_call","id":"f1","call_id":"c1","name":"a","arguments":"{}"}`),
		item("done", "1", `{"type":"function_call","id":"f1","call_id":"","name":"a","arguments":"{}"}`), completed,
	)
	if h.Err != nil || len(h.Items) != 2 || h.Items[0].CallID == "c1" || h.Items[1].CallID == "" || h.Items[0].CallID == h.Items[1].CallID {
		t.Fatalf("heard %+v", h)
	}
	for _, it := range h.Items {
		if it.Raw != nil {
			t.Errorf("raw of %+v", it)
		}
	}
}

func TestEndsThatAreNone(t *testing.T) {
	part := item("done", "0", `{"type":"message","id":"m1","status":"completed","content":[{"type":"output_text","text":"a"}]}`)
	for _, c := range []struct {
		name  string
		event string
		kind  model.ErrorKind
		stop  model.Stop
		says  string
	}{
		{"failed", `{"type":"response.failed","response":{"error":{"code":"server_error","message":"it broke"}}}`, model.ErrOverload, "", "it broke"},
		{"error", `{"type":"error","code":"rate_limit_exceeded","message":"wait a bit","param":null}`, model.ErrRate, "", "wait a bit"},
		{"error, nested", `{"type":"error","error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"too much"}}`, model.ErrContext, "", "too much"},
		{"filtered", `{"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}}`, "", model.StopRefusal, "filter"},
		{"limit", `{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}`, "", model.StopLength, "max_output_tokens"},
	} {
		h := hear(t, model.Request{Model: "m"}, part, c.event)
		said := h.Detail
		if h.Err != nil {
			said = h.Err.Error()
		}
		if h.Kind() != c.kind || h.Stop != c.stop || !strings.Contains(said, c.says) {
			t.Errorf("%s: %+v", c.name, h)
		}
	}
}

func TestKeyIsRequired(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "stranger")
	if _, err := openai.New(openai.Options{}); err == nil {
		t.Error("no key was taken")
	}
}
