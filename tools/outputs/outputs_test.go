package outputs

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"companion/tools"
)

type fake struct {
	spec tools.Spec
	res  tools.Result
}

func (f fake) Spec() tools.Spec { return f.spec }

func (f fake) Prepare(context.Context, tools.Call) (tools.Action, error) {
	return tools.Action{Run: func(context.Context, tools.Progress) (tools.Result, error) { return f.res, nil }}, nil
}

const hits = `{"type":"object","properties":{"n":{"type":"integer"},"hits":{"type":"array","items":{"$ref":"#/$defs/hit"}}},"required":["n","hits"],
	"$defs":{"hit":{"type":"object","properties":{"path":{"type":"string"},"line":{"type":["integer","null"]}},"required":["path"]}}}`

func TestAStructuredResultIsHeldAgainstItsSchema(t *testing.T) {
	for name, c := range map[string]struct {
		output  string
		res     tools.Result
		text    string
		dropped bool
	}{
		"fits":            {hits, tools.Result{Text: "one", Structured: json.RawMessage(`{"n":1,"hits":[{"path":"a"}]}`)}, "one", false},
		"does not fit":    {hits, tools.Result{Text: "one", Structured: json.RawMessage(`{"n":"1","hits":[{}]}`)}, `does not fit what the tool declares. hits[0]: missing "path"`, true},
		"and is all":      {hits, tools.Result{Structured: json.RawMessage(`[1]`)}, "(result): expected object, got array.)\n[1]", true},
		"no JSON":         {hits, tools.Result{Text: "x", Structured: json.RawMessage(`{`)}, "It is no JSON", true},
		"no schema":       {"", tools.Result{Text: "x", Structured: json.RawMessage(`{`)}, "x", false},
		"a wrong schema":  {`{"type":7}`, tools.Result{Text: "x", Structured: json.RawMessage(`[]`)}, "x", false},
		"a failed result": {hits, tools.Result{Outcome: tools.Failed, Text: "x", Structured: json.RawMessage(`[]`)}, "x", false},
		"none":            {hits, tools.Result{Text: "x"}, "x", true},
	} {
		t.Run(name, func(t *testing.T) {
			f := fake{tools.Spec{Name: "find", Output: json.RawMessage(c.output)}, c.res}
			h := tools.Chain(tools.Run, tools.Answer(nil), tools.Lookup(), tools.Validate(), tools.Prepare(), Check())
			inv := &tools.Invocation{Box: tools.NewRegistry(f).Box(tools.BoxOptions{}), Call: tools.Call{Name: "find", Raw: json.RawMessage("{}")}}
			res, err := h(context.Background(), inv)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(res.Text, c.text) || (res.Structured == nil) != c.dropped {
				t.Errorf("got %q, structured %s", res.Text, res.Structured)
			}
			if !c.dropped && res.Text != c.text {
				t.Errorf("got %q", res.Text)
			}
		})
	}
}

func TestTheDescriptionSaysWhatResultsLookLike(t *testing.T) {
	for output, want := range map[string]string{
		hits: "Result: {n: integer, hits: {path: string, line?: integer | null}[]}",
		`{"type":"object","properties":{"a b":{"enum":["x","y",1]},"c":{"const":true}}}`:              `Result: {"a b"?: "x" | "y" | 1, c?: true}`,
		`{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"string"}]}}`: "Result: (string | integer)[]",
		`{"type":"object","additionalProperties":{"type":"number"}}`:                                  "Result: {[name]: number}",
		`{"type":"object"}`: "Result: object",
		`{}`:                "Result: any",
		`{"properties":{"self":{"$ref":"#"},"next":{"$ref":"#/properties"}}}`: "Result: {self?: …, next?: any}",
	} {
		if got := Render(json.RawMessage(output), 500); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", output, got, want)
		}
	}
	deep := `{"properties":{"aaaaaaaaaa":{"properties":{"bbbbbbbbbb":{"properties":{"cccccccccc":{"type":"string"}}}}}}}`
	if got := Render(json.RawMessage(deep), 45); got != "Result: {aaaaaaaaaa?: {bbbbbbbbbb?: …}}" {
		t.Error(got)
	}
	if got := Render(json.RawMessage(deep), 10); got != "" {
		t.Error(got)
	}
	wide := `{"$defs":{"w":{"properties":{` + strings.Repeat(`"p":{"$ref":"#/$defs/w"},`, 200) + `"q":{}}}},"$ref":"#/$defs/w"}`
	if got := Render(json.RawMessage(wide), 500); len(got) > 500 {
		t.Error(got)
	}
	s := tools.Spec{Description: "Finds.\n", Output: json.RawMessage(hits)}
	if got := Describe(s).Description; got != "Finds.\n\nResult: {n: integer, hits: {path: string, line?: integer | null}[]}" {
		t.Error(got)
	}
	if got := Describe(tools.Spec{Description: "Finds."}); got.Description != "Finds." {
		t.Error(got.Description)
	}
}

func FuzzNoSchemaBreaksTheLine(f *testing.F) {
	f.Add(hits)
	f.Add(`{"$ref":"#"}`)
	f.Fuzz(func(t *testing.T, output string) {
		if got := Render(json.RawMessage(output), 200); len(got) > 200 {
			t.Errorf("%d bytes", len(got))
		}
	})
}
