package tools

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"companion/tools/schema"
)

type sample struct {
	Path  string `json:"path" desc:"A path."`
	Lines int    `json:"lines,omitempty" min:"1" max:"10" desc:"Default 3, 1 to 10 lines."`
	Deep  bool   `json:"deep,omitempty" desc:"Default false."`
	Edits []struct {
		Old string `json:"old" desc:"Old text."`
	} `json:"edits,omitempty" desc:"Edits."`
	Kind string `json:"kind,omitempty" enum:"a|b" desc:"Kind."`
}

func sampleBox(readOnly bool) *Box {
	return boxOf(fake{spec: Spec{Name: "sample", Input: schema.Of[sample](), ReadOnly: readOnly}})
}

func TestArgumentsAreCoercedWhereNothingIsLost(t *testing.T) {
	for name, c := range map[string]struct{ raw, want string }{
		"fitting arguments keep their bytes": {`{"path":"a", "lines":3}`, `{"path":"a", "lines":3}`},
		"number as a string":                 {`{"path":"a","lines":"3"}`, `{"lines":3,"path":"a"}`},
		"boolean as a string":                {`{"path":"a","deep":"true"}`, `{"deep":true,"path":"a"}`},
		"whole float for an integer":         {`{"path":"a","lines":3.0}`, `{"lines":3,"path":"a"}`},
		"array as a string":                  {`{"path":"a","edits":"[{\"old\":\"x\"}]"}`, `{"edits":[{"old":"x"}],"path":"a"}`},
		"lone object for an array":           {`{"path":"a","edits":{"old":"x"}}`, `{"edits":[{"old":"x"}],"path":"a"}`},
		"object as a string in an array":     {`{"path":"a","edits":["{\"old\":\"x\"}"]}`, `{"edits":[{"old":"x"}],"path":"a"}`},
		"null for an absent optional":        {`{"path":"a","lines":null,"kind":null}`, `{"path":"a"}`},
		"the whole object as a string":       {`"{\"path\":\"a\"}"`, `{"path":"a"}`},
		"a string that looks like a number":  {`{"path":"3"}`, `{"path":"3"}`},
	} {
		t.Run(name, func(t *testing.T) {
			inv := invoke(sampleBox(false), "sample", c.raw)
			wantText(t, mustRun(t, pipeline(), inv), OK, "ran with "+c.want)
		})
	}
}

func TestWrongArgumentsSayWhereAndWhatWasExpected(t *testing.T) {
	for name, c := range map[string]struct {
		raw   string
		words []string
	}{
		"missing":           {`{}`, []string{`(arguments): missing "path", which is required`}},
		"wrong type":        {`{"path":["a"]}`, []string{"path: expected string, got array"}},
		"deep":              {`{"path":"a","edits":[{"old":"x"},{"old":1}]}`, []string{"edits[1].old: expected string, got number"}},
		"unknown":           {`{"path":"a","edits":[{"old":"x","neu":"y"}]}`, []string{`edits[0]: unknown "neu"`, `the parameters are "old"`}},
		"out of range":      {`{"path":"a","lines":11}`, []string{"lines: maximum: got 11, want 10"}},
		"enum":              {`{"path":"a","kind":"c"}`, []string{"kind: value must be one of 'a', 'b'"}},
		"fraction":          {`{"path":"a","lines":1.5}`, []string{"lines: expected integer, got number"}},
		"no object":         {`[1]`, []string{"expected object, got array"}},
		"broken":            {`{"path": a}`, []string{"are no JSON", "at byte 10", "A JSON object was expected"}},
		"ends early":        {`{"path":"a"`, []string{"are no JSON", "end at byte 11 in the middle of a value"}},
		"two values":        {`{"path":"a"}{"path":"b"}`, []string{"something follows the value at byte 12"}},
		"huge exponent":     {`{"path":"a","lines":1e999999999}`, []string{"lines: "}},
		"null for required": {`{"path":null}`, []string{"path: expected string, got null"}},
	} {
		t.Run(name, func(t *testing.T) {
			res := mustRun(t, pipeline(), invoke(sampleBox(false), "sample", c.raw))
			wantText(t, res, Failed, append(c.words, "was not run")...)
		})
	}
}

// HB-178: the output limit cuts a call in the middle of its arguments.
func TestCutOffArgumentsNeverReachAToolWithEffects(t *testing.T) {
	for _, raw := range []string{`{"steps":["go vet","go test"`, `{"path":"a","content":"half`, `{"path":"a"}`, ``} {
		inv := invoke(sampleBox(false), "sample", raw)
		inv.Call.Cut = true
		wantText(t, mustRun(t, pipeline(), inv), Failed, "output limit cut its arguments off", "was not run", "Nothing was changed")
	}
}

func TestCutOffArgumentsOfAReadOnlyToolAreCompleted(t *testing.T) {
	inv := invoke(sampleBox(true), "sample", `{"path":"a","lines":2,"d`)
	inv.Call.Cut = true
	wantText(t, mustRun(t, pipeline(), inv), OK, "cut the arguments off", `ran with {"path":"a","lines":2}`)
}

func TestASchemaReachesNoFile(t *testing.T) {
	target := filepath.Join(t.TempDir(), "other.json")
	if err := os.WriteFile(target, []byte(`{"type":"object"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	spec := Spec{Name: "sample", Input: json.RawMessage(`{"type":"object","$ref":"file://` + filepath.ToSlash(target) + `"}`)}
	res := mustRun(t, pipeline(), invoke(boxOf(fake{spec: spec}), "sample", "{}"))
	wantText(t, res, Failed, "its schema is wrong", "leaves the schema")
}

func TestAPatternThatGoCannotCompileIsNotChecked(t *testing.T) {
	spec := Spec{Name: "sample", Input: json.RawMessage(`{"type":"object","properties":{"p":{"type":"string","pattern":"^(?!/)"}}}`)}
	wantText(t, mustRun(t, pipeline(), invoke(boxOf(fake{spec: spec}), "sample", `{"p":"/x"}`)), OK, "ran with")
}

func TestWhatTheStructCannotHoldIsToldWithoutGoWords(t *testing.T) {
	type deep struct {
		sample
		Ratio float64          `json:"ratio"`
		Size  uint8            `json:"size"`
		Inner *struct{ N int } `json:"inner"`
	}
	for raw, words := range map[string]string{
		`{"lines":1e400}`:           "lines: expected a whole number from -2^63 to 2^63-1, without fraction and exponent, got number 1e400.",
		`{"inner":{"N":9e99}}`:      "inner.N: expected a whole number from -2^63",
		`{"size":300}`:              "size: expected a whole number from 0 to 2^8-1",
		`{"ratio":1e400}`:           "ratio: expected a number that a float can hold, got number 1e400.",
		`{"path":5}`:                "path: expected string, got number.",
		`{"deep":"x"}`:              "deep: expected boolean, got string.",
		`{"edits":{}}`:              "edits: expected array, got object.",
		`{"edits":[{"old":false}]}`: "edits.old: expected string, got bool.",
		`{"inner":[]}`:              "inner: expected object, got array.",
		`[]`:                        "(arguments): expected object, got array.",
		`{`:                         "unexpected end of JSON input",
	} {
		_, err := Decode[deep](json.RawMessage(raw))
		var r *Refusal
		if !errors.As(err, &r) || !strings.Contains(err.Error(), words) || strings.Contains(err.Error(), "Go ") || strings.Contains(err.Error(), "unmarshal") {
			t.Errorf("%s: %v, want %q", raw, err, words)
		}
	}
	if v, err := Decode[sample](json.RawMessage(`{"path":"a","lines":3}`)); err != nil || v.Path != "a" || v.Lines != 3 {
		t.Errorf("%+v, %v", v, err)
	}
}

const greet = `start: "hello " /(.+)/ LF?
%import common.LF
`

func freeformBox(grammar string) *Box {
	return boxOf(fake{spec: Spec{Name: "say", Form: Freeform, Grammar: grammar}})
}

func TestTheTextOfAFreeformToolComesInAnyWrapping(t *testing.T) {
	for name, c := range map[string]struct{ grammar, raw, want string }{
		"bare text":                   {greet, "hello you\n", `{"input":"hello you\n"}`},
		"as the function's string":    {greet, `{"input":"hello you"}`, `{"input":"hello you"}`},
		"under another name":          {greet, `{"patch":"hello you"}`, `{"input":"hello you"}`},
		"a JSON string":               {greet, `"hello you"`, `{"input":"hello you"}`},
		"an object in a string":       {greet, `"{\"input\":\"hello you\"}"`, `{"input":"hello you"}`},
		"what looks wrapped and fits": {`start: /.+/`, `{"input":"x"}`, `{"input":"{\"input\":\"x\"}"}`},
		"any text":                    {"", "let x = {a: 1}", `{"input":"let x = {a: 1}"}`},
		"any text, wrapped":           {"", `{"input":"let x"}`, `{"input":"let x"}`},
		"JSON that is the text":       {"", `{"a":1,"b":2}`, `{"input":"{\"a\":1,\"b\":2}"}`},
		"no text":                     {"", "", `{"input":""}`},
	} {
		t.Run(name, func(t *testing.T) {
			wantText(t, mustRun(t, pipeline(), invoke(freeformBox(c.grammar), "say", c.raw)), OK, "ran with "+c.want)
		})
	}
}

func TestATextAgainstTheGrammarIsToldWithItsLine(t *testing.T) {
	for raw, words := range map[string]string{
		"hello a\nb":              `line 2, column 1: expected the end of the text, got "b"`,
		`{"input":"bye"}`:         `line 1, column 1: expected "hello ", got "bye"`,
		`{"text":1}`:              `expected "hello "`,
		`{"input":"x","more":""}`: `expected "hello "`,
	} {
		wantText(t, mustRun(t, pipeline(), invoke(freeformBox(greet), "say", raw)), Failed, "say was not run", words, "Nothing was changed")
	}
	wantText(t, mustRun(t, pipeline(), invoke(freeformBox("start: nothing"), "say", "x")), Failed, "its grammar is wrong: line 1: nothing is not defined")
	inv := invoke(freeformBox(greet), "say", "hello yo")
	inv.Call.Cut = true
	wantText(t, mustRun(t, pipeline(), inv), Failed, "output limit cut its arguments off")
}

func TestArgumentsThatAreNoObjectAreTakenForOneWhereTheyCanBe(t *testing.T) {
	for raw, want := range map[string]string{
		`[{"path":"a"}]`:             `{"path":"a"}`,
		`"{\"path\":\"a\"}"`:         `{"path":"a"}`,
		`src/main.go`:                `{"path":"src/main.go"}`,
		" {\"path\":\"a\"} \n":       `{"path":"a"}`,
		`{"path":"a","path":"b"}`:    `{"path":"a","path":"b"}`,
		`{"path":"a","lines":"  3"}`: `{"lines":3,"path":"a"}`,
	} {
		wantText(t, mustRun(t, pipeline(), invoke(sampleBox(false), "sample", raw)), OK, "ran with "+want)
	}
	for raw, words := range map[string]string{
		`[]`:                          "expected object, got array",
		`[{"path":"a"},{"path":"b"}]`: "expected object, got array",
		`"src/main.go"`:               "expected object, got string",
		`7`:                           "expected object, got number",
		`true`:                        "expected object, got boolean",
		`{"path":"a`:                  "end at byte 10 in the middle of a value",
		`"{\"path\":"`:                "expected object, got string",
	} {
		wantText(t, mustRun(t, pipeline(), invoke(sampleBox(false), "sample", raw)), Failed, words, "was not run")
	}
	two := boxOf(fake{spec: Spec{Name: "two", Input: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b"]}`)}})
	wantText(t, mustRun(t, pipeline(), invoke(two, "two", "plain text")), Failed, "are no JSON")
	none := boxOf(fake{spec: Spec{Name: "none", Input: json.RawMessage(`{"properties":{"a":{}}}`)}})
	wantText(t, mustRun(t, pipeline(), invoke(none, "none", `"{\"a\":1}"`)), OK, `ran with {"a":1}`)
	wantText(t, mustRun(t, pipeline(), invoke(none, "none", `null`)), OK, `ran with {}`)
}

func TestRewrittenArgumentsAreCheckedAnew(t *testing.T) {
	inv := invoke(sampleBox(false), "sample", `{"path":"a"}`)
	var wrong *schema.Misfit
	h := Chain(Run, Answer(nil), Lookup(), Validate(), func(next Handler) Handler {
		return func(ctx context.Context, inv *Invocation) (Result, error) {
			if err := inv.Rewrite(json.RawMessage(`{"path":1}`)); !errors.As(err, &wrong) || string(inv.Call.Args) != `{"path":"a"}` {
				t.Errorf("%v, arguments %s", err, inv.Call.Args)
			}
			if err := inv.Rewrite(json.RawMessage(`{"path":"b","lines":"2"}`)); err != nil {
				t.Error(err)
			}
			return next(ctx, inv)
		}
	}, Prepare())
	wantText(t, mustRun(t, h, inv), OK, `ran with {"lines":2,"path":"b"}`)
}
