package text

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnifiedIsWhatPatchApplies holds random diffs to patch(1), which refuses
// hunks whose numbers do not fit.
func TestUnifiedIsWhatPatchApplies(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	patch, err := exec.LookPath("patch")
	for n := range 60 {
		before := randomLines(rng, nil)
		after := randomLines(rng, before)
		a, b := strings.Join(before, ""), strings.Join(after, "")
		for _, context := range []int{1, 2, 3} {
			diff := Unified("a", "b", a, b, context)
			checkNumbers(t, diff, before, after)
			if err != nil || a == b || a == "" || b == "" {
				continue
			}
			file := filepath.Join(t.TempDir(), "f")
			if err := os.WriteFile(file, []byte(a), 0o644); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(patch, "--fuzz=0", "-s", file)
			cmd.Stdin = strings.NewReader(diff)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("case %d: patch: %v %s\n%s", n, err, out, diff)
			}
			if got, _ := os.ReadFile(file); string(got) != b {
				t.Fatalf("case %d: patch gives another text\n%s", n, diff)
			}
		}
	}
}

// A change far down in a large text is told with its lines, also without context
// and at both ends.
func TestUnifiedNumbersWhatStandsFarDown(t *testing.T) {
	before := strings.Repeat("same\n", 5_000) + "x\n" + strings.Repeat("same\n", 5_000)
	for after, want := range map[string]string{
		strings.Replace(before, "x\n", "y\n", 1):    "--- a\n+++ b\n@@ -5000,3 +5000,3 @@\n same\n-x\n+y\n same\n",
		strings.Replace(before, "x\n", "", 1):       "--- a\n+++ b\n@@ -5000,3 +5000,2 @@\n same\n-x\n same\n",
		strings.Replace(before, "x\n", "x\nz\n", 1): "--- a\n+++ b\n@@ -5001,2 +5001,3 @@\n x\n+z\n same\n",
		strings.TrimSuffix(before, "\n"):            "--- a\n+++ b\n@@ -10000,2 +10000,2 @@\n same\n-same\n+same\n\\ No newline at end of file\n",
		"x\n" + before:                              "--- a\n+++ b\n@@ -1 +1,2 @@\n+x\n same\n",
	} {
		if got := Unified("a", "b", before, after, 1); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func randomLines(rng *rand.Rand, from []string) []string {
	var out []string
	if from == nil {
		for i := range 5 + rng.Intn(60) {
			out = append(out, fmt.Sprintf("line %d of many\n", i))
		}
		return out
	}
	for i, l := range from {
		switch rng.Intn(9) {
		case 0:
		case 1:
			out = append(out, fmt.Sprintf("changed %d\n", i))
		case 2:
			out = append(out, fmt.Sprintf("added %d\n", i), l)
		default:
			out = append(out, l)
		}
	}
	return out
}

// checkNumbers looks each hunk's first line up where its header says.
func checkNumbers(t *testing.T, diff string, before, after []string) {
	t.Helper()
	lines := strings.SplitAfter(diff, "\n")
	for i, l := range lines {
		m := hunkHeader.FindStringSubmatch(l)
		if m == nil || !strings.HasPrefix(lines[i+1], " ") {
			continue
		}
		from, to := number(m[1], 0), number(m[3], 0)
		if before[from-1] != lines[i+1][1:] || after[to-1] != lines[i+1][1:] {
			t.Fatalf("%q begins with %q; the old text has %q there, the new one %q", l, lines[i+1], before[from-1], after[to-1])
		}
	}
}
