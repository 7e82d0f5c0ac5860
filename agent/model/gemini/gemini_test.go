package gemini_test

import (
	"flag"
	"net/http"
	"strings"
	"testing"

	"companion/agent/model"
	"companion/agent/model/gemini"
	"companion/agent/model/modeltest"
	"companion/agent/model/modeltest/suite"
)

var update = flag.Bool("update", false, "rewrite the goldens")

func newProvider(t *testing.T, baseURL string, client *http.Client) model.Provider {
	t.Helper()
	p, err := gemini.New(gemini.Options{APIKey: modeltest.Key, BaseURL: baseURL, HTTPClient: client})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestProvider(t *testing.T) {
	suite.Run(t, suite.Setup{
		Vendor: modeltest.Gemini,
		New:    newProvider,
		Env: []string{
			"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL", "GOOGLE_GENAI_USE_VERTEXAI",
			"GOOGLE_GENAI_USE_ENTERPRISE", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "GOOGLE_CLOUD_REGION",
			"GOOGLE_APPLICATION_CREDENTIALS",
		},
		Update: *update,
	})
}

func hear(t *testing.T, events ...string) modeltest.Heard {
	t.Helper()
	body := modeltest.Stream(modeltest.Gemini, 0, modeltest.Turn{RawEvents: events})
	p := newProvider(t, "", &http.Client{Transport: modeltest.RoundTripper(body, 0)})
	h := modeltest.Hear(p.Stream(t.Context(), model.Request{Model: "m"}))
	if h.Broken != "" {
		t.Error(h.Broken)
	}
	return h
}

func chunk(parts, finish string) string {
	c := `{"candidates":[{"content":{"role":"model","parts":[` + parts + `]}`
	if finish != "" {
		c += `,"finishReason":"` + finish + `","finishMessage":"said ` + finish + `"`
	}
	return c + `}]}`
}

func TestPartsAreKeptAsTheyCame(t *testing.T) {
	call := `{"functionCall":{"args":{"z":12345678901234567890,"a":1.50},"name":"read"},"thoughtSignature":"AA=="}`
	lone := `{"text":"","thoughtSignature":"BB=="}`
	odd := `{"brandNew":{"b":1,"a":2}}`
	h := hear(t, chunk(`{"text":"Hi"},{"text":" you"}`, ""), chunk(lone, ""), chunk(call+","+call, ""), chunk(odd, ""), chunk(lone, "STOP"))
	if h.Err != nil || h.Stop != model.StopTools || len(h.Items) != 4 {
		t.Fatalf("heard %+v", h)
	}
	for i, want := range []string{`[{"text":"Hi"},{"text":" you"},` + lone + `]`, `[` + call + `]`, `[` + call + `]`, `[` + odd + `,` + lone + `]`} {
		if string(h.Items[i].Raw) != want {
			t.Errorf("item %d: raw %s, want %s", i, h.Items[i].Raw, want)
		}
	}
	a, b := h.Items[1], h.Items[2]
	if a.Arguments != `{"z":12345678901234567890,"a":1.50}` || a.CallID == "" || a.CallID == b.CallID {
		t.Errorf("calls %+v, %+v", a, b)
	}
}

func TestResultsOfCallsWithoutIDHaveNone(t *testing.T) {
	server := modeltest.NewServer(t, modeltest.Gemini, modeltest.Turn{Text: "ok"})
	p := newProvider(t, server.URL+"/v1beta/", nil)
	raw := `[{"functionCall":{"args":{},"name":"read"},"thoughtSignature":"AA=="}]`
	h := modeltest.Hear(p.Stream(t.Context(), model.Request{Model: "m", Items: []model.Item{
		{Kind: model.Message, ID: "0", Role: model.User, Text: "read"},
		{Kind: model.ToolCall, ID: "1", CallID: "call_minted", Name: "read", Raw: []byte(raw), RawFor: "gemini/m"},
		{Kind: model.ToolReply, ID: "2", CallID: "call_minted", Name: "read", Text: "x"},
	}}))
	if h.Err != nil {
		t.Fatal(h.Err)
	}
	r := server.Requests()[0]
	if strings.Contains(string(r.Body), "call_minted") || !strings.Contains(string(r.Body), raw) || r.Path != "/v1beta/models/m:streamGenerateContent" {
		t.Errorf("%s: %s", r.Path, r.Body)
	}
}

func TestEnds(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []string
		kind   model.ErrorKind
		stop   model.Stop
		says   string
	}{
		{"a call the service could not read", []string{chunk("", "MALFORMED_FUNCTION_CALL")}, "", model.StopLength, "said MALFORMED"},
		{"too many calls", []string{chunk("", "TOO_MANY_TOOL_CALLS")}, "", model.StopLength, "said TOO"},
		{"continuation is ours to decide", []string{chunk(`{"text":"a"}`, "CONTINUATION")}, "", model.StopLength, "CONTINUATION"},
		{"prohibited", []string{chunk("", "PROHIBITED_CONTENT")}, "", model.StopRefusal, "said PROHIBITED"},
		{"the question was blocked", []string{`{"promptFeedback":{"blockReason":"SAFETY"}}`}, "", model.StopRefusal, "SAFETY"},
		{"nothing at all", []string{chunk("", "STOP")}, model.ErrEmpty, "", "nothing"},
		{"an error in the middle", []string{chunk(`{"text":"a"}`, ""), `{"error":{"code":503,"message":"The model is overloaded","status":"UNAVAILABLE"}}`}, model.ErrOverload, "", "The model is overloaded"},
		{"no end", []string{chunk(`{"text":"a"}`, "")}, model.ErrStreamCut, "", "broke off"},
	} {
		h := hear(t, c.events...)
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
	t.Setenv("GEMINI_API_KEY", "stranger")
	if _, err := gemini.New(gemini.Options{}); err == nil {
		t.Error("no key was taken")
	}
}

// Parts are replayed as they came, and the service refuses a call without a
// name, and pairs results by ids that two calls may share.
func TestReplayedCallsHaveANameAndAnIDOfTheirOwn(t *testing.T) {
	server := modeltest.NewServer(t, modeltest.Gemini, modeltest.Turn{Text: "ok"})
	p := newProvider(t, server.URL+"/v1beta/", nil)
	items := []model.Item{{Kind: model.Message, ID: "0", Role: model.User, Text: "read"}}
	for i, raw := range []string{
		`[{"functionCall":{"id":"same","name":"read","args":{"n":1.50}},"thoughtSignature":"AA=="}]`,
		`[{"functionCall":{"id":"same","name":"read","args":{"n":2.50}},"thoughtSignature":"BB=="}]`,
		`[{"functionCall":{"id":"","name":"","args":{}}}]`,
	} {
		id, name := string(rune(int('a')+i)), "read"
		if i == 2 {
			name = "_" // as a thread keeps it
		}
		items = append(items, model.Item{Kind: model.ToolCall, ID: id, CallID: id, Name: name, Raw: []byte(raw), RawFor: "gemini/m"},
			model.Item{Kind: model.ToolReply, ID: id + "r", CallID: id, Name: name, Text: id})
	}
	if h := modeltest.Hear(p.Stream(t.Context(), model.Request{Model: "m", Items: items})); h.Err != nil {
		t.Fatal(h.Err)
	}
	body := string(server.Requests()[0].Body)
	for _, want := range []string{
		`{"functionCall":{"id":"same","name":"read","args":{"n":1.50}},"thoughtSignature":"AA=="}`, `{"id":"same","name":"read","response":{"output":"a"}}`,
		`{"functionCall":{"args":{"n":2.50},"name":"read"},"thoughtSignature":"BB=="}`, `{"name":"read","response":{"output":"b"}}`,
		`{"functionCall":{"args":{},"name":"_"}}`, `{"name":"_","response":{"output":"c"}}`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in %s", want, body)
		}
	}
}
