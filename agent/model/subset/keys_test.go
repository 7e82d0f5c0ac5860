package subset_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"companion/agent/model/subset"
)

func TestPropertiesHaveNamesThatAnthropicTakes(t *testing.T) {
	long := strings.Repeat("l", 70)
	for _, c := range []struct {
		in, want string
		names    map[string]string
	}{
		{`{"type":"object", "properties":{"a.b-c_D":{}}}`, `{"type":"object", "properties":{"a.b-c_D":{}}}`, nil},
		{`{"type":"object"}`, `{"type":"object"}`, nil},
		{`null`, `null`, nil},
		{
			`{"type":"object","properties":{"z":{},"filter[id]":{"properties":{"$x":{}}},"$top":{}},"required":["z","$top"]}`,
			`{"type":"object","properties":{"z":{},"filter_id_":{"properties":{"$x":{}}},"_top":{}},"required":["z","_top"]}`,
			map[string]string{"filter_id_": "filter[id]", "_top": "$top"},
		},
		{`{"properties":{"_top":{},"$top":{},"@top":{}}}`, `{"properties":{"_top":{},"_top_2":{},"_top_3":{}}}`, map[string]string{"_top_2": "$top", "_top_3": "@top"}},
		{`{"properties":{"` + long + `":{}}}`, `{"properties":{"` + long[:64] + `":{}}}`, map[string]string{long[:64]: long}},
		{`{"properties":{"":{}}}`, `{"properties":{"_2":{}}}`, map[string]string{"_2": ""}},
	} {
		got, names := subset.Keys(json.RawMessage(c.in))
		if string(got) != c.want || !maps.Equal(names, c.names) {
			t.Errorf("%s: %s %v, want %s %v", c.in, got, names, c.want, c.names)
		}
	}
	names := map[string]string{"_top": "$top"}
	for in, want := range map[string]string{
		`{"_top":5,"a":{"_top":1.50}}`: `{"$top":5,"a":{"_top":1.50}}`,
		`{"_top":5,"$top":6}`:          `{"_top":5,"$top":6}`,
		`{"a": 1}`:                     `{"a": 1}`,
		`[1]`:                          `[1]`,
		`{"_top":`:                     `{"_top":`,
	} {
		if got := string(subset.Rename(json.RawMessage(in), names)); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	if got := string(subset.Rename(json.RawMessage(`{"$top":5}`), subset.Reverse(names))); got != `{"_top":5}` {
		t.Error(got)
	}
}
