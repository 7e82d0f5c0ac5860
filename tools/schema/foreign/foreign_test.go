package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"companion/tools/schema"
)

// HB-160: what people write for a schema is made one that every vendor takes.
func TestHB160ForeignSchemasAreNormalised(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"no properties", `{"type":"object"}`, `{"type":"object","properties":{}}`},
		{"null properties", `{"type":"object","properties":null}`, `{"type":"object","properties":{}}`},
		{"empty", `{}`, `{"type":"object","properties":{}}`},
		{"true", `true`, `{"type":"object","properties":{}}`},
		{"object or null", `{"type":["object","null"]}`, `{"type":"object","properties":{}}`},
		{"null required", `{"type":"object","properties":{},"required":null}`, `{"type":"object","properties":{}}`},
		{"array without items", `{"properties":{"a":{"type":"array"}}}`, `{"type":"object","properties":{"a":{"type":"array","items":{}}}}`},
		{"null items", `{"properties":{"a":{"type":["array","null"],"items":null}}}`, `{"type":"object","properties":{"a":{"type":["array","null"],"items":{}}}}`},
		{"null property", `{"properties":{"a":null}}`, `{"type":"object","properties":{"a":{}}}`},
		{"empty anyOf", `{"properties":{"a":{"anyOf":[],"enum":null}}}`, `{"type":"object","properties":{"a":{}}}`},
		{
			"order stays", `{"properties":{"z":{"type":"string"},"a":{"type":"string"}},"type":"object","required":["z","z"]}`,
			`{"properties":{"z":{"type":"string"},"a":{"type":"string"}},"type":"object","required":["z"]}`,
		},
		{
			"draft 4", `{"$schema":"http://json-schema.org/draft-04/schema#","id":"http://example.com/x","type":"object","properties":{` +
				`"id":{"type":"integer","minimum":0,"exclusiveMinimum":true},"pair":{"type":"array","items":[{"type":"string"}],"additionalItems":false},` +
				`"c":{"$ref":"http://example.com/x#/definitions/c"}},"definitions":{"c":{"type":"string"}}}`,
			`{"type":"object","properties":{"id":{"type":"integer","exclusiveMinimum":0},"pair":{"type":"array","prefixItems":[{"type":"string"}],"items":false},` +
				`"c":{"$ref":"#/definitions/c"}},"definitions":{"c":{"type":"string"}}}`,
		},
		{"draft 3 required", `{"properties":{"a":{"type":"string","required":true}}}`, `{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}`},
		{
			"draft 7 dependencies", `{"type":"object","properties":{},"dependencies":{"a":["b"],"c":{"required":["d"]}}}`,
			`{"type":"object","properties":{},"dependentRequired":{"a":["b"]},"dependentSchemas":{"c":{"required":["d"]}}}`,
		},
		{"nullable", `{"properties":{"a":{"type":"string","nullable":true}}}`, `{"type":"object","properties":{"a":{"type":["string","null"]}}}`},
		{
			"lookahead", `{"properties":{"a":{"type":"string","pattern":"^(?=x)"}},"patternProperties":{"^(?!y)":{}},"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{"type":"string"}},"patternProperties":{}}`,
		},
		{
			"root by reference", `{"$ref":"#/$defs/Args","$defs":{"Args":{"type":"object","properties":{"a":{"type":"string"}}}}}`,
			`{"$defs":{"Args":{"type":"object","properties":{"a":{"type":"string"}}}},"type":"object","properties":{"a":{"type":"string"}}}`,
		},
		{"hidden text", "{\"description\":\"a\u202Eb\u200B\u00A0c\U000E0041\",\"x-note\":\"\u2066d\"}", `{"type":"object","description":"ab c","x-note":"d","properties":{}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Normalise(json.RawMessage(c.in))
			if err != nil || string(got) != c.want {
				t.Fatalf("got  %s, %v\nwant %s", got, err, c.want)
			}
			if _, err := schema.Compile(got); err != nil {
				t.Errorf("it does not compile: %v", err)
			}
			if again, err := Normalise(got); err != nil || string(again) != c.want {
				t.Errorf("normalised again it is %s, %v", again, err)
			}
		})
	}
}

func TestWhatIsNoSchemaOfArgumentsIsRefused(t *testing.T) {
	for in, want := range map[string]string{
		``:                                  "missing",
		`null`:                              "no JSON object",
		`[]`:                                "no JSON object",
		`{"type":"string"}`:                 "arguments are an object",
		`{"type":["string","null"]}`:        "arguments are an object",
		`{"$ref":"#/$defs/A"}`:              "not in it",
		`{"$ref":"#"}`:                      "itself",
		`{"properties":{"a":3}}`:            "/properties/a: a schema is an object",
		"{\"properties\":{\"a\u200B\":{}}}": "invisible",
		"{\"properties\":{\"a\":{\"enum\":[\"\u202Ex\"]}}}":              "invisible",
		`{"$ref":"#/$defs/A","$defs":{"A":{"type":"array"}}}`:            "arguments are an object",
		strings.Repeat(`{"not":`, 200) + `{}` + strings.Repeat(`}`, 200): "nested deeper",
	} {
		if got, err := Normalise(json.RawMessage(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s gave %s, %v; want an error with %q", in, got, err, want)
		}
	}
}

// No schema can make companion open a file or a URL, however it refers to one.
func TestASchemaOpensNothing(t *testing.T) {
	var hits atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		hits.Add(1)
		_, _ = w.Write([]byte(`{"type":"string"}`))
	}))
	defer srv.Close()
	file := filepath.Join(t.TempDir(), "s.json")
	if err := os.WriteFile(file, []byte(`{"type":"string"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	at := "file://" + filepath.ToSlash(file)
	for _, form := range []string{
		`{"type":"object","properties":{"a":{"$ref":%q}}}`,
		`{"type":"object","properties":{"a":{"$ref":%q}},"$id":"https://example.com/base"}`,
		`{"type":"object","properties":{"a":{"$dynamicRef":%q}}}`,
		`{"type":"object","allOf":[{"$ref":%q}]}`,
		`{"type":"object","properties":{"a":{"$id":%q,"$ref":"other.json"}}}`,
	} {
		for _, url := range []string{at, file, "s.json", srv.URL + "/s.json"} {
			in := strings.Replace(form, "%q", string(mustJSON(url)), 1)
			norm, err := Normalise(json.RawMessage(in))
			if err == nil {
				_, err = schema.Compile(norm)
			}
			if err == nil {
				t.Errorf("%s was taken", in)
			}
		}
	}
	in := `{"$schema":` + string(mustJSON(srv.URL)) + `,"type":"object","properties":{"a":{"$schema":` + string(mustJSON(at)) + `}}}`
	norm, err := Normalise(json.RawMessage(in))
	if err == nil {
		_, err = schema.Compile(norm)
	}
	if err != nil {
		t.Errorf("a schema of an unknown dialect: %v", err)
	}
	if n := hits.Load(); n > 0 {
		t.Errorf("the server was asked %d times", n)
	}
}

func TestReduceLosesTextsThenDefinitionsThenDepth(t *testing.T) {
	long := strings.Repeat("long text ", 30)
	deep := `{"type":"object","properties":{"b":{"type":"object","properties":{"c":{"type":"array","items":{"type":"object","properties":{"d":{"type":"string","description":"` + long + `"}}}}}}}}`
	in := `{"type":"object","properties":{"a":{"type":"string","description":"` + long + `","examples":["` + long + `"]},"deep":` + deep +
		`,"r":{"$ref":"#/$defs/R"}},"required":["a"],"$defs":{"R":{"type":"object","properties":{"x":{"type":"string"}}},"Unused":{"type":"string"}}}`
	norm, err := Normalise(json.RawMessage(in))
	if err != nil {
		t.Fatal(err)
	}
	last := len(norm) + 1
	for _, c := range []struct {
		budget    int
		has, lost []string
	}{
		{len(norm), []string{"Unused", "examples"}, nil},
		{len(norm) - 1, []string{"examples", `"R"`}, []string{"Unused"}},
		{len(norm) - 300, []string{long}, []string{"examples"}},
		{700, []string{long, `"d"`, "$ref"}, nil},
		{600, []string{"…", `"d"`, "$ref"}, []string{long}},
		{400, []string{`"d"`, "$ref"}, []string{"description"}},
		{310, []string{`"d"`, `"r":{"type":"object"}`}, []string{"$ref", "$defs"}},
		{220, []string{`"b"`, `"a":{"type":"string"}`, `"required":["a"]`}, []string{`"d"`}},
		{140, []string{`"deep":{"type":"object"}`, `"a"`}, []string{`"b"`}},
	} {
		got, ok := Reduce(norm, c.budget)
		if !ok || len(got) > c.budget || len(got) >= last && c.budget != len(norm) {
			t.Fatalf("%d bytes: %v, %d bytes: %s", c.budget, ok, len(got), got)
		}
		last = len(got)
		for _, s := range c.has {
			if !strings.Contains(string(got), s) {
				t.Errorf("%d bytes: %q is lost: %s", c.budget, s, got)
			}
		}
		for _, s := range c.lost {
			if strings.Contains(string(got), s) {
				t.Errorf("%d bytes: %q is still there: %s", c.budget, s, got)
			}
		}
		if _, err := schema.Compile(got); err != nil {
			t.Errorf("%d bytes: %v", c.budget, err)
		}
	}
	if got, ok := Reduce(norm, 50); ok {
		t.Errorf("50 bytes: %s", got)
	}
}

// HB-165: arguments are coerced only where the schema excludes a string.
func TestHB165ArgumentsAreCoercedWhereNothingIsLost(t *testing.T) {
	s := compiled(t, `{"type":"object","$defs":{"N":{"type":"integer"},"Opts":{"anyOf":[{"type":"object","properties":{"n":{"$ref":"#/$defs/N"}}},{"type":"null"}]}},
		"properties":{"actions":{"type":"array","items":{"type":"object"}},"opts":{"$ref":"#/$defs/Opts"},"text":{"type":"string"},
		"either":{"anyOf":[{"type":"string"},{"type":"array"}]},"n":{"allOf":[{"$ref":"#/$defs/N"}]},"yes":{"type":"boolean"},"any":{},
		"pick":{"enum":[1,2]},"pair":{"type":"array","items":[{"type":"integer"},{"type":"string"}]},
		"kind":{"oneOf":[{"type":"object","properties":{"k":{"const":"num"},"v":{"type":"number"}}},{"type":"object","properties":{"k":{"const":"text"},"v":{"type":"string"}}}]}}}`)
	for in, want := range map[string]string{
		`{"actions":"[{\"a\":1}]"}`:       `{"actions":[{"a":1}]}`,
		`{"actions":{"a":1}}`:             `{"actions":[{"a":1}]}`,
		`{"opts":"{}"}`:                   `{"opts":{}}`,
		`{"opts":""}`:                     `{"opts":null}`,
		`{"opts":null}`:                   `{"opts":null}`,
		`{"opts":{"n":"3"}}`:              `{"opts":{"n":3}}`,
		`{"text":"[1]"}`:                  `{"text":"[1]"}`,
		`{"text":"3"}`:                    `{"text":"3"}`,
		`{"either":"[1]"}`:                `{"either":"[1]"}`,
		`{"n":"3"}`:                       `{"n":3}`,
		`{"n":3.0}`:                       `{"n":3}`,
		`{"yes":"true"}`:                  `{"yes":true}`,
		`{"any":"true"}`:                  `{"any":"true"}`,
		`{"pick":"2"}`:                    `{"pick":2}`,
		`{"pair":["1","1"]}`:              `{"pair":[1,"1"]}`,
		`{"yes":null,"n":1}`:              `{"n":1}`,
		`{"kind":{"k":"num","v":"1.5"}}`:  `{"kind":{"k":"num","v":1.5}}`,
		`{"kind":{"k":"text","v":"1.5"}}`: `{"kind":{"k":"text","v":"1.5"}}`,
		`{"actions": [ ] , "n": 12345678901234567890}`: `{"actions": [ ] , "n": 12345678901234567890}`,
	} {
		got, err := s.Fit(json.RawMessage(in))
		if err != nil || string(got) != want {
			t.Errorf("%s became %s, %v; want %s", in, got, err, want)
		}
	}
	for in, want := range map[string]string{
		`{"n":"three"}`:      "n: expected integer, got string",
		`{"opts":{"n":"x"}}`: "opts.n: expected integer, got string",
		`{"actions":["x"]}`:  "actions[0]: expected object, got string",
		`{"yes":"yes"}`:      "yes: expected boolean",
		`[]`:                 "expected object",
	} {
		_, err := s.Fit(json.RawMessage(in))
		var wrong *schema.Misfit
		if !errors.As(err, &wrong) || !strings.Contains(wrong.Text, want) {
			t.Errorf("%s: %v, want %q", in, err, want)
		}
	}
}

func TestReferencesInCirclesEnd(t *testing.T) {
	s := compiled(t, `{"type":"object","$defs":{"T":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/T"}},"n":{"type":"integer"}}},
		"L":{"$ref":"#/$defs/L"}},"properties":{"tree":{"$ref":"#/$defs/T"},"loop":{"$ref":"#/$defs/L"}}}`)
	got, err := s.Fit(json.RawMessage(`{"tree":{"kids":"[{\"n\":\"1\"}]"}}`))
	if err != nil || string(got) != `{"tree":{"kids":[{"n":1}]}}` {
		t.Errorf("a recursive schema gave %s, %v", got, err)
	}
	if got, err := s.Fit(json.RawMessage(`{"loop":1}`)); err == nil {
		t.Errorf("a schema that means nothing took %s", got)
	}
}

// compiled goes the way of a foreign schema.
func compiled(t *testing.T, in string) *schema.Schema {
	t.Helper()
	norm, err := Normalise(json.RawMessage(in))
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.Compile(norm)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func FuzzANormalisedSchemaStaysAsItIsAndFitsNothingButObjects(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"array","items":[{}]}}}`, `{"a":"[1]"}`)
	f.Add(`{"$ref":"#/$defs/A","$defs":{"A":{"anyOf":[{"type":"object"}]}}}`, `{}`)
	for _, word := range []string{
		`"type":["string","null"],"enum":["a",1,null],"const":{},"default":1,"minLength":1,"maxItems":2,"uniqueItems":true,"format":"uri","pattern":"a+"`,
		`"not":{},"if":true,"then":false,"else":{},"contains":{},"propertyNames":{},"unevaluatedItems":false,"additionalProperties":{"type":"number"}`,
		`"minimum":1,"exclusiveMaximum":2.5,"multipleOf":0.1,"required":["a"],"dependentRequired":{"a":["b"]},"dependentSchemas":{"a":{}},"examples":[1]`,
		`"$ref":"#/properties/a","$defs":{"b":{"$anchor":"x","$ref":"#x"}},"definitions":{"c":{"$ref":"#/$defs/b"}},"oneOf":[{"$ref":"#"}],"x":{"$ref":"#/y"}`,
	} {
		f.Add(`{"properties":{"a":{`+word+`}}}`, `{"a":1}`)
	}
	f.Fuzz(func(t *testing.T, in, args string) {
		norm, err := Normalise(json.RawMessage(in))
		if err != nil {
			return
		}
		again, err := Normalise(norm)
		if err != nil || string(again) != string(norm) {
			t.Fatalf("%s became %s, then %s, %v", in, norm, again, err)
		}
		if small, ok := Reduce(norm, len(norm)/2); ok && len(small) > len(norm)/2 {
			t.Fatalf("%s was reduced to %s", norm, small)
		}
		s, err := schema.Compile(norm)
		if tree, treeErr := parseTree(norm); treeErr != nil || err != nil && sound(tree) {
			t.Fatalf("%s seemed sound: %v, %v", norm, treeErr, err)
		}
		if err != nil || !json.Valid([]byte(args)) {
			return
		}
		if out, err := s.Fit(json.RawMessage(args)); err == nil && !strings.HasPrefix(strings.TrimSpace(string(out)), "{") {
			t.Fatalf("%s took %s as %s", norm, args, out)
		}
	})
}

func FuzzATreeIsTheJSONThatItWasReadFrom(f *testing.F) {
	for _, s := range []string{
		` { "a" : [ 1 , -2.5e+3, true ,false,null,"x\\"\u00e9\ud800\n" ] , "a":{}, "":[[]] } `, `1`, `"é\\"`, "\"\xff\"", `[]`, `{`, ``,
		`{"1":1,"2":1,"3":1,"4":1,"5":1,"6":1,"7":1,"8":1,"9":1,"10":1,"11":1,"12":1,"13":1,"14":1,"15":1,"16":1,"17":1,"17":2,"3":3}`,
		strings.Repeat("[", 66) + strings.Repeat("]", 66), strings.Repeat(`{"a":`, 66) + "1" + strings.Repeat("}", 66),
		strings.Repeat("[", 64) + "1" + strings.Repeat("]", 64), strings.Repeat(` { "a" : `, 65) + "{}" + strings.Repeat(" } ", 65),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		tree, err := parseTree(raw)
		if err != nil {
			if json.Valid(raw) && !strings.Contains(err.Error(), "deeper") {
				t.Fatalf("%q: %v", raw, err)
			}
			return
		}
		var want, got any
		if err := decode(raw, &want); err != nil {
			t.Fatalf("%q was read: %v", raw, err)
		}
		if err := decode(writeTree(tree), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%q became %s, %v", raw, writeTree(tree), err)
		}
	})
}

// decode is the reference.
func decode(raw []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return dec.Decode(v)
}
