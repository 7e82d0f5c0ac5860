package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestLoadTakesEverySpelling(t *testing.T) {
	for name, text := range map[string]string{
		"dotted":          `{"companion.model":"openai/x","companion.edits.save":"never"}`,
		"nested":          `{"companion":{"model":"openai/x","edits":{"save":"never"}}}`,
		"mixed":           `{"companion":{"model":"openai/x","edits.save":"never"}}`,
		"bare":            `{"model":"openai/x","edits":{"save":"never"}}`,
		"comments":        "{\n// the model\n\"model\":\"openai/x\", /* c */ \"edits.save\":\"never\",}",
		"dotted in inner": `{"edits.save":"never","companion.model":"openai/x"}`,
	} {
		t.Run(name, func(t *testing.T) {
			s, problems := Load(Layer{Name: "f", Data: []byte(text)})
			if len(problems) != 0 || s.Model != "openai/x" || s.Edits.Save != "never" {
				t.Fatalf("model %q, save %q, problems %v", s.Model, s.Edits.Save, problems)
			}
		})
	}
}

func TestModelNamesAreNotCutAtDots(t *testing.T) {
	s, problems := Load(Layer{Name: "f", Data: []byte(
		`{"models":{"openai/gpt-5.4":{"images":true}},"companion.models.anthropic/claude-4.5.contextWindow":9}`)})
	if len(problems) != 0 {
		t.Fatal(problems)
	}
	if c := s.Models["openai/gpt-5.4"]; c.Images == nil || !*c.Images {
		t.Errorf("card %+v", c)
	}
	if c := s.Models["anthropic/claude-4.5"]; c.ContextWindow != 9 {
		t.Errorf("cards %+v", s.Models)
	}
}

func TestLaterLayersWinLeafByLeafAndRulesAddUp(t *testing.T) {
	s, problems := Load(
		Layer{Name: "user", Data: []byte(`{"lsp":{"gopls":{"command":"a","args":["x"]}},"permissions":{"rules":[{"effect":"command","pattern":"rm *","action":"deny"}]},"maxSteps":5}`)},
		Layer{Name: "editor", Data: []byte(`{"lsp":{"gopls":{"command":"b"}},"permissions":{"rules":[{"effect":"read","action":"allow"}]},"maxSteps":null}`), Section: true},
		Layer{Name: "nothing", Data: []byte("null")},
	)
	if len(problems) != 0 {
		t.Fatal(problems)
	}
	if g := s.LSP["gopls"]; g.Command != "b" || !reflect.DeepEqual(g.Args, []string{"x"}) {
		t.Errorf("gopls %+v", g)
	}
	if len(s.Permissions.Rules) != 2 || s.MaxSteps != 5 {
		t.Errorf("rules %+v, maxSteps %d", s.Permissions.Rules, s.MaxSteps)
	}
}

func TestWrongSettingsAreToldByKeyAndLineAndTheRestLoads(t *testing.T) {
	text := "{\n \"companion.model\": \"openai/x\",\n \"companion.maxSteps\": \"many\",\n \"companion.mode\": \"wild\",\n" +
		" \"companion.modle\": 1,\n \"companion.edits\": [],\n \"permissions\": {\"rules\": [{\"action\":\"maybe\"}, {\"action\":\"ask\"}]},\n \"maxSteps\": 0\n}"
	s, problems := Load(Layer{Name: "c.jsonc", Data: []byte(text)})
	if s.Model != "openai/x" || s.MaxSteps != 100 || s.Mode != "agent" || len(s.Permissions.Rules) != 1 {
		t.Errorf("settings %+v", s)
	}
	var got []string
	for _, p := range problems {
		got = append(got, p.String())
	}
	for _, want := range []string{
		`c.jsonc:4: companion.mode: is one of ask, plan, edit, agent, full, not "wild"`,
		`c.jsonc:5: companion.modle: is no setting of companion (did you mean "mode"?)`,
		`c.jsonc:6: companion.edits: is a JSON object, not []`,
		`c.jsonc:7: companion.permissions.rules[0].action: is one of allow, ask, deny, not "maybe"`,
		`c.jsonc:8: companion.maxSteps: is at least 1, not 0`,
	} {
		if !contains(got, want) {
			t.Errorf("missing %q in\n%s", want, strings.Join(got, "\n"))
		}
	}
}

func TestBrokenLayerIsToldWithItsPlace(t *testing.T) {
	s, problems := Load(Layer{Name: "c.jsonc", Data: []byte("{\n \"model\": oops\n}")}, Layer{Name: "later", Data: []byte(`{"model":"gemini/y"}`)})
	if s.Model != "gemini/y" || len(problems) != 1 || problems[0].Line != 2 {
		t.Fatalf("%q %+v", s.Model, problems)
	}
	if _, problems = Load(Layer{Name: "c", Data: []byte("[1]")}); len(problems) != 1 {
		t.Fatalf("%+v", problems)
	}
}

func TestTrustIsTiedToTheContent(t *testing.T) {
	root, state := t.TempDir(), t.TempDir()
	trust := NewTrust(state)
	if HasProject(root) || trust.Trusted(root) {
		t.Fatal("an empty root has no project configuration and is not trusted")
	}
	file := filepath.Join(root, ".companion", "config.jsonc")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(s string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(s), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"model":"a/b"}`)
	if err := trust.Set(root, true); err != nil {
		t.Fatal(err)
	}
	if !HasProject(root) || !NewTrust(state).Trusted(root) {
		t.Fatal("trust is remembered")
	}
	write(`{"model":"evil/b"}`)
	if trust.Trusted(root) {
		t.Fatal("changed content is untrusted")
	}
	if err := trust.Set(root, false); err != nil || trust.Trusted(root) {
		t.Fatal(err)
	}
}

func TestEverySettingIsDocumented(t *testing.T) {
	var walk func(reflect.Type, string)
	walk = func(tp reflect.Type, at string) {
		for i := range tp.NumField() {
			f := tp.Field(i)
			if f.Tag.Get("doc") == "" || f.Tag.Get("json") == "" {
				t.Errorf("%s.%s has no doc or json tag", at, f.Name)
			}
			next := f.Type
			if next.Kind() == reflect.Map || next.Kind() == reflect.Slice && next.Name() == "" {
				next = next.Elem()
			}
			if next.Kind() == reflect.Struct {
				walk(next, at+"."+f.Name)
			}
		}
	}
	walk(reflect.TypeFor[Settings](), "Settings")
}

func TestSettingsThatAreNestedWithoutEndAreTold(t *testing.T) {
	for _, open := range []string{"[", `{"a":`} {
		_, problems := Load(Layer{Name: "f", Data: []byte(strings.Repeat(open, 1_000_000))})
		if len(problems) != 1 || !strings.Contains(problems[0].String(), "nested") {
			t.Errorf("%q: %v", open, problems)
		}
	}
}

// A rule that forbids is not left out for a slip elsewhere in it: that would
// allow what it forbids.
func TestARuleThatIsWrongInPartKeepsItsWord(t *testing.T) {
	for text, want := range map[string][]Rule{
		`{"effect":"command","pattern":"rm *","action":"deny","why":"x"}`:  {{Effect: "command", Pattern: "rm *", Action: "deny"}},
		`{"effect":"command","pattern":"rm *","action":"deny","reason":5}`: {{Effect: "command", Pattern: "rm *", Action: "deny"}},
		`{"effect":"command","pattern":"rm *","action":"DENY"}`:            {{Effect: "command", Pattern: "rm *", Action: "ask"}},
		`{"effect":"command","pattern":"rm *","action":"allow","why":"x"}`: {},
		`{"effect":"command","pattern":["rm *"],"action":"deny"}`:          {},
		`{"effect":"commands","pattern":"rm *","action":"deny"}`:           {},
		`"rm *"`: {},
	} {
		s, problems := Load(Layer{Name: "f", Data: []byte(`{"permissions":{"rules":[` + text + `]}}`)})
		if len(problems) == 0 || !reflect.DeepEqual(append([]Rule{}, s.Permissions.Rules...), want) {
			t.Errorf("%s: %+v, %v", text, s.Permissions.Rules, problems)
		}
	}
}
