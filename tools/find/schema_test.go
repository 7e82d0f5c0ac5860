package find

import (
	"strings"
	"testing"
)

func TestPropertiesOfASchemaAreRead(t *testing.T) {
	for raw, want := range map[string]string{
		`{"type":"object","description":"whole","properties":{"a":{"type":"string","description":"one \"two\"\nthree"},"b":{"items":{"properties":{"c":{}}}}},"required":["a"]}`: `a|"one "two"
three"|b|c`,
		` { "properties" : { "deep" : { "properties" : { "er" : { "description" : "x" } } } } } `:                  `deep|er|"x"`,
		`{"properties":{"a":true,"b":{"type":["string","null"],"description":["no"],"items":[{"d":1}]},"c":null}}`: `a|b|c`,
		`{"properties":3,"x":{"properties":{"y":{}}}}`:                                                             ``,
		`{"properties":{"a":{"description":"cut`:                                                                   `a|""`,
		``:                                                                                                         ``, `[`: ``, `null`: ``, `{"properties":{"a"`: ``,
	} {
		var got []string
		r := reader{raw: []byte(raw), name: func(s string) { got = append(got, s) }, text: func(s string) { got = append(got, `"`+s+`"`) }}
		r.schema(0)
		if strings.Join(got, "|") != want {
			t.Errorf("%s\nreads %s\nwant  %s", raw, strings.Join(got, "|"), want)
		}
	}
}

func FuzzReadingASchemaEnds(f *testing.F) {
	f.Add(`{"properties":{"a":{"items":{"properties":{}}}}}`)
	f.Add(strings.Repeat(`{"properties":{"a":`, 100))
	f.Add(`{"a":[1,{"b":"\"` + "\\")
	f.Fuzz(func(t *testing.T, raw string) {
		n := 0
		r := reader{raw: []byte(raw), name: func(string) { n++ }, text: func(string) { n++ }}
		r.schema(0)
		if n > len(raw) {
			t.Errorf("%d texts in %d bytes", n, len(raw))
		}
	})
}

func TestTextIsSplitIntoWords(t *testing.T) {
	for text, want := range map[string]string{
		"listPullRequests":         "list pull requests",
		"APIKey of the HTTPServer": "api key http server",
		"get_v2-users.now":         "get v2 users now",
		"Größe ÄNDERN ÜberFlug":    "größe ändern über flug",
		"工具 x":                     "工具 x",
		"":                         "", "___": "", "A": "",
		"bad\xffbytes": "bad bytes",
	} {
		var got []string
		words(text, func(w string) { got = append(got, w) })
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
