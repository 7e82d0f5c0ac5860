package match

import (
	"strings"
	"testing"
)

func TestEachPassForgivesWhatItIsFor(t *testing.T) {
	long := strings.Repeat("\n", 40)
	for name, c := range map[string]struct {
		s, old string
		o      Options
		pass   Pass
		found  []string
	}{
		"exact":                              {s: "a b c", old: "b", pass: Exact, found: []string{"b"}},
		"exact, places that overlap":         {s: "aaa", old: "aa", pass: Exact, found: []string{"aa", "aa"}},
		"exact, all":                         {s: "aaaa", old: "aa", o: Options{All: true}, pass: Exact, found: []string{"aa", "aa"}},
		"many lines":                         {s: strings.Repeat("\ta(1)\n", 50) + "\tb(1)\n", old: strings.Repeat("  a(1)\n", 40) + "  b(1)\n", pass: LineTrimmed, found: []string{strings.Repeat("\ta(1)\n", 40) + "\tb(1)\n"}},
		"exact goes before tolerance":        {s: " a\na\n", old: "a\n", pass: Exact, found: []string{"a\n", "a\n"}},
		"indentation":                        {s: "\t\tfoo()\n", old: "    foo()", pass: LineTrimmed, found: []string{"\t\tfoo()"}},
		"the end of a line":                  {s: "foo()  \nbar()\n", old: "foo()\nbar()\n", pass: LineTrimmed, found: []string{"foo()  \nbar()\n"}},
		"an ending that the file lacks":      {s: "x\n  foo()", old: "foo()\n", pass: Exact, found: nil},
		"several places":                     {s: " foo()\n  foo()\n", old: "\tfoo()", pass: LineTrimmed, found: []string{" foo()", "  foo()"}},
		"a block":                            {s: "begin {\n  const total = sum(a, b)\n}\n", old: "begin {\n  const total = sum(a, c)\n}", pass: BlockAnchor, found: []string{"begin {\n  const total = sum(a, b)\n}"}},
		"a block with a line more":           {s: "begin {\n  alpha()\n  beta()\n  gamma()\n  delta()\n}\n", old: "begin {\n  alpha()\n  beta()\n  delta()\n}", pass: BlockAnchor, found: []string{"begin {\n  alpha()\n  beta()\n  gamma()\n  delta()\n}"}},
		"a block far longer":                 {s: "begin\n1\n2\n3\n4\n5\nend\n", old: "begin\n1\nend", pass: None},
		"a block unlike":                     {s: "begin\nalpha\nend\n", old: "begin\nzzzzz\nend", pass: None},
		"two blocks":                         {s: "f {\n aaaa1\n}\nf {\n aaaa2\n}\n", old: "f {\n aaaa3\n}", pass: BlockAnchor, found: []string{"f {\n aaaa1\n}", "f {\n aaaa2\n}"}},
		"anchors that say nothing":           {s: "{\n aaaaaa1\n}\n", old: "{\n aaaaaa2\n}", pass: None},
		"a block when all are meant":         {s: "f {\n aaaa1\n}\n", old: "f {\n aaaa3\n}", o: Options{All: true}, pass: None},
		"space inside":                       {s: "let   x  = 1;\n", old: "let x = 1;", pass: Whitespace, found: []string{"let   x  = 1;"}},
		"space inside of a part of a line":   {s: "before foo = 1 after\n", old: "foo  =  1", pass: None},
		"a tab for a space":                  {s: "if\tx {\n", old: "if x {", pass: Whitespace, found: []string{"if\tx {"}},
		"a no-break space":                   {s: "if\u00a0x {\n", old: "if x {", pass: Whitespace, found: []string{"if\u00a0x {"}},
		"depths that differ":                 {s: "if x {\n  y()\n      z()\n}\n", old: "if x {\n  y()\n  z()\n}", pass: Indentation, found: []string{"if x {\n  y()\n      z()\n}"}},
		"depths that differ and mean a lot":  {s: "if x:\n  y()\n  z()\n", old: "if x:\n  y()\nz()", o: Options{Indented: true}, pass: None},
		"depths alike where they mean a lot": {s: "\tif x:\n\t\ty()\n", old: "if x:\n    y()", o: Options{Indented: true}, pass: LineTrimmed, found: []string{"\tif x:\n\t\ty()"}},
		"escapes":                            {s: "say(\"a\")\nsay('b')\n", old: `say(\"a\")\nsay(\'b\')`, pass: Escapes, found: []string{"say(\"a\")\nsay('b')"}},
		"escapes and indentation":            {s: "\tsay(\"a\")\n", old: `  say(\"a\")`, pass: Escapes, found: []string{"\tsay(\"a\")"}},
		"escapes that the file has":          {s: `say("a\n")`, old: `say("a\n")`, pass: Exact, found: []string{`say("a\n")`}},
		"empty lines around":                 {s: "x\nfoo(1)\ny\n", old: "\n\nfoo(1)\n\n", pass: TrimmedBoundary, found: []string{"foo(1)"}},
		"cut off, inside of a line":          {s: "x = foo(1) + 2\n", old: "\n  foo(1)\n", pass: None},
		"half of the context":                {s: "start\n  a1;\n  b2;\n  c3;\n  d4;\nstop\n", old: "start\n  a1;\n  b2;\n  XXXXXXXXXXXXXX;\n  YYYYYYYYYYYYYY;\nstop", pass: Context, found: []string{"start\n  a1;\n  b2;\n  c3;\n  d4;\nstop"}},
		"less than half of it":               {s: "start\n  a1;\n  b2;\n  c3;\nstop\n", old: "start\n  a1;\n  XXXXXXXXXXXXXX;\n  YYYYYYYYYYYYYY;\nstop", pass: None},
		"nothing to go by":                   {s: "\t}\n", old: "  }", pass: None},
		"nothing":                            {s: "a", old: "", pass: None},
		"a span far longer":                  {s: "a" + strings.Repeat(" ", 600) + "b\n", old: "a b", pass: None},
		"a span longer":                      {s: "a" + strings.Repeat(" ", 300) + "b\n", old: "a b", pass: Whitespace, found: []string{"a" + strings.Repeat(" ", 300) + "b"}},
		"a span of far more lines":           {s: "start" + long + "stop", old: "start\nstop", pass: None},
		"only exact, where it is safe":       {s: "\tfoo()\n", old: "  foo()", o: Options{ExactOnly: true}, pass: None},
	} {
		t.Run(name, func(t *testing.T) {
			pass, hits := Find(c.s, c.old, c.o)
			if name == "an ending that the file lacks" {
				c.pass, c.found = LineTrimmed, []string{"  foo()"}
			}
			var found []string
			for _, h := range hits {
				found = append(found, c.s[h.Start:h.End])
			}
			if pass != c.pass || strings.Join(found, "|") != strings.Join(c.found, "|") {
				t.Errorf("by %v: %q, want by %v: %q", pass, found, c.pass, c.found)
			}
		})
	}
}

func TestWhatIsPutTakesTheIndentationOfThePlace(t *testing.T) {
	for name, c := range map[string]struct{ s, old, fresh, want string }{
		"spaces for tabs":            {"f {\n\tif x {\n\t\ty()\n\t}\n}\n", "if x {\n    y()\n}", "if x {\n    z()\n    w()\n}", "\tif x {\n\t\tz()\n\t\tw()\n\t}"},
		"tabs for spaces":            {"f {\n  if x {\n    y()\n  }\n}\n", "if x {\n\ty()\n}", "if x {\n\tif w {\n\t\tz()\n\t}\n}", "  if x {\n    if w {\n      z()\n    }\n  }"},
		"deeper by a level":          {"    a()\n    b()\n", "a()\nb()", "a()\nif c {\n    b()\n}", "    a()\n    if c {\n        b()\n    }"},
		"deeper where old was flat":  {"f {\n\t\ta(1)\n}\n", "a(1) ", "if b {\n    a(1)\n}", "\t\tif b {\n\t\t\ta(1)\n\t\t}"},
		"shallower than old":         {"        a()\n        b()\n", "  a()\n  b()", "  a()\nb()", "        a()\n      b()"},
		"an empty line":              {"\ta()\n\tb()\n", "  a()\n  b()", "  a()\n\n  b()", "\ta()\n\n\tb()"},
		"lines that stay":            {"\ta()  \n\tb()\n", "a()\nb()", "a()\nc()", "\ta()  \n\tc()"},
		"a file's own line":          {"begin()\n  total = sum(a, b)\nend()\n", "begin()\n  total = sum(a, c)\nend()", "begin()\n  total = sum(a, c)\n  more()\nend()", "begin()\n  total = sum(a, b)\n  more()\nend()"},
		"a line that old has not":    {"f() {\n\talpha()\n\tbeta()\n\tgamma()\n\tdelta()\n}\n", "f() {\n  alpha()\n  beta()\n  delta()\n}", "f() {\n  alpha()\n  beta2()\n  delta()\n}", "f() {\n\talpha()\n\tbeta2()\n\tgamma()\n\tdelta()\n}"},
		"endings on both sides":      {"  a()\n  b()\n", "a()\nb()\n", "A()\n", "  A()\n"},
		"an ending in old only":      {"\ta()\n  b()\n", "  a()\n", "", ""},
		"nothing new":                {"  a()\n  b()\n", " a()\n b()", "", ""},
		"empty lines around":         {"x\nfoo(1)\ny\n", "\n\nfoo(1)\n\n", "\n\nfoo(2)\n\n", "foo(2)"},
		"empty lines around in old":  {"x\nfoo(1)\ny\n", "\n\nfoo(1)\n\n", "foo(2)", "foo(2)"},
		"escapes are taken as given": {"say(\"a\")\n", `say(\"a\")`, `say(\"b\")`, `say(\"b\")`},
	} {
		t.Run(name, func(t *testing.T) {
			pass, hits := Find(c.s, c.old, Options{})
			if len(hits) != 1 || pass == Exact {
				t.Fatalf("%v %v", pass, hits)
			}
			if got := hits[0].Fit(c.s, c.fresh); got != c.want {
				t.Errorf("by %v: %q, want %q", pass, got, c.want)
			}
		})
	}
}

func TestDifferencesNameLines(t *testing.T) {
	s := "x\n\ta()\n\tb()\n"
	_, hits := Find(s, "  a()\n\tb()", Options{})
	got := hits[0].Differences(s)
	if len(got) != 1 || got[0] != (Difference{1, "  a()", "\ta()"}) {
		t.Errorf("%v", got)
	}
	if _, hits = Find(s, "a()", Options{}); hits[0].Differences(s) != nil {
		t.Error("an exact place differs in nothing")
	}
}

func TestAlikeIsFromNothingToAll(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"", "", 1},
		{"a", "a", 1},
		{"a", "b", 0},
		{"abcd", "abxd", 0.75},
		{"ab", "", 0},
		{"éa", "éb", 1 - 1.0/3},
		{strings.Repeat("a", 5_000), strings.Repeat("a", 4_999) + "b", 1 - 1.0/5_000},
	} {
		if got := Alike(c.a, c.b); got < c.want-1e-9 || got > c.want+1e-9 {
			t.Errorf("%.20q %.20q: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
