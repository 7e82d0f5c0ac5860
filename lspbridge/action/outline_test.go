package action

import (
	"testing"

	"companion/workspace"
)

func TestOutlineAnswersFromTheLastParseAndNeverWaits(t *testing.T) {
	var later []func()
	parses := 0
	o := &Outline{
		Parse: func(lang, _ string) []Lines {
			parses++
			return []Lines{{2, 4}}
		},
		Later: func(f func()) { later = append(later, f) },
	}
	doc := workspace.Snapshot{Hash: "1", Lang: "go"}
	doc.Path = "/a.go"
	if o.Inside(doc, 3) || parses != 0 {
		t.Error("answered before a parse, or parsed at once")
	}
	o.Inside(doc, 3)
	if len(later) != 1 {
		t.Fatalf("%d parses are queued", len(later))
	}
	later[0]()
	for line, want := range map[int]bool{1: false, 2: true, 4: true, 5: false} {
		if o.Inside(doc, line) != want {
			t.Errorf("line %d: %v", line, !want)
		}
	}
	doc.Hash = "2"
	if !o.Inside(doc, 3) || len(later) != 2 {
		t.Error("a changed text has no answer from the last parse, or is not parsed anew")
	}
	if (*Outline)(nil).Inside(doc, 3) {
		t.Error("nil knows functions")
	}
}
