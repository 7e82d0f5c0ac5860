package rpc

import (
	"encoding/json"
	"errors"
	"testing"
)

func TestAWrongTypeIsNamedWithItsPlaceInTheList(t *testing.T) {
	type part struct {
		Text  string
		Range *struct{ Start struct{ Line int } }
		Tags  []string
	}
	type params struct {
		Input []part
		Named map[string][]int
		Title string
	}
	for raw, want := range map[string]string{
		`{"input":[{"text":"a"},{"text":5}]}`:                           "input[1].text: number where a string is expected",
		`{"input":[{"text":"é\"]}"},{"range":{"start":{"line":"x"}}}]}`: "input[1].range.start.line: string where an integer is expected",
		`{"title":"t","input":[{"tags":["a",["b"],"c"]}]}`:              "input[0].tags[1]: array where a string is expected",
		`{"input":[5]}`:                  "input[0]: number where an object is expected",
		`{"input":{}}`:                   "input: object where an array is expected",
		`{"named":{"a":[1],"b":[2,{}]}}`: "named.b[1]: object where an integer is expected",
		`[1]`:                            "params: array where an object is expected",
		`{"input":[{"tags":["a"]},[]],"title":5}`: "input[1]: array where an object is expected",
	} {
		var e *Error
		if err := Decode(json.RawMessage(raw), "", &params{}); !errors.As(err, &e) || e.Message != want {
			t.Errorf("%s: %v, want %q", raw, err, want)
		}
	}
	if err := Decode(json.RawMessage(`{"input":[{},{"text":5}]}`), "arguments[0]", &params{}); err.Error() != "arguments[0].input[1].text: number where a string is expected" {
		t.Error(err)
	}
}
