package match

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"companion/text"
)

func compile(t testing.TB, pattern string, o Options) *Matcher {
	t.Helper()
	m, err := Compile(pattern, o)
	if err != nil {
		t.Fatalf("%q: %v", pattern, err)
	}
	return m
}

// lines gives the hits as LINE:TEXT, lines of one hit joined by "|".
func lines(m *Matcher, content string) string {
	var out []string
	for _, h := range m.Search(context.Background(), []byte(content), Limits{Most: 100}).Hits {
		out = append(out, fmt.Sprintf("%d:%s", h.Line, strings.Join(h.Lines, "|")))
	}
	return strings.Join(out, " ")
}

func utf16(t *testing.T, s string, cs text.Charset) string {
	t.Helper()
	b, err := text.Encode(s, text.Format{Charset: cs, BOM: true})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestLinesThatMatchAreFound(t *testing.T) {
	line, lit, fold, multi := Options{}, Options{Literal: true}, Options{IgnoreCase: true}, Options{Multiline: true}
	for _, c := range []struct {
		pattern string
		o       Options
		in      string
		want    string
	}{
		{"foo", line, "a\nfoo\nxfoox foo\n", "2:foo 3:xfoox foo"},
		{"^foo$", line, "foo\r\nfoo \r\nfoo", "1:foo 3:foo"},
		{"foo.$", line, "foo\r\nfoox\r\n", "2:foox"},
		{"^$", line, "a\n\nb\n", "2:"},
		{"^$", line, "a\r\n\r\nb", "2:"},
		{"x*", line, "a\nb\n", "1:a 2:b"},
		{`\r$`, line, "a\r\nb\n", "1:a"},
		{`a\s*b`, line, "a\nb\na \t b", "3:a \t b"},
		{"a[^x]b", line, "a\nb\nayb", "3:ayb"},
		{`\Aa|b\z`, line, "ax\nxb\nc", "1:ax 2:xb"},
		{"(?s)a.*b", line, "a\nb\nab", "3:ab"},
		{`\bid\b`, line, "idx\nid\n_id", "2:id"},
		{`\d+é`, line, "1é\n٣é", "1:1é"},
		{`\u00e9|\u{263a}`, line, "é\n☺\n", "1:é 2:☺"},
		{`end\Z`, line, "end\nend.", "1:end"},
		{"interface{}", line, "x interface{} y", "1:x interface{} y"},
		{"func() {", lit, "func() {\n", "1:func() {"},
		{"->", line, "a->b", "1:a->b"}, // HB-121
		{"-1", line, "x = -1", "1:x = -1"},
		{"--help", line, "run --help", "1:run --help"},
		{"-e", line, "grep -e x", "1:grep -e x"},
		{"$&", lit, "a $& b", "1:a $& b"},
		{"STRASSE", fold, "strasse\nStraße", "1:strasse"},
		{"task", fold, "TASK\nta\u017f\u212a\nno", "1:TASK 2:ta\u017f\u212a"},
		{"é|ñ", fold, "É\nÑ\ne", "1:É 2:Ñ"},
		{"(?i)Foo_BAR(", Options{Literal: true}, "(?i)Foo_BAR(\n", "1:(?i)Foo_BAR("},
		{"foo|ba[rz]|qux", line, "bar\nqux\nfo\nfoo", "1:bar 2:qux 4:foo"},
		{"a\nb", multi, "x\na\r\nb\ny", "2:a|b"},
		{`a\r\nb`, multi, "x\na\r\nb\ny", "2:a|b"},
		{`a\r?\nb`, multi, "a\nb", "1:a|b"},
		{`(?s)\{.*?\}`, multi, "f {\n1\n}\n{2}\n", "1:f {|1|} 4:{2}"},
		{`x\n`, multi, "x\nx\ny\n", "1:x 2:x"},
		{`\Aa|c`, multi, "a\na\nc", "1:a 3:c"},
		{`^a`, multi, "a\nba\na", "1:a 3:a"},
		{`b\z`, multi, "b\nb", "2:b"},
		{"é", line, "caf\xe9\nna\xefve", "1:café"}, // Latin-1
		{"caf. au", line, "caf\xe9 au lait", "1:café au lait"},
		{"grün", fold, "GR\xdcN", "1:GRÜN"},
		{"^first", line, "\xef\xbb\xbffirst\n", "1:first"},
		{"fé$", line, utf16(t, "a\r\ncafé\r\n", text.CharsetUTF16LE), "2:café"}, // HB-105
		{"x", line, utf16(t, "a\nx", text.CharsetUTF16BE), "2:x"},
		{"a", line, "a\x00b", ""},
		{"nothing", line, "", ""},
	} {
		if got := lines(compile(t, c.pattern, c.o), c.in); got != c.want {
			t.Errorf("%q %+v in %q: %q, want %q", c.pattern, c.o, c.in, got, c.want)
		}
	}
}

func TestBinaryFilesAreCalledThat(t *testing.T) {
	m := compile(t, "a", Options{})
	for in, want := range map[string]bool{"a\x00": true, "\xff\xfea": true, "\xff\xfea\x00\x00\x00": true, "a": false, "caf\xe9 a": false} {
		if got := m.Search(context.Background(), []byte(in), Limits{Most: 1}); got.Binary != want || want && got.Count > 0 {
			t.Errorf("%q: %+v", in, got)
		}
	}
}

func TestWhatAPatternMayNotHoldIsSaid(t *testing.T) {
	for _, c := range []struct {
		pattern string
		o       Options
		words   string
	}{
		{"", Options{}, "`glob`"},
		{"foo(?=bar)", Options{}, "look-around"},
		{"(?<!a)b", Options{}, "look-around"},
		{`(a)\1`, Options{}, "backreferences (\\1)"},
		{`(?<q>a)\k<q>`, Options{}, "backreferences"},
		{"a++b", Options{}, "possessive"},
		{"foo(", Options{}, `\(`},
		{"foo)", Options{}, "literal"},
		{"a[b", Options{}, `\[`},
		{"*.go", Options{}, "literal"},
		{`a\nb`, Options{}, "multiline"},
		{`[\n]`, Options{}, "multiline"},
		{"a\nb", Options{Literal: true}, "multiline"},
		{"a{1001}", Options{}, "{1001}"},
		{"a\x00", Options{}, "NUL"},
	} {
		if _, err := Compile(c.pattern, c.o); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%q: %v", c.pattern, err)
		}
	}
}

func TestContextLinesAndLimits(t *testing.T) {
	m := compile(t, "x", Options{})
	got := m.Search(context.Background(), []byte("1\n2\nx3\n4\nx5\n6\n7\n"), Limits{Most: 1, Context: 2})
	if got.Count != 2 || len(got.Hits) != 1 {
		t.Fatalf("%+v", got)
	}
	if h := got.Hits[0]; !slices.Equal(h.Before, []string{"1", "2"}) || !slices.Equal(h.After, []string{"4", "x5"}) {
		t.Errorf("%+v", h)
	}
	if got := m.Search(context.Background(), []byte("x\nx\nx\n"), Limits{Most: 5, Stop: 2}); got.Count != 2 {
		t.Errorf("it did not stop: %+v", got)
	}
}

func TestLongLinesAreCutAroundTheMatch(t *testing.T) {
	long := strings.Repeat("é", 40_000) + "needle" + strings.Repeat("z", 40_000)
	for pattern, want := range map[string]string{"needle": "éneedlez", "^é": "éé", "z$": "zz"} {
		h := compile(t, pattern, Options{}).Search(context.Background(), []byte(long), Limits{Most: 1}).Hits[0]
		if got := h.Lines[0]; !strings.Contains(got, want) || len(got) > LineBytes+100 || !strings.Contains(got, "of the 120006 of this line") || strings.ContainsRune(got, '\uFFFD') {
			t.Errorf("%s: %q", pattern, got)
		}
	}
}

// patterns are put together at random from what is hard.
func patterns(r *rand.Rand, depth int) string {
	atoms := []string{"a", "b", "ab", "ba", "K", "s", "é", ".", `\w`, `\d`, `\s`, `\W`, "[^a]", "[a-k]", "[^é]", `\b`, "^", "$", `\B`, "1", " ", "ß", "x", "☺", `\S`, `[\r]`, "(?i:Ab)"}
	if depth == 0 {
		return atoms[r.IntN(len(atoms))]
	}
	sub := func() string { return patterns(r, depth-1) }
	switch r.IntN(7) {
	case 0:
		return "(" + sub() + "|" + sub() + ")"
	case 1:
		return "(?:" + sub() + ")" + []string{"*", "+", "?", "{2}", "{1,2}", "{0,3}"}[r.IntN(6)]
	case 2, 3, 4:
		return sub() + sub()
	}
	return sub()
}

func texts(r *rand.Rand) string {
	pieces := []string{"a", "b", "ab", "K", "k", "\u212a", "s", "\u017f", "é", "É", "\n", "\n", "\r\n", " ", "1", "٣", "ß", "x", "☺", "\t", "AB", "\xe9"}
	var b strings.Builder
	for range r.IntN(24) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// What the needles and the reading of whole texts save changes no answer: the
// reference asks the expression line by line.
func TestHitsAreThoseOfTheSlowWay(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		o := Options{IgnoreCase: r.IntN(2) == 0}
		pattern, content := patterns(r, 3), texts(r)
		m, err := Compile(pattern, o)
		if err != nil {
			continue
		}
		decoded, _, err := text.Decode([]byte(content))
		if err != nil {
			t.Fatal(err)
		}
		if !m.raw {
			decoded = strings.ReplaceAll(decoded, "\r\n", "\n")
		}
		flags := ""
		if o.IgnoreCase {
			flags = "(?i)"
		}
		re := regexp.MustCompile(flags + pattern)
		var want []string
		rows := strings.Split(decoded, "\n")
		if rows[len(rows)-1] == "" {
			rows = rows[:len(rows)-1]
		}
		for i, row := range rows {
			if re.MatchString(row) {
				want = append(want, fmt.Sprintf("%d:%s", i+1, strings.TrimSuffix(row, "\r")))
			}
		}
		if got := lines(m, content); got != strings.Join(want, " ") {
			t.Fatalf("%q %+v in %q: %q, want %q", pattern, o, content, got, want)
		}
	}
}

// ripgrep by our wording finds every file in which we find something.
func TestRipgrepFindsAtLeastOurFiles(t *testing.T) {
	rg, err := exec.LookPath("rg")
	if err != nil {
		t.Skip("NOT RUN: ripgrep is not installed (scripts/need.sh search)")
	}
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(5, 6))
	var contents []string
	for i := range 150 {
		c := texts(r)
		switch i % 10 {
		case 0:
			if valid := strings.ToValidUTF8(c, ""); valid != "" {
				c = utf16(t, valid, text.CharsetUTF16LE)
			}
		case 1:
			c = "\xef\xbb\xbf" + strings.ToValidUTF8(c, "")
		}
		contents = append(contents, c)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%03d", i)), []byte(c), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tried := 0
	for tried < 15 {
		o := Options{IgnoreCase: r.IntN(2) == 0, Multiline: r.IntN(3) == 0}
		pattern := patterns(r, 3)
		if o.Multiline && r.IntN(2) == 0 {
			pattern += `\n` + patterns(r, 1)
		}
		m, err := Compile(pattern, o)
		if err != nil {
			continue
		}
		theirs, ok := m.Ripgrep()
		if !ok {
			continue
		}
		tried++
		args := []string{"--no-config", "-l", "--null", "-e", theirs}
		if o.Multiline {
			args = append(args, "-U")
		}
		if o.IgnoreCase {
			args = append(args, "-i")
		}
		cmd := exec.Command(rg, append(args, ".")...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if exit := new(exec.ExitError); err != nil && (!errors.As(err, &exit) || exit.ExitCode() > 1) {
			t.Fatalf("%q as %q: %v: %s", pattern, theirs, err, out)
		}
		for i, c := range contents {
			name := fmt.Sprintf("f%03d", i)
			if got := m.Search(context.Background(), []byte(c), Limits{Stop: 1}); got.Count > 0 && !strings.Contains(string(out), name+"\x00") {
				t.Fatalf("%q %+v as %q is not found in %q", pattern, o, theirs, c)
			}
		}
	}
}
