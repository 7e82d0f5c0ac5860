package editortest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"companion/agent/model"
	"companion/agent/model/anthropic"
	"companion/agent/model/compatible"
	"companion/agent/model/gemini"
	"companion/agent/model/modeltest"
	"companion/agent/model/openai"
	"companion/internal/editortest"
)

type starter = func(t testing.TB, sv editortest.Server) (rwc io.ReadWriteCloser, wait func() (int, error))

// traced has the scripted model write down what it is asked.
func traced(start starter, trace string) starter {
	return func(t testing.TB, sv editortest.Server) (io.ReadWriteCloser, func() (int, error)) {
		sv.Env = append(sv.Env, "COMPANION_SCRIPT_TRACE="+trace)
		return start(t, sv)
	}
}

// onlyGrows holds that, of what a scenario's threads asked, each request would
// be on every vendor's wire a prefix of the next of its thread, but where the
// usage of the step says why not. A list of tools may grow where the wire has no
// other way.
func onlyGrows(t *testing.T, trace, state string) {
	t.Helper()
	raw, err := os.ReadFile(trace)
	if err != nil {
		return // the scenario asks no model
	}
	threads := map[string][]model.Request{}
	for _, line := range bytes.Split(bytes.TrimSpace(raw), []byte("\n")) {
		var req model.Request
		if err := json.Unmarshal(line, &req); err != nil {
			t.Fatal(err)
		}
		threads[req.Options.CacheKey] = append(threads[req.Options.CacheKey], req)
	}
	told := brokenPrefixes(t, state)
	for thread, requests := range threads {
		allowed := told[thread]
		for i := 1; i < len(requests); i++ {
			if beginsWith(requests[i], requests[i-1]) {
				continue
			}
			if allowed--; allowed < 0 {
				t.Errorf("thread %s: request %d does not begin with the instructions, tools and items of the one before", thread, i+1)
			}
		}
		if raceDetector {
			continue // the vendors' libraries take minutes under it; the run against the binary does this too
		}
		for _, v := range []modeltest.Vendor{modeltest.OpenAI, modeltest.Compatible, modeltest.Anthropic, modeltest.Gemini} {
			late := v == modeltest.OpenAI || v == modeltest.Anthropic
			allowed := told[thread]
			for _, b := range modeltest.Prefix(v, onWire(t, v, requests, model.Takes{Namespaces: late, Freeform: late, Late: late})) {
				if b.Grew && !late {
					continue
				}
				if allowed--; allowed < 0 {
					t.Errorf("%s, thread %s: %s", v, thread, b)
				}
			}
		}
	}
}

// beginsWith tells whether a request, as the agent makes it for every vendor,
// begins with the one before it, element by element.
func beginsWith(req, prev model.Request) bool {
	same := func(a, b any) bool {
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		return bytes.Equal(x, y)
	}
	n, m := len(prev.Tools), len(prev.Items)
	return req.System == prev.System && len(req.Tools) >= n && len(req.Items) >= m && same(req.Tools[:n], prev.Tools) && same(req.Items[:m], prev.Items)
}

// brokenPrefixes counts, by thread, the steps whose usage says that the prefix
// is another one.
func brokenPrefixes(t *testing.T, state string) map[string]int {
	t.Helper()
	told := map[string]int{}
	err := filepath.WalkDir(state, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".jsonl" {
			return err
		}
		log, err := os.ReadFile(path)
		for _, line := range strings.Split(string(log), "\n") {
			if strings.Contains(line, `"prefixBroken"`) || strings.Contains(line, `"context.compacted"`) {
				told[strings.TrimSuffix(filepath.Base(path), ".jsonl")]++
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return told
}

// onWire are requests as a vendor gets them.
func onWire(t *testing.T, v modeltest.Vendor, requests []model.Request, takes model.Takes) []modeltest.Request {
	t.Helper()
	var got []modeltest.Request
	client := &http.Client{Transport: catcher(func(body []byte) { got = append(got, modeltest.Request{Body: body}) })}
	var p model.Provider
	var err error
	switch v {
	case modeltest.OpenAI:
		p, err = openai.New(openai.Options{APIKey: modeltest.Key, HTTPClient: client})
	case modeltest.Compatible:
		p, err = compatible.New(compatible.Options{BaseURL: "http://model.invalid/v1", HTTPClient: client})
	case modeltest.Anthropic:
		p, err = anthropic.New(anthropic.Options{APIKey: modeltest.Key, HTTPClient: client})
	default:
		p, err = gemini.New(gemini.Options{APIKey: modeltest.Key, HTTPClient: client})
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, req := range requests {
		req.Model, req.Takes = "m", takes
		for _, err := range p.Stream(context.Background(), req) {
			if err != nil {
				break
			}
		}
	}
	if len(got) != len(requests) {
		t.Errorf("%s: %d of %d requests were sent", v, len(got), len(requests))
	}
	return got
}

// catcher hears the bodies of requests and answers none.
type catcher func(body []byte)

func (c catcher) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	c(body)
	return nil, io.ErrUnexpectedEOF
}

func TestABreakIsFoundOnEveryWire(t *testing.T) {
	say := func(texts ...string) model.Request {
		req := model.Request{Tools: []model.Tool{{Name: "read"}}}
		for _, s := range texts {
			req.Items = append(req.Items, model.Item{Kind: model.Message, Role: model.User, Text: s}, model.Item{Kind: model.Message, Role: model.Assistant, Text: "I hear " + s})
		}
		return req
	}
	for _, v := range []modeltest.Vendor{modeltest.OpenAI, modeltest.Compatible, modeltest.Anthropic, modeltest.Gemini} {
		if b := modeltest.Prefix(v, onWire(t, v, []model.Request{say("a"), say("a", "b"), say("a", "b", "c")}, model.Takes{})); len(b) > 0 {
			t.Errorf("%s: %v", v, b)
		}
		if b := modeltest.Prefix(v, onWire(t, v, []model.Request{say("a", "b"), say("x", "b", "c")}, model.Takes{})); len(b) != 1 || b[0].Grew {
			t.Errorf("%s: %v", v, b)
		}
	}
}
