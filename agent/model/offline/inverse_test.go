package offline

import (
	"strings"
	"testing"

	"companion/text"
)

// FuzzInverseTakesADiffBack holds that the edits of a diff, where each is found
// once, give the text before it again.
func FuzzInverseTakesADiffBack(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nx\nc\n")
	f.Add("a\nb", "a\n")
	f.Add("a\n", "a\nb")
	f.Add("one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n", "1\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n10\n")
	f.Add("a\r\nb\r\n", "a\r\nc\r\n")
	f.Add("--- a\n+++ b\n", "--- a\n+++ c\n@@ -1 +1 @@\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		if before == after || strings.Contains(before+after, "\x00") {
			return
		}
		diff := "Applied \"x\" to 1 files.\n\n" + text.Unified("a/f", "b/f", before, after, 3) + "\nEdit applied."
		files, ok := readDiff(diff)
		if !ok || len(files) != 1 {
			t.Fatalf("diff not read:\n%s", diff)
		}
		for name, edits := range map[string][]edit{"inverse": files[0].inverse(), "widened": wide(files[0], after)} {
			got := after
			for _, e := range edits {
				if e.Old == "" || strings.Count(got, e.Old) != 1 {
					return // the edit tool refuses it
				}
				got = strings.Replace(got, e.Old, e.New, 1)
			}
			if len(edits) > 0 && got != before {
				t.Errorf("%s: %q, want %q; diff:\n%s", name, got, before, diff)
			}
		}
	})
}

func wide(f fileDiff, after string) []edit {
	if strings.ContainsAny(after, "\r") {
		return nil // the read tool shows lines without their endings
	}
	lines := strings.Split(after, "\n")
	e, ok := f.widened(lines, 1)
	if !ok {
		return nil
	}
	return []edit{e}
}

func TestReadDiffRefusesWhatIsCutOff(t *testing.T) {
	for name, s := range map[string]string{
		"none":        "Applied.",
		"cut hunk":    "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b",
		"no hunk":     "--- a/f\n+++ b/f\n",
		"other lines": "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n[120 lines left out]\n",
	} {
		if files, ok := readDiff(s); ok {
			t.Errorf("%s: read as %+v", name, files)
		}
	}
}
