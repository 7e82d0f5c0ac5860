package suite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"companion/agent/model"
	"companion/agent/model/modeltest"
)

// requests checks what is sent: goldens, and that requests only grow.
func (s Setup) requests(t *testing.T) {
	t.Run("a second request replays and only appends", s.grows)
	t.Run("another model gets no raw items", s.otherModel)
	t.Run("requests are as the goldens", s.goldens)
	t.Run("empty texts are sent as the vendor takes them", s.empty)
	t.Run("all five forms of tools, found and added ones", s.forms)
	t.Run("calls that no vendor takes back are sent in a form that each does", s.replays)
}

// Conversation is a thread of three requests as the agent would build it from
// what the server's turns said.
func (s Setup) conversation(t *testing.T) (*modeltest.Server, []model.Item) {
	t.Helper()
	server := modeltest.NewServer(t, s.Vendor, turn(), modeltest.Turn{Text: "Now c.go.", Calls: []modeltest.Call{{Name: "read", Arguments: `{"path":"c.go","a":null}`}}}, modeltest.Turn{Text: "Done."})
	p := s.New(t, server.URL, nil)
	req := ask()
	for range 3 {
		h := modeltest.Hear(p.Stream(t.Context(), req))
		if h.Err != nil || h.Broken != "" {
			t.Fatalf("heard %+v", h)
		}
		for i, it := range h.Items { // a thread has call ids of its own
			if it.Kind == model.ToolCall {
				h.Items[i].CallID = fmt.Sprintf("c%d", len(req.Items)+i)
			}
		}
		req.Items = append(req.Items, h.Items...)
		for _, it := range h.Items {
			if it.Kind == model.ToolCall {
				req.Items = append(req.Items, model.Item{
					Kind: model.ToolReply, ID: "r" + it.ID, CallID: it.CallID, Name: it.Name, Namespace: it.Namespace,
					Text: "contents of " + it.Arguments, IsError: it.Namespace != "",
				})
			}
		}
	}
	return server, req.Items
}

func (s Setup) grows(t *testing.T) {
	server, items := s.conversation(t)
	for _, b := range server.Prefix() {
		t.Error(b)
	}
	last := string(server.Requests()[2].Body)
	for _, it := range items {
		if it.RawFor != "" && it.RawFor != string(s.Vendor)+"/m-1" {
			t.Errorf("raw for %q", it.RawFor)
		}
	}
	if want := map[modeltest.Vendor]string{modeltest.OpenAI: "enc-1", modeltest.Anthropic: "sig-1", modeltest.Gemini: "c2lnbmF0dXJl", modeltest.Compatible: `"tool_call_id":"c4"`}[s.Vendor]; !strings.Contains(last, want) {
		t.Errorf("%q is not replayed: %s", want, last)
	}
}

func (s Setup) otherModel(t *testing.T) {
	_, items := s.conversation(t)
	server := modeltest.NewServer(t, s.Vendor, modeltest.Turn{Text: "ok", Expect: []string{"b.go", "contents of"}})
	req := ask()
	req.Model, req.Items = "m-2", append(items, model.Item{Kind: model.Message, ID: "u9", Role: model.User, Text: "And now?"})
	if h := modeltest.Hear(s.New(t, server.URL, nil).Stream(t.Context(), req)); h.Err != nil {
		t.Fatal(h.Err)
	}
	body := string(server.Requests()[0].Body)
	for _, secret := range []string{"enc-1", "sig-1", "c2lnbmF0dXJl", "größe"} {
		if strings.Contains(body, secret) {
			t.Errorf("%q of another model was sent: %s", secret, body)
		}
	}
}

// everything is a request with each kind of item, from another vendor's thread.
func everything() model.Request {
	req := ask()
	req.Options.Effort, req.Options.MaxOutput, req.Options.SerialCalls = "high", 4096, true
	req.Takes.Freeform = true
	req.Tools = append(req.Tools, model.Tool{Name: "patch", Description: "Applies a patch.", Grammar: "start: /.+/", LongText: true})
	req.Items = []model.Item{
		{Kind: model.Message, ID: "1", Role: model.User, Text: "Look", Images: []model.Image{{MimeType: "image/png", Data: []byte("png")}}},
		{Kind: model.Message, ID: "2", Role: model.Developer, Text: "Mode: edit <&>"},
		{Kind: model.Reasoning, ID: "3", Text: "hidden", Raw: json.RawMessage(`{"foreign":true}`), RawFor: "other/m-1"},
		{Kind: model.Message, ID: "4", Role: model.Assistant, Text: ""},
		{Kind: model.Message, ID: "5", Role: model.Assistant, Text: "I look."},
		{Kind: model.ToolCall, ID: "6", CallID: "functions.read:0", Name: "read", Arguments: `{"path":"a.go","a":null}`},
		{Kind: model.ToolCall, ID: "7", CallID: "c7", Name: "show", Namespace: "editor", Arguments: `{"zeta":"cut o`, Incomplete: true},
		{Kind: model.ToolCall, ID: "8", CallID: "c8", Name: "patch", Arguments: "*** Begin"},
		{Kind: model.ToolReply, ID: "9", CallID: "functions.read:0", Name: "read", Text: "package a"},
		{Kind: model.ToolReply, ID: "10", CallID: "c7", Name: "show", Namespace: "editor", Text: "the call was cut off", IsError: true},
		{Kind: model.ToolReply, ID: "11", CallID: "c8", Name: "patch", Images: []model.Image{{MimeType: "image/png", Data: []byte("png")}}},
		{Kind: model.Message, ID: "12", Role: model.User, Text: "Go on"},
	}
	return req
}

func (s Setup) goldens(t *testing.T) {
	server := modeltest.NewServer(t, s.Vendor, modeltest.Turn{Text: "ok"})
	if h := modeltest.Hear(s.New(t, server.URL, nil).Stream(t.Context(), everything())); h.Err != nil {
		t.Fatal(h.Err)
	}
	s.golden(t, "everything", server.Requests()[0])
	thread, _ := s.conversation(t)
	s.golden(t, "third", thread.Requests()[2])
}

// golden compares a request's path and body, indented, keys in the wire's order.
func (s Setup) golden(t *testing.T, name string, r modeltest.Request) {
	t.Helper()
	var got bytes.Buffer
	got.WriteString("POST " + r.Path + "\n")
	if err := json.Indent(&got, r.Body, "", "  "); err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	path := filepath.Join("testdata", name+".http")
	if s.Update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run the test with -update", err)
	}
	want = bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))
	if !bytes.Equal(bytes.TrimSpace(got.Bytes()), bytes.TrimSpace(want)) {
		t.Errorf("%s differs; -update rewrites it. Got:\n%s", path, got.Bytes())
	}
}

// empty is HB-177: outputs, messages and reasoning without text. The server
// refuses what the vendor would.
func (s Setup) empty(t *testing.T) {
	for _, blank := range []string{"", " \n\t"} {
		server := modeltest.NewServer(t, s.Vendor, modeltest.Turn{Text: "ok"})
		req := ask()
		req.Items = []model.Item{
			{Kind: model.Message, ID: "1", Role: model.User, Text: blank, Images: []model.Image{{MimeType: "image/png", Data: []byte("png")}}},
			{Kind: model.Reasoning, ID: "2", Text: blank},
			{Kind: model.Message, ID: "3", Role: model.Assistant, Text: blank},
			{Kind: model.ToolCall, ID: "4", CallID: "c4", Name: "read", Arguments: blank},
			{Kind: model.ToolReply, ID: "5", CallID: "c4", Name: "read", Text: blank},
			{Kind: model.ToolCall, ID: "6", CallID: "c6", Name: "read", Arguments: `{"path":"cut`, Incomplete: true},
			{Kind: model.ToolReply, ID: "7", CallID: "c6", Name: "read", Text: blank, IsError: true},
			{Kind: model.Message, ID: "8", Role: model.User, Text: "Go on"},
		}
		if h := modeltest.Hear(s.New(t, server.URL, nil).Stream(t.Context(), req)); h.Err != nil {
			t.Errorf("%q: %v", blank, h.Err)
		}
		if body := string(server.Requests()[0].Body); blank == "" && !strings.Contains(body, "(no output)") {
			t.Errorf("an empty output is sent as it is: %s", body)
		}
	}
}
