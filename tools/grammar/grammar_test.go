package grammar

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

const patch = `
// A patch of several files.
start: begin section+ end
begin: "*** Begin" LF
end: "*** End" LF?
?section: add | drop | change -> changed

add: "*** Add: " path LF plus+
drop: "*** Drop: " path LF
change: "*** Change: " path LF move? (mark | line)+ eof?
move: "*** To: " path LF
mark: ("@@" | "@@ " /(.+)/) LF
line: ("+" | "-" | " ") /(.*)/ LF
plus.2: "+" /(.*)/ LF
eof: "*** EOF" LF
path: /(.+)/
%import common.LF
`

const sums = `
start: sum
sum: product (("+"|"-") product)*
product: atom
       | product "*" atom
       | product "/" atom
atom: NUMBER | "-" atom | "(" sum ")" | CALL "(" [sum ("," sum)*] ")"
CALL: LETTER (LETTER | DIGIT | "_")~0..8
%import common (NUMBER, LETTER, DIGIT)
%import common.WS_INLINE -> SPACE
%ignore SPACE
`

func TestWhatTheGrammarDescribesPasses(t *testing.T) {
	for name, c := range map[string]struct {
		lark  string
		texts []string
	}{
		"patch": {patch, []string{
			"*** Begin\n*** Add: a.txt\n+one\n+\n*** End\n",
			"*** Begin\n*** Drop: a b.txt\n*** End",
			"*** Begin\n*** Change: a\n*** To: b\n@@ func x()\n-a\n+b\n c\n@@\n \n*** EOF\n*** Drop: c\n*** End\n",
			"*** Begin\n*** Add: a\n+*** End\n*** End\n",
		}},
		"sums":               {sums, []string{"1", "1+2*3", " - ( 1.5 -2) / 3e4 ", "f()", "f_1( 1, 2+ g(3) )", "((((1))))"}},
		"empty":              {`start: a* b?` + "\na: \"x\"|\nb: a a", []string{"", "x", "xxxx"}},
		"left and right":     {"start: start \"a\" | \"b\" start |", []string{"", "a", "bba", "baa"}},
		"cases":              {`start: "Select"i /\s+/ NAME+` + "\nNAME.3: /[a-z]/i", []string{"sELECT  xY"}},
		"ranges":             {`start: ("a".."c")~2..3`, []string{"ab", "abc"}},
		"escapes":            {`start: "a\n\"/" /\/[\/"]/`, []string{"a\n\"///"}},
		"umlauts":            {`start: "ä".."ü" /./`, []string{"öß"}},
		"nothing at a place": {`start: /(y*)/ b "x"` + "\nb: /(z*)/ c\nc:", []string{"x", "yx", "zx"}},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := Compile(c.lark)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range c.texts {
				if err := g.Check(text); err != nil {
					t.Errorf("%q: %v", text, err)
				}
			}
		})
	}
}

func TestWhatDoesNotFitIsToldWithPlaceAndWhatWasExpected(t *testing.T) {
	for text, c := range map[string]struct{ lark, want string }{
		"":                                    {patch, `line 1, column 1: expected "*** Begin", got the end of the text`},
		"*** Begin\n*** Add a\n":              {patch, `line 2, column 1: expected "*** Add: " or "*** Change: " or "*** Drop: ", got "*** Add a"`},
		"*** Begin\n*** Add: a\none\n*** End": {patch, `line 3, column 1: expected "+", got "one"`},
		"*** Begin\n*** Drop: a\n":            {patch, `line 3, column 1: expected "*** Add: " or "*** Change: " or "*** Drop: " or "*** End", got the end of the text`},
		"*** Begin\n*** Drop: a\n*** End\n\n": {patch, `line 4, column 1: expected the end of the text, got "\n"`},
		"*** Begin\n*** Drop: é\n*** End!":    {patch, `line 3, column 8: expected LF or the end of the text, got "!"`},
		"1 + ":                                {sums, `line 1, column 5: expected "(" or "-" or CALL or NUMBER, got the end of the text`},
		"f(1,)":                               {sums, `line 1, column 5: expected "(" or "-" or CALL or NUMBER, got ")"`},
		strings.Repeat("x", 50):               {`start: "y"`, "…"},
	} {
		g, err := Compile(c.lark)
		if err != nil {
			t.Fatal(err)
		}
		err = g.Check(text)
		var wrong *Mismatch
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v\nwant %s", text, err, c.want)
		}
	}
}

func TestAWrongGrammarNamesItsLine(t *testing.T) {
	for lark, want := range map[string]string{
		"a: \"x\"":                            "no rule start",
		"start: a":                            "line 1: a is not defined",
		"start: A\nA: b\nb: \"x\"":            "line 2: b is no terminal",
		"start: A\nA: A \"x\"":                "line 2: a terminal that contains itself",
		"start: \"x":                          "line 1: \"\\\"x\" has no end in its line",
		"start: (\"x\"":                       `line 1: expected ")"`,
		"start: \"x\"\nstart: \"y\"":          "line 2: start is defined twice",
		"start: /(?!x)/":                      "line 1: /(?!x)/",
		"start: /x/x":                         "flag 'x'",
		"%import python.NAME\nstart: NAME":    "expected common",
		"%import common.NAME\nstart: NAME":    `line 1: there is no common terminal "NAME"`,
		"start: \"x\"~5..2":                   "line 1: from 5 to 2 times is never",
		"start: \"x\"~9999":                   "a number from 0 to 1000",
		"start: \"b\"..\"a\"":                 `the range "b" to "a" is none`,
		"start: x{y}":                         "no template",
		"start = x":                           "line 1: unexpected \"= x\"",
		"start: \"\\q\"":                      "is no string",
		"start: " + strings.Repeat("(", 1000): "fewer groups",
		"start: ((\"x\"~1000)~1000)~1000":     "",
		strings.Repeat(" ", maxSource+1):      "the most is 65536",
	} {
		_, err := Compile(lark)
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.40q: %v, want %s", lark, err, want)
		}
	}
}

// A large text is checked in time that grows with it, not with its square.
func TestALargeTextIsChecked(t *testing.T) {
	g, err := Compile(patch)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("*** Begin\n*** Change: a\n")
	for i := range 8_000 {
		fmt.Fprintf(&b, "-old line %d\n+new line %d\n", i, i)
	}
	good := b.String() + "*** End\n"
	late := time.Now().Add(time.Hour) // however slow the machine is
	if err := g.check(good, late); err != nil {
		t.Error(err)
	}
	if err := g.check("!"+good, time.Now().Add(-time.Hour)); err == nil {
		t.Error("a mismatch that is found at once is not told")
	}
	if err := g.check(b.String()+"!", time.Now()); err != nil {
		t.Errorf("a text that takes too long is refused: %v", err)
	}
	if err := g.check(b.String()+"!", late); err == nil || !strings.Contains(err.Error(), "line 16003, column 1") {
		t.Error(err)
	}
	if err := g.Check(strings.Repeat("!", maxText+1)); err != nil {
		t.Errorf("too long a text is refused: %v", err)
	}
}

// reference finds what every rule matches by adding to what is known until
// nothing is new; it is slow and serves texts of a few characters.
type reference struct {
	g    *Grammar
	text string
	memo map[[3]int]bool // rule, from, to → matches
}

// all finds the least fixed point over all rules and places.
func (r *reference) all() bool {
	for grew := true; grew; {
		grew = false
		for n, p := range r.g.prods {
			for from := range len(r.text) + 1 {
				for to := from; to <= len(r.text); to++ {
					key := [3]int{p.rule, from, to}
					if !r.memo[key] && r.known(r.g.prods[n].rhs, from, to) {
						r.memo[key], grew = true, true
					}
				}
			}
		}
	}
	return r.memo[[3]int{r.g.start, 0, len(r.text)}]
}

func (r *reference) known(rhs []symbol, from, to int) bool {
	if len(rhs) == 0 {
		return from == to
	}
	if rhs[0] < 0 {
		n := r.g.terminals[^rhs[0]].match(r.text[from:to])
		return n >= 0 && r.known(rhs[1:], from+n, to)
	}
	for mid := from; mid <= to; mid++ {
		if r.memo[[3]int{int(rhs[0]), from, mid}] && r.known(rhs[1:], mid, to) {
			return true
		}
	}
	return false
}

// Random grammars of single characters, recursive and ambiguous as they come,
// on all short texts.
func TestRandomGrammarsAgreeWithAPlainSearch(t *testing.T) {
	texts := []string{""}
	for from := 0; len(texts) < 63; from++ {
		texts = append(texts, texts[from]+"a", texts[from]+"b")
	}
	for seed := range uint64(300) {
		lark := randomGrammar(rand.New(rand.NewPCG(seed, 3)))
		g, err := Compile(lark)
		if err != nil {
			t.Fatalf("%s\n%v", lark, err)
		}
		for _, text := range texts {
			r := &reference{g: g, text: text, memo: map[[3]int]bool{}}
			if got, want := g.Check(text) == nil, r.all(); got != want {
				t.Fatalf("seed %d, %q: passes %v, want %v\n%s", seed, text, got, want, lark)
			}
		}
	}
}

func randomGrammar(rnd *rand.Rand) string {
	names := []string{"start", "p", "q"}
	atoms := append([]string{`"a"`, `"b"`, `"a"`, `"b"`}, names...)
	var b strings.Builder
	for _, n := range names {
		b.WriteString(n + ":")
		for alt := range 1 + rnd.IntN(3) {
			if alt > 0 {
				b.WriteString(" |")
			}
			for range rnd.IntN(4) {
				b.WriteString(" " + atoms[rnd.IntN(len(atoms))] + []string{"", "", "", "?", "*", "+", "~1..2"}[rnd.IntN(7)])
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func FuzzNoGrammarAndNoTextBreaksIt(f *testing.F) {
	f.Add(patch, "*** Begin\n*** Add: a\n+x\n*** End\n")
	f.Add(sums, "f(1, -2) * 3")
	f.Add("start: a a\na: a? /x*/", "xx")
	f.Fuzz(func(t *testing.T, lark, text string) {
		g, err := Compile(lark)
		if err != nil || len(text) > 200 {
			return
		}
		var wrong *Mismatch
		if err := g.Check(text); err != nil && (!errors.As(err, &wrong) || wrong.Line < 1 || wrong.Column < 1) {
			t.Errorf("%v", err)
		}
	})
}

func BenchmarkCheckOfAPatch(b *testing.B) {
	g, err := Compile(patch)
	if err != nil {
		b.Fatal(err)
	}
	text := "*** Begin\n*** Change: a\n" + strings.Repeat("-old line of text\n+new line of text\n", 500) + "*** End\n"
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if err := g.Check(text); err != nil {
			b.Fatal(err)
		}
	}
}
