package subset_test

import (
	"encoding/json"
	"strings"
	"testing"

	"companion/agent/model/subset"
)

func TestSchemasAreCutDownToTheDialect(t *testing.T) {
	const bare = `{"type":"object","properties":{}}`
	for _, c := range []struct{ name, in, plain, gemini string }{
		{"nothing", ``, bare, bare},
		{"no object", `null`, bare, bare},
		{"no JSON", `{"a":`, bare, bare},
		{"empty", `{}`, bare, bare},
		{"type is added, order and bytes stay", ` { "properties":{"z":{},"a":{"type":"string"}} } `, `{"type":"object","properties":{"z":{},"a":{"type":"string"}}}`, `{"type":"object","properties":{"z":{},"a":{"type":"string"}}}`},
		{"as it is", `{"type":"object", "properties":{"b":{"enum":["x"]}}}`, `{"type":"object", "properties":{"b":{"enum":["x"]}}}`, `{"type":"object","properties":{"b":{"enum":["x"]}}}`},
		{"another type", `{"type":["object","null"],"properties":{"a":{}}}`, `{"type":"object","properties":{"a":{}}}`, `{"type":"object","properties":{"a":{}}}`},
		{
			"alternatives at the top", `{"oneOf":[{"properties":{"b":{"type":"string"},"k":{}},"required":["b","k"]},{"properties":{"a":{"type":"integer"},"k":{}},"required":["a","k"]}]}`,
			`{"type":"object","properties":{"b":{"type":"string"},"k":{},"a":{"type":"integer"}},"required":["k"]}`,
			`{"type":"object","properties":{"b":{"type":"string"},"k":{},"a":{"type":"integer"}},"required":["k"]}`,
		},
		{
			"all of", `{"type":"object","allOf":[{"properties":{"b":{}},"required":["b"]},{"anyOf":[{"properties":{"c":{}}}]}],"properties":{"a":{}},"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{},"b":{},"c":{}},"required":["b"]}`,
			`{"type":"object","properties":{"a":{},"b":{},"c":{}},"required":["b"]}`,
		},
		{
			"a reference at the top", `{"$ref":"#/$defs/args","$defs":{"args":{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}}}`,
			`{"$defs":{"args":{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}},"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}`,
			`{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}`,
		},
		{
			"below", `{"type":"object","properties":{"a":{"const":"x"},"b":{"oneOf":[{"type":"string","pattern":"^a"},{"type":"null"}]},"c":{"type":"array","items":[{"type":"string"}]},"d":true,"e":{"enum":["x",null,3]},"f":{"enum":[true]},"g":{"type":"object","additionalProperties":{"type":"string","minLength":1}}},"required":["a","zz"],"$schema":"s","default":{}}`,
			``,
			`{"type":"object","properties":{"a":{"enum":["x"]},"b":{"anyOf":[{"type":"string"},{"type":"null"}]},"c":{"type":"array"},"d":{},"e":{"enum":["x",3]},"f":{},"g":{"type":"object","additionalProperties":{"type":"string"}}},"required":["a"]}`,
		},
	} {
		if c.plain == "" {
			c.plain = c.in
		}
		if got := string(subset.Of(subset.Plain, []byte(c.in))); got != c.plain {
			t.Errorf("%s, plain:\n%s, want\n%s", c.name, got, c.plain)
		}
		if got := string(subset.Of(subset.Gemini, []byte(c.in))); got != c.gemini {
			t.Errorf("%s, gemini:\n%s, want\n%s", c.name, got, c.gemini)
		}
	}
}

func TestASchemaThatContainsItselfIsCut(t *testing.T) {
	in := `{"type":"object","properties":{"tree":{"$ref":"#/$defs/node"}},"$defs":{"node":{"type":"object","properties":{"left":{"$ref":"#/$defs/node"},"name":{"type":"string"}}}}}`
	got := string(subset.Of(subset.Gemini, []byte(in)))
	if strings.Contains(got, "$ref") || !strings.Contains(got, `"name":{"type":"string"}`) || len(got) > 2000 {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	for _, in := range []string{`{"$ref":"#"}`, `{"allOf":[{"$ref":"#"}]}`, `{"properties":{"a":{"allOf":[{"$ref":"#/properties/a"}]}}}`} {
		for _, d := range []subset.Dialect{subset.Plain, subset.Gemini} {
			if got := subset.Of(d, []byte(in)); !json.Valid(got) || len(got) > 2000 {
				t.Errorf("%s: %s", in, got)
			}
		}
	}
}

// Whatever comes from outside, what is sent is an object's schema without what
// the dialect refuses.
func FuzzOf(f *testing.F) {
	f.Add(`{"anyOf":[{"properties":{"a":{"not":{}}}}],"properties":{"b":{"$ref":"#/properties/a"}}}`)
	f.Add(`{"allOf":[{"$ref":"#/allOf/0"},{"$ref":"#"}]}`)
	f.Add(`{"properties":{"a":{"items":{"$ref":"#"}},"b":{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}}}`)
	f.Fuzz(func(t *testing.T, in string) {
		if len(in) > 400 {
			return
		}
		for _, d := range []subset.Dialect{subset.Plain, subset.Gemini} {
			out := subset.Of(d, []byte(in))
			var top map[string]json.RawMessage
			if err := json.Unmarshal(out, &top); err != nil || string(top["type"]) != `"object"` {
				t.Fatalf("%s becomes %s: %v", in, out, err)
			}
			for _, k := range []string{"allOf", "anyOf", "oneOf", "not", "enum"} {
				if top[k] != nil {
					t.Fatalf("%s becomes %s", in, out)
				}
			}
		}
	})
}
