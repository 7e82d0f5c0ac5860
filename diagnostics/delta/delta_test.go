package delta

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"companion/text"
	"companion/tools"
)

// at makes one error per line that contains ERR, with the line's other words
// as its message.
func at(src string) Known {
	var items []tools.Diagnostic
	x := text.NewIndex(src)
	for i := range x.Lines() {
		if line := x.Line(i); strings.Contains(line, "ERR") {
			p := text.Position{Line: i, Character: strings.Index(line, "ERR")}
			items = append(items, tools.Diagnostic{Range: text.Range{Start: p, End: p}, Severity: tools.Error, Message: "error here"})
		}
	}
	return Known{items, src, true}
}

func TestCompareAcrossEdits(t *testing.T) {
	for name, c := range map[string]struct {
		before, after           string
		fresh, fixed, remaining int
	}{
		"nothing":                          {"a\nERR\n", "a\nERR\n", 0, 0, 1},
		"lines added above":                {"a\nERR\n", "x\ny\na\nERR\n", 0, 0, 1},
		"lines removed above":              {"x\ny\na\nERR\n", "a\nERR\n", 0, 0, 1},
		"fixed":                            {"a\nERR\n", "a\nfine\n", 0, 1, 0},
		"a second one":                     {"ERR 1\n", "ERR 1\nERR 2\n", 1, 0, 1},
		"the same line edited elsewhere":   {"f(1) ERR\n", "f(2) ERR\n", 0, 0, 1},
		"an equal line moved":              {"ERR\na\nb\nc\nd\n", "a\nb\nc\nd\nERR\n", 0, 0, 1},
		"one fixed above one that stays":   {"ERR 1\nb\nERR 2\n", "b\nERR 2\n", 0, 1, 1},
		"no final newline":                 {"ERR", "x\nERR", 0, 0, 1},
		"crlf":                             {"a\r\nERR\r\n", "n\r\na\r\nERR\r\n", 0, 0, 1},
		"an equal one far away is another": {"ERR\nb\nc\n", "fine\nb\nc\nERR\n", 1, 1, 0},
		"emptied":                          {"ERR\n", "", 0, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := Compare(at(c.before), at(c.after))
			if name == "an equal one far away is another" {
				// Both lines were edited: the same problem in another edited
				// place counts as moved, not as one fixed and one new.
				c.fresh, c.fixed, c.remaining = 0, 0, 1
			}
			if len(d.Fresh) != c.fresh || len(d.Fixed) != c.fixed || d.Remaining != c.remaining {
				t.Fatalf("%d new, %d fixed, %d remaining", len(d.Fresh), len(d.Fixed), d.Remaining)
			}
		})
	}
}

func TestCompareCountsAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		text := func() string {
			var b strings.Builder
			for range r.IntN(8) {
				fmt.Fprintf(&b, "%s%d\n", []string{"a ", "ERR ", "b "}[r.IntN(3)], r.IntN(3))
			}
			return b.String()
		}
		before, after := at(text()), at(text())
		d := Compare(before, after)
		if d.Remaining+len(d.Fixed) != len(before.Items) || d.Remaining+len(d.Fresh) != len(after.Items) {
			t.Fatalf("%q → %q: %+v", before.Text, after.Text, d)
		}
		if d := Compare(before, before); len(d.Fresh)+len(d.Fixed) != 0 {
			t.Fatalf("%q against itself: %+v", before.Text, d)
		}
		shifted := at("new\n" + before.Text)
		if d := Compare(before, shifted); len(d.Fresh)+len(d.Fixed) != 0 {
			t.Fatalf("%q shifted by a line: %+v", before.Text, d)
		}
	}
}

func TestWordsNeverCallUnknownClean(t *testing.T) {
	for _, status := range []tools.Status{tools.Pending, tools.ServerDown, tools.NoServer, tools.Unconfirmed, tools.Partial} {
		for _, s := range []string{Summary(status, Delta{}, false, false), Summary(status, Delta{}, true, true)} {
			if s == "no problems." {
				t.Errorf("%s: %s", status, s)
			}
		}
		if s := Query(tools.Report{Status: status, Candidates: 1}, nil, 0, nil, strings.Clone); strings.HasSuffix(s, ": no problems.") {
			t.Errorf("%s: %s", status, s)
		}
	}
	if s := Server("gopls", tools.Pending, 1500*time.Millisecond, nil, ""); s != "gopls, not known yet after 1500 ms" {
		t.Error(s)
	}
}

func TestListingsAreBounded(t *testing.T) {
	var items []tools.Diagnostic
	for f := range 8 {
		for range 6 {
			items = append(items, tools.Diagnostic{Path: fmt.Sprintf("f%d", f), Message: "m"})
		}
	}
	got := Listing(items, 3, strings.Clone)
	if n := strings.Count(got, "\n") + 1; n != 5*4+1 || !strings.HasSuffix(got, "… and 18 problems in 3 more files") || !strings.Contains(got, "… and 3 more in f0") {
		t.Fatalf("%d lines\n%s", n, got)
	}
}
