package model

import (
	"strings"
	"testing"
)

func TestWhatAVendorTakesBack(t *testing.T) {
	for _, c := range []struct {
		name, args string
		want       bool
	}{
		{"read", `{"a":1}`, true},
		{"ns__read-2", ` {} `, true},
		{"read", `{"a":"\ud83d\ude00 \\ud800 \u00e9"}`, true},
		{"", `{}`, false},
		{"foo bar", `{}`, false},
		{"ns.read", `{}`, false},
		{"é", `{}`, false},
		{strings.Repeat("x", 65), `{}`, false},
		{"read", `[1]`, false},
		{"read", `"x"`, false},
		{"read", `null`, false},
		{"read", `{"a":`, false},
		{"read", ``, false},
		{"read", `{"a":"\ud800"}`, false},
		{"read", `{"a":"\udc00\ud800"}`, false},
	} {
		if got := Replayable(c.name, []byte(c.args)); got != c.want {
			t.Errorf("%q %s: %v", c.name, c.args, got)
		}
	}
}

func TestHalfCharactersBecomeTheReplacement(t *testing.T) {
	for in, want := range map[string]string{
		`"\ud800"`:                      `"\ufffd"`,
		`"\uD83D\uDE00"`:                `"\uD83D\uDE00"`,
		`"\ud83d\ud83d\ude00"`:          `"\ufffd\ud83d\ude00"`,
		`"\udc00\n\\ud800\u12"`:         `"\ufffd\n\\ud800\u12"`,
		`"\ud8`:                         `"\ud8`,
		`"\`:                            `"\`,
		`{"a":"\ud800","b":"\\\ud800"}`: `{"a":"\ufffd","b":"\\\ufffd"}`,
	} {
		if got := string(PairedEscapes([]byte(in))); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
