package command

import (
	"strings"
	"testing"
	"time"
)

// What nests too deeply for a parser that recurses is not parsed, and neither
// what is long takes long.
func TestDeepAndLongLinesAreJudgedInTime(t *testing.T) {
	for name, line := range map[string]string{
		"parentheses":   strings.Repeat("(", 200_000),
		"substitutions": strings.Repeat("$(", 100_000) + "hit",
		"ifs":           strings.Repeat("if ", 80_000),
		"negations":     strings.Repeat("! ", 100_000),
		"braces":        strings.Repeat("{ ", 100_000),
		"quotes":        strings.Repeat("\"$(", 60_000),
		"arithmetic":    "echo $((" + strings.Repeat("-", 200_000) + "1))",
		"brace words":   "echo " + strings.Repeat("{a,b}", 2000),
		"a sequence":    "echo {1..100000000}",
		"shells":        strings.Repeat("eval ", 5000) + "hit",
		"many":          strings.Repeat("hit;", 50_000),
		"wrappers":      strings.Repeat("env ", 50_000) + "hit",
	} {
		start := time.Now()
		l := Parse(line, "/w", "")
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: %v", name, took)
		} else if l.Understood() {
			t.Errorf("%s is understood", name)
		}
	}
	if l := Parse("cat <<'EOF'\n"+strings.Repeat("func f() { if x { return (y) } }\n", 5000)+"EOF", "/w", ""); !l.Understood() {
		t.Errorf("a long here-document is not understood: %s", l.Unclear)
	}
}
