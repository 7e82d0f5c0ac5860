package schema

import (
	"encoding/json"
	"strings"
	"testing"
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

func TestTheSchemaKeepsTheOrderOfFields(t *testing.T) {
	want := `{"type":"object","properties":{"path":{"type":"string","description":"A path."},` +
		`"lines":{"type":"integer","minimum":1,"maximum":10,"description":"Default 3, 1 to 10 lines."},` +
		`"deep":{"type":"boolean","description":"Default false."},` +
		`"edits":{"type":"array","items":{"type":"object","properties":{"old":{"type":"string","description":"Old text."}},` +
		`"required":["old"],"additionalProperties":false},"description":"Edits."},` +
		`"kind":{"type":"string","enum":["a","b"],"description":"Kind."}},"required":["path"],"additionalProperties":false}`
	if got := string(Of[sample]()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestCutOffJSONIsClosedWhereItEnds(t *testing.T) {
	for raw, want := range map[string]string{
		`{"path":"a`:               `{"path":"a"}`,
		`{"path":"a","lines":2,"d`: `{"path":"a","lines":2}`,
		`{"path":"a","edits":[{"o`: `{"path":"a","edits":[{}]}`,
		`{"path":"a\`:              `{"path":"a"}`,
		`{"path":"a"}`:             `{"path":"a"}`,
	} {
		fixed, ok := Complete([]byte(raw))
		if !ok || string(fixed) != want {
			t.Errorf("%s became %s, want %s", raw, fixed, want)
		}
	}
}

func FuzzCompletedArgumentsAreJSONThatBeginsAsTheModelWrote(f *testing.F) {
	f.Add(`{"path":"a","edits":[{"old":"x\"`, 7)
	f.Fuzz(func(t *testing.T, whole string, at int) {
		if !json.Valid([]byte(whole)) || at < 0 || at > len(whole) {
			t.Skip()
		}
		fixed, ok := Complete([]byte(whole[:at]))
		if !ok {
			return
		}
		if !json.Valid(fixed) {
			t.Fatalf("%q became %q", whole[:at], fixed)
		}
		shared := 0
		for shared < len(fixed) && shared < at && fixed[shared] == whole[shared] {
			shared++
		}
		if rest := strings.Trim(string(fixed[shared:]), `"]}`); rest != "" {
			t.Fatalf("%q became %q: %q was made up", whole[:at], fixed, rest)
		}
	})
}
