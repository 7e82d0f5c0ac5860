package prompt

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"companion/agent/model"
	"companion/session"
	"companion/tools"
)

var update = flag.Bool("update", false, "rewrite goldens")

func TestInputsAreRendered(t *testing.T) {
	rng := json.RawMessage(`{"start":{"line":2,"character":0},"end":{"line":4,"character":5}}`)
	diags := json.RawMessage(`[
	  {"range":{"start":{"line":9,"character":1},"end":{"line":9,"character":2}},"severity":1,"source":"compiler","code":"Undeclared","message":"undefined: x\nsee y"},
	  {"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"severity":4,"code":6133,"message":"unused"},
	  {"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"message":"bare"}]`)
	const uri = "file:///proj/dir/a%20b.go"
	cases := []struct {
		in   session.Input
		want string
	}{
		{session.Input{Type: "text", Text: "hello\n\n"}, "hello"},
		{session.Input{Type: "file", URI: uri}, "File: dir/a b.go"},
		{session.Input{Type: "file", URI: "untitled:Untitled-1"}, "File: untitled:Untitled-1"},
		{session.Input{Type: "selection", URI: uri, Range: rng, Text: "x\n"}, "Selection in dir/a b.go 3:1-5:6:\n```\nx\n```"},
		{session.Input{Type: "selection", URI: uri, Range: rng}, "Selection in dir/a b.go 3:1-5:6"},
		{session.Input{Type: "skill", Name: "pdf"}, "Use the skill pdf."},
		{session.Input{Type: "diagnostics", URI: uri}, "Fix the problems in: dir/a b.go"},
		{session.Input{Type: "diagnostics", URI: uri, Diags: diags}, "Fix these diagnostics in dir/a b.go:\n" +
			"dir/a b.go:10:2: error: undefined: x ⏎ see y [compiler Undeclared]\ndir/a b.go:1:1: hint: unused [6133]\ndir/a b.go:1:1: error: bare"},
		{session.Input{Type: "smell"}, `(input of the unknown type "smell")`},
		{session.Input{Type: "image", Data: "!"}, "(an image that could not be read: illegal base64 data at input byte 0)"},
	}
	for _, c := range cases {
		if got := Message([]session.Input{c.in}, []string{"/proj", "/other"}).Text; got != c.want {
			t.Errorf("%s: %q, want %q", c.in.Type, got, c.want)
		}
	}
	it := Message([]session.Input{{Type: "image", MimeType: "image/png", Data: "AAEC"}}, nil)
	if len(it.Images) != 1 || len(it.Images[0].Data) != 3 || it.Role != model.User {
		t.Errorf("image: %+v", it)
	}
	if got := Message(nil, nil).Text; got != "(no input)" {
		t.Errorf("nothing: %q", got)
	}
}

func TestStrictIsForClosedSchemasOfOurs(t *testing.T) {
	const closed = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"array","items":{"type":"object","properties":{"c":{"type":"string"}},"required":["c"],"additionalProperties":false}}},"required":["a","b"],"additionalProperties":false}`
	for name, c := range map[string]struct {
		schema string
		source tools.Source
		want   bool
	}{
		"closed":              {closed, "", true},
		"closed, foreign":     {closed, tools.MCP, false},
		"optional property":   {strings.Replace(closed, `["a","b"]`, `["a"]`, 1), "", false},
		"open":                {strings.Replace(closed, `"required":["a","b"],"additionalProperties":false`, `"required":["a","b"]`, 1), "", false},
		"open inside":         {strings.Replace(closed, `["c"],"additionalProperties":false`, `["c"]`, 1), "", false},
		"no properties, open": {`{"type":"object"}`, "", false},
		"no schema":           {``, "", false},
	} {
		if got := Describe(tools.Spec{Name: "x", Input: json.RawMessage(c.schema), Source: c.source}).Strict; got != c.want {
			t.Errorf("%s: strict %v", name, got)
		}
	}
}

func TestInstructionsByModeAndCard(t *testing.T) {
	cards := map[string]bool{"parallel": true, "serial": false}
	for _, mode := range []tools.Mode{tools.ModeAsk, tools.ModePlan, tools.ModeEdit, tools.ModeAgent, tools.ModeFull} {
		for name, parallel := range cards {
			golden(t, string(mode)+"-"+name, Instructions(mode, parallel))
		}
	}
	golden(t, "offline", Offline())
	if a, b := Instructions("strange", false), Instructions(tools.ModeAgent, false); a != b {
		t.Error("an unknown mode has no instructions")
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "instructions", name+".md")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ReplaceAll(string(want), "\r\n", "\n") != got+"\n" {
		t.Errorf("%s differs; rewrite with -update and look at the difference", path)
	}
}

func TestEstimateCountsAllText(t *testing.T) {
	req := model.Request{System: "1234567", Tools: []model.Tool{{Name: "1234567"}}, Items: []model.Item{{Text: "1234567"}, {Name: "123", Arguments: "4567"}}}
	if got := Estimate(req); got != 8 {
		t.Errorf("%d tokens for 28 bytes", got)
	}
	if ModelName("openai/org/model") != "org/model" || ModelName("plain") != "plain" {
		t.Error("the model's name is not what follows the first slash")
	}
}
