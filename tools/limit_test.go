package tools

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func printing(text string, budget int) *Box {
	return running("print", Spec{ResultBudget: budget}, func(context.Context, Progress) (Result, error) {
		return Result{Text: text}, nil
	})
}

func TestATextWithinTheBudgetIsLeftAlone(t *testing.T) {
	text := strings.Repeat("x", DefaultBudget)
	res := mustRun(t, pipeline(NewLocks(), t.TempDir()), invoke(printing(text, 0), "print", "{}"))
	if res.Text != text || res.Truncated || res.FullOutput != "" {
		t.Errorf("changed: truncated %v, %q", res.Truncated, res.FullOutput)
	}
}

func TestATextOverTheBudgetKeepsHeadAndTailAndTheWholeInAFile(t *testing.T) {
	for name, c := range map[string]struct {
		text         string
		head, middle string
	}{
		"lines":        {"first\n" + strings.Repeat("some line\n", 500) + "last\n", "first\nsome line\n", " lines) of 5011 bytes are left out here"},
		"one line":     {"a" + strings.Repeat("é", 2500) + "z", "aé", "(0 lines) of 5002 bytes"},
		"at the brink": {strings.Repeat("b", 1001), "b", "1 bytes (0 lines) of 1001 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			inv := invoke(printing(c.text, 1000), "print", "{}")
			inv.Call.ID = "../call/1"
			res := mustRun(t, pipeline(NewLocks(), dir), inv)
			wantText(t, res, OK, c.head, c.middle, "the whole text is in "+res.FullOutput, "`read` can open")
			if !res.Truncated || len(res.Text) > 1000+300 || !utf8.ValidString(res.Text) {
				t.Errorf("truncated %v, %d bytes, valid %v", res.Truncated, len(res.Text), utf8.ValidString(res.Text))
			}
			if !strings.HasPrefix(res.Text, c.text[:10]) || !strings.HasSuffix(res.Text, c.text[len(c.text)-5:]) {
				t.Error("head or tail is missing")
			}
			if filepath.Dir(res.FullOutput) != dir {
				t.Errorf("the whole text went to %s", res.FullOutput)
			}
			whole, err := os.ReadFile(res.FullOutput)
			if err != nil || string(whole) != c.text {
				t.Errorf("the file is not the whole: %v", err)
			}
			info, err := os.Stat(res.FullOutput)
			if err != nil || os.PathSeparator == '/' && info.Mode().Perm() != 0o600 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
		})
	}
}

func TestAWholeTextThatCannotBeKeptIsSaid(t *testing.T) {
	res := mustRun(t, pipeline(NewLocks(), ""), invoke(printing(strings.Repeat("x", 2000), 1000), "print", "{}"))
	wantText(t, res, OK, "the whole text could not be kept")
	if res.FullOutput != "" {
		t.Errorf("names %q", res.FullOutput)
	}
}

func TestRefusalsAreLimitedToo(t *testing.T) {
	box := running("print", Spec{ResultBudget: 1000}, func(context.Context, Progress) (Result, error) {
		return Result{}, Fail(strings.Repeat("x", 5000))
	})
	res := mustRun(t, pipeline(NewLocks(), ""), invoke(box, "print", "{}"))
	wantText(t, res, Failed, "left out here")
}

func TestOldSpilledTextsAreForgotten(t *testing.T) {
	dir := t.TempDir()
	old, young, other := filepath.Join(dir, "call-old-1.txt"), filepath.Join(dir, "call-new-1.txt"), filepath.Join(dir, "keep.json")
	past := time.Now().Add(-SpillAge - time.Hour)
	for _, p := range []string{old, young, other} {
		if err := os.WriteFile(p, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range []string{old, other} {
		if err := os.Chtimes(p, past, past); err != nil {
			t.Fatal(err)
		}
	}
	mustRun(t, pipeline(NewLocks(), dir), invoke(printing(strings.Repeat("x", 2000), 1000), "print", "{}"))
	for p, want := range map[string]bool{old: false, young: true, other: true} {
		if _, err := os.Stat(p); (err == nil) != want {
			t.Errorf("%s: %v", filepath.Base(p), err)
		}
	}
}
