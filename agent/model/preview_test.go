package model_test

import (
	"encoding/json"
	"testing"

	"companion/agent/model"
)

func TestAFreeformCallIsShownWhileItStreams(t *testing.T) {
	for _, text := range []string{"", "*** Begin Patch\n+\t\"größe\"\\\r\n", "a\u0000b", "😀 and \u2028", `\u0041`, "</x>&"} {
		for _, space := range []string{"", " \n"} {
			quoted, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			escaped := append([]byte(nil), quoted...)
			whole := "{" + space + `"input"` + space + ":" + space + string(escaped) + space + "}"
			for at := range len(whole) + 1 {
				var p model.Preview
				if got := p.Add(whole[:at]) + p.Add(whole[at:]); got != text {
					t.Fatalf("split at %d of %s: %q, want %q", at, whole, got, text)
				}
			}
			var p model.Preview
			got := ""
			for i := range len(whole) {
				got += p.Add(whole[i : i+1])
			}
			if got != text {
				t.Errorf("byte by byte %s: %q, want %q", whole, got, text)
			}
		}
	}
	for in, want := range map[string]string{
		`{"input":"\ud83d\ude00"}`:  "😀",
		`{"input":"\ud83dx"}`:       "\uFFFDx",
		`{"input":"\ud83d\u0041"}`:  "\uFFFDA",
		`{"input":"cut \u00`:        "cut ",
		`{"other":"x"}`:             "",
		`{"input":5}`:               "",
		`["input"]`:                 "",
		`{"input":"a","more":"b"}x`: "a",
	} {
		var p model.Preview
		if got := p.Add(in); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

func FuzzPreviewIsThePrefixOfTheText(f *testing.F) {
	f.Add("a\n\"b\"\\", 5)
	f.Add("😀é", 12)
	f.Fuzz(func(t *testing.T, text string, at int) {
		quoted := string(model.FreeformArguments(text))
		want := model.FreeformInput(quoted) // what is no UTF-8 is replaced
		at = min(max(at, 0), len(quoted))
		var p model.Preview
		if got := p.Add(quoted[:at]) + p.Add(quoted[at:]); got != want {
			t.Fatalf("%q of %s, want %q", got, quoted, want)
		}
	})
}
