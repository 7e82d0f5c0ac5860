package model_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"companion/agent/model"
)

func TestDefaultsHaveASource(t *testing.T) {
	for _, p := range []string{"openai", "anthropic", "gemini"} {
		name, source := model.DefaultModel(p)
		if name == "" || source == "" {
			t.Errorf("%s: %q from %q", p, name, source)
		}
	}
	if name, _ := model.DefaultModel("compatible"); name != "" {
		t.Errorf("compatible has the default %q", name)
	}
}

func TestIDsAreTakenOnce(t *testing.T) {
	ids := model.NewIDs([]model.Item{{ID: "a", Kind: model.ToolCall, CallID: "b"}})
	seen := map[string]bool{"a": true, "b": true}
	for _, want := range []string{"a", "b", "", "", "c", "c"} {
		got := ids.Take(want, "call")
		if got == "" || seen[got] || (want == "c" && !seen["c"] && got != "c") {
			t.Errorf("Take(%q) = %q", want, got)
		}
		seen[got] = true
	}
}

func TestArgumentsAreAlwaysAnObject(t *testing.T) {
	for in, want := range map[string]string{
		"":                 `{}`,
		"  ":               `{}`,
		`{"b":1,"a":2}`:    `{"b":1,"a":2}`,
		`{"path":"a`:       `{"unreadable_arguments":"{\"path\":\"a"}`,
		`[1]`:              `{"unreadable_arguments":"[1]"}`,
		`"x"`:              `{"unreadable_arguments":"\"x\""}`,
		"\xff":             `{"unreadable_arguments":"\ufffd"}`,
		` {"n":1e400 } `:   `{"n":1e400 }`,
		`{"a":1}{"b":2}`:   `{"unreadable_arguments":"{\"a\":1}{\"b\":2}"}`,
		`{"path":"a.go"}}`: `{"unreadable_arguments":"{\"path\":\"a.go\"}}"}`,
	} {
		if got := string(model.ArgumentsObject(in)); got != want || !json.Valid([]byte(got)) {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestStrictOnlyWhereEveryVendorTakesIt(t *testing.T) {
	const ok = `{"type":"object","properties":{"a":{"type":["string","null"],"description":"d"},"l":{"type":"array","items":{"type":"string","enum":["x"]}}},"required":["a","l"],"additionalProperties":false}`
	for schema, want := range map[string]bool{
		ok: true,
		strings.Replace(ok, `,"additionalProperties":false`, "", 1):        false,
		strings.Replace(ok, `"required":["a","l"]`, `"required":["a"]`, 1): false,
		strings.Replace(ok, `"enum":["x"]`, `"minLength":1`, 1):            false,
		strings.Replace(ok, `"enum":["x"]`, `"properties":{}`, 1):          false,
		`not json`: false,
	} {
		if got := model.StrictSchema(model.Tool{Strict: true, Parameters: []byte(schema)}); got != want {
			t.Errorf("%v for %s", got, schema)
		}
		if model.StrictSchema(model.Tool{Parameters: []byte(schema)}) {
			t.Error("strict without being asked")
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "7", 7 * time.Second},
		{"Retry-After", "0.5", 500 * time.Millisecond},
		{"Retry-After", "Mon, 30 Nov 2026 12:00:30 GMT", 30 * time.Second},
		{"Retry-After", "Mon, 30 Nov 2026 11:00:00 GMT", 0},
		{"Retry-After", "soon", 0},
		{"Retry-After", "-1", 0},
		{"Retry-After", "1e300", 24 * time.Hour},
		{"Retry-After", "NaN", 0},
		{"Retry-After-Ms", "250", 250 * time.Millisecond},
		{"X-Other", "7", 0},
	} {
		if got := model.RetryAfter(http.Header{c.name: {c.value}}, now); got != c.want {
			t.Errorf("%s: %s gives %v, want %v", c.name, c.value, got, c.want)
		}
	}
}

func TestRefusalsHaveTheirKind(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		kind   model.ErrorKind
		says   string
	}{
		{401, `{"error":{"message":"bad key k-123456","type":"x"}}`, model.ErrAuth, "bad key [key]"},
		{429, `{"error":{"message":"no credit","code":"insufficient_quota"}}`, model.ErrAuth, "no credit"},
		{429, `{"error":{"message":"slow","code":"rate_limit_exceeded"}}`, model.ErrRate, "slow"},
		{400, `{"error":{"message":"too big","code":"context_length_exceeded"}}`, model.ErrContext, "too big"},
		{400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, model.ErrAuth, "not valid"},
		{400, `{"error":"model not loaded"}`, model.ErrRequest, "model not loaded"},
		{422, `{"detail":"nope"}`, model.ErrRequest, "nope"},
		{502, `<html>gateway</html>`, model.ErrOverload, "Bad Gateway"},
		{500, ``, model.ErrOverload, "Internal Server Error"},
		{413, `{"type":"error","error":{"type":"request_too_large","message":"big"}}`, model.ErrContext, "big"},
		{0, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, model.ErrOverload, "Overloaded"},
		{0, `{"type":"error","code":"server_error","message":"oops"}`, model.ErrOverload, "oops"},
		{0, `{"id":"resp_1","error":{"code":"rate_limit_exceeded","message":"wait"}}`, model.ErrRate, "wait"},
		{0, `{"error":null}`, model.ErrRequest, ""},
	} {
		e := model.Refusal("p", c.status, nil, []byte(c.body), []string{"k-123456"})
		if e.Kind != c.kind || !strings.Contains(e.Error(), c.says) {
			t.Errorf("%d %s: %s, %v", c.status, c.body, e.Kind, e)
		}
	}
}

func TestSecretsAreRedacted(t *testing.T) {
	secrets := model.Secrets("k/ey+1234", map[string]string{"Authorization": "Bearer tok-en-99", "X": "1"})
	text := model.Redact("k/ey+1234 k%2Fey%2B1234 Bearer tok-en-99 tok-en-99 1", secrets...)
	if text != "[key] [key] [key] [key] 1" {
		t.Error(text)
	}
}

func TestEmitterEndsOnce(t *testing.T) {
	var got []string
	e := model.NewEmitter(func(ev model.Event, err error) bool {
		if err != nil {
			got = append(got, "error")
		} else {
			got = append(got, string(ev.Kind))
		}
		return true
	})
	e.Delta(model.TextDelta, "1", "")
	e.Usage(model.Usage{})
	e.Item(model.Item{ID: "1", Kind: model.ToolCall})
	e.Done("p", model.StopEnd, "")
	e.Fail(errors.New("late"))
	e.Item(model.Item{ID: "2"})
	if want := "item.done done"; strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSilentServersAreGivenUp(t *testing.T) {
	hang := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
		}
		select {
		case <-hang:
		case <-r.Context().Done():
		}
	}))
	defer server.Close()
	defer close(hang)
	client := http.Client{Transport: &model.Transport{Provider: "p", Next: http.DefaultTransport, Idle: 30 * time.Millisecond}}
	for path, kind := range map[string]model.ErrorKind{"/headers": model.ErrNetwork, "/body": model.ErrStreamCut} {
		resp, err := client.Get(server.URL + path)
		if err == nil {
			_, err = io.ReadAll(resp.Body)
			_ = resp.Body.Close()
		}
		var e *model.Error
		if !errors.As(err, &e) || e.Kind != kind || !strings.Contains(e.Text, "nothing came for 30ms") {
			t.Errorf("%s: %v", path, err)
		}
	}
}
