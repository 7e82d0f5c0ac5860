package arguments

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"companion/tools/schema"
)

const input = `{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"integer"},"list":{"type":"array","items":{"type":"string"}},"opts":{"type":["object","null"]},"either":{"anyOf":[{"type":"string"},{"type":"array"}]}},"required":["path"],"additionalProperties":false}`

func form(t testing.TB, in string, freeform bool, lark string) *Form {
	t.Helper()
	f, err := Compile(nil, json.RawMessage(in), freeform, lark)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// HB-165: arrays and objects come as JSON text, and are taken out of it only
// where the schema has no place for a string.
func TestValuesInStringsAreTakenOutWhereNoStringCanBeMeant(t *testing.T) {
	f := form(t, input, false, "")
	for raw, want := range map[string]string{
		`{"path":"a","list":"[\"x\"]"}`: `{"list":["x"],"path":"a"}`,
		`{"path":"a","opts":"{}"}`:      `{"opts":{},"path":"a"}`,
		`{"path":"a","opts":""}`:        `{"opts":null,"path":"a"}`,
		`{"path":"[1]"}`:                `{"path":"[1]"}`,
		`{"path":"a","either":"[1]"}`:   `{"path":"a","either":"[1]"}`,
		`{"path":"a","n":"3"}`:          `{"n":3,"path":"a"}`,
		`{"path":"true"}`:               `{"path":"true"}`,
	} {
		got, notes, err := f.Read(Call{Tool: "x", Raw: []byte(raw), Input: json.RawMessage(input)})
		if err != nil || string(got) != want || len(notes) > 0 {
			t.Errorf("%s: %s, %q, %v; want %s", raw, got, notes, err, want)
		}
	}
}

// HB-178: what the output limit cut off is refused unless the tool only reads;
// also where it looks whole.
func TestWhatTheOutputLimitCutOff(t *testing.T) {
	for name, c := range map[string]struct {
		raw      string
		readOnly bool
		freeform bool
		want     string // of the arguments; "" = refused
		note     string
	}{
		"a writer's":                      {`{"path":"a","list":["go vet","go test"`, false, false, "", ""},
		"a writer's that looks whole":     {`{"path":"a"}`, false, false, "", ""},
		"a reader's":                      {`{"path":"a","n":3`, true, false, `{"path":"a","n":3}`, `read as {"path":"a","n":3}`},
		"a reader's without what it must": {`{"n":3`, true, false, "", ""},
		"a reader's of which nothing is":  {``, true, false, "", ""},
		"a writer's text":                 {"*** Begin\n*** Add", false, true, "", ""},
		"a reader's text":                 {"find thi", true, true, `{"input":"find thi"}`, "taken as far as it came"},
		"a reader's wrapped text":         {`{"input":"find thi`, true, true, `{"input":"find thi"}`, "taken as far as it came"},
	} {
		t.Run(name, func(t *testing.T) {
			in := input
			if c.freeform {
				in = ""
			}
			got, notes, err := form(t, in, c.freeform, "").Read(Call{Tool: "x", Raw: []byte(c.raw), Cut: true, ReadOnly: c.readOnly, Freeform: c.freeform, Input: json.RawMessage(in)})
			var wrong *Wrong
			switch {
			case c.want == "" && (!errors.As(err, &wrong) || !strings.Contains(err.Error(), "x was not run")):
				t.Errorf("%s, %v", got, err)
			case c.want != "" && (err != nil || string(got) != c.want || len(notes) != 1 || !strings.Contains(notes[0], c.note)):
				t.Errorf("%s, %q, %v", got, notes, err)
			}
		})
	}
}

func TestATextThatIsReadAsTheOnlyParameterIsTold(t *testing.T) {
	got, notes, err := form(t, input, false, "").Read(Call{Tool: "x", Raw: []byte("src/main.go"), Input: json.RawMessage(input)})
	if err != nil || string(got) != `{"path":"src/main.go"}` || len(notes) != 1 || !strings.Contains(notes[0], `plain text and were read as "path"`) {
		t.Errorf("%s, %q, %v", got, notes, err)
	}
}

// healer is a tool's own Fitter: it takes a fence off, and the grammar sees what
// is left.
type healer struct{}

func (healer) Fit(args json.RawMessage) (json.RawMessage, error) {
	return json.RawMessage(strings.ReplaceAll(string(args), "```", "")), nil
}

func TestAToolsOwnFitterHealsBeforeTheGrammarIsAsked(t *testing.T) {
	f, err := Compile(healer{}, nil, true, `start: "go"`)
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := f.Read(Call{Tool: "x", Raw: []byte("```go```"), Freeform: true}); err != nil || string(got) != `{"input":"go"}` {
		t.Errorf("%s, %v", got, err)
	}
	var wrong *schema.Misfit
	if _, err := f.Fit(json.RawMessage(`{"input":"stop"}`)); !errors.As(err, &wrong) {
		t.Error(err)
	}
}

// Whatever a model sends, there is an object or words.
func FuzzArgumentsAreAnObjectOrRefused(f *testing.F) {
	f.Add([]byte(`{"path":"a"}`), false, true, false)
	f.Add([]byte(`"{\"path\":1}"`), true, true, true)
	f.Add([]byte("text"), false, false, true)
	function, text := form(f, input, false, ""), form(f, "", true, `start: /[a-z ]*/`)
	f.Fuzz(func(t *testing.T, raw []byte, cut, readOnly, freeform bool) {
		form, in := function, input
		if freeform {
			form, in = text, ""
		}
		got, _, err := form.Read(Call{Tool: "x", Raw: raw, Cut: cut, ReadOnly: readOnly, Freeform: freeform, Input: json.RawMessage(in)})
		var wrong *Wrong
		var object map[string]json.RawMessage
		switch {
		case err != nil && !errors.As(err, &wrong):
			t.Fatalf("%q: %v", raw, err)
		case err == nil && json.Unmarshal(got, &object) != nil:
			t.Fatalf("%q gives %s", raw, got)
		case err == nil && cut && !readOnly:
			t.Fatalf("%q was cut off and goes through", raw)
		}
	})
}

// What stands in a fence or behind a mark of byte order was once given to the
// shell as it stood, which ran the fence as a command.
func TestAnObjectInAFenceIsNoTextForTheOnlyParameter(t *testing.T) {
	const shell = `{"type":"object","properties":{"command":{"type":"string"}},"required":["command"],"additionalProperties":false}`
	f := form(t, shell, false, "")
	for raw, want := range map[string]string{
		"```json\n{\"command\":\"ls\"}\n```":     `{"command":"ls"}`,
		"```\n{\"command\":\"ls\"}```":           `{"command":"ls"}`,
		"\ufeff{\"command\":\"ls\"}":             `{"command":"ls"}`,
		"\ufeff```json\n{\"command\":\"ls\"}\n`": "",
		"\ufeff{\"command\":\"ls\"":              "",
		"```json\n{\"command\":\"ls\",}\n```":    "",
		"```sh\nls\n```":                         "",
		"`ls`":                                   "",
		"ls -l":                                  `{"command":"ls -l"}`,
	} {
		got, _, err := f.Read(Call{Tool: "exec_command", Raw: []byte(raw), Input: json.RawMessage(shell)})
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%q: %s, %v; want %s", raw, got, err, want)
		}
	}
}
