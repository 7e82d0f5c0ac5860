package limit

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"companion/tools"
)

// printer is a tool that prints.
type printer struct {
	budget int
	run    func() (tools.Result, error)
}

func (p printer) Spec() tools.Spec { return tools.Spec{Name: "print", ResultBudget: p.budget} }

func (p printer) Prepare(context.Context, tools.Call) (tools.Action, error) {
	return tools.Action{Run: func(context.Context, tools.Progress) (tools.Result, error) { return p.run() }}, nil
}

func pipeline(spill string) tools.Handler {
	return tools.Chain(tools.Run, tools.Answer(nil), Stage(spill), tools.Lookup(), tools.Validate(), tools.Prepare())
}

func invoke(p printer) *tools.Invocation {
	box := tools.NewRegistry(p).Box(tools.BoxOptions{})
	return &tools.Invocation{Box: box, Call: tools.Call{Thread: "t", Turn: "u", ID: "c1", Name: "print", Raw: json.RawMessage("{}")}}
}

func mustRun(t *testing.T, h tools.Handler, inv *tools.Invocation) tools.Result {
	t.Helper()
	res, err := h(context.Background(), inv)
	if err != nil {
		t.Fatalf("the turn ended: %v", err)
	}
	return res
}

// wantText checks outcome and words of a result.
func wantText(t *testing.T, res tools.Result, outcome tools.Outcome, parts ...string) {
	t.Helper()
	if res.Outcome != outcome {
		t.Errorf("outcome %q, want %q: %s", res.Outcome, outcome, res.Text)
	}
	for _, p := range parts {
		if !strings.Contains(res.Text, p) {
			t.Errorf("the text lacks %q:\n%s", p, res.Text)
		}
	}
}

func printing(text string, budget int) printer {
	return printer{budget, func() (tools.Result, error) { return tools.Result{Text: text}, nil }}
}

func TestATextWithinTheBudgetIsLeftAlone(t *testing.T) {
	text := strings.Repeat("x", DefaultBudget)
	res := mustRun(t, pipeline(t.TempDir()), invoke(printing(text, 0)))
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
			inv := invoke(printing(c.text, 1000))
			inv.Call.ID = "../call/1"
			res := mustRun(t, pipeline(dir), inv)
			wantText(t, res, tools.OK, c.head, c.middle, "the whole text is in "+res.FullOutput, "`read` can open")
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
	res := mustRun(t, pipeline(""), invoke(printing(strings.Repeat("x", 2000), 1000)))
	wantText(t, res, tools.OK, "the whole text could not be kept")
	if res.FullOutput != "" {
		t.Errorf("names %q", res.FullOutput)
	}
}

func TestRefusalsAreLimitedToo(t *testing.T) {
	box := printer{1000, func() (tools.Result, error) { return tools.Result{}, tools.Fail(strings.Repeat("x", 5000)) }}
	res := mustRun(t, pipeline(""), invoke(box))
	wantText(t, res, tools.Failed, "left out here")
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
	mustRun(t, pipeline(dir), invoke(printing(strings.Repeat("x", 2000), 1000)))
	for p, want := range map[string]bool{old: false, young: true, other: true} {
		if _, err := os.Stat(p); (err == nil) != want {
			t.Errorf("%s: %v", filepath.Base(p), err)
		}
	}
}

// What a hook put in the place of a text is spilled, not what it took out; that
// is kept for the log, in part.
func TestARealTextBehindAReplacedOneIsBounded(t *testing.T) {
	dir := t.TempDir()
	replaced := strings.Repeat("x", 500)
	h := Stage(dir)(func(context.Context, *tools.Invocation) (tools.Result, error) {
		return tools.Result{Text: replaced, Real: strings.Repeat("secret ", 100), FullOutput: "/elsewhere"}, nil
	})
	inv := invoke(printer{})
	inv.Spec.ResultBudget = 200
	res := mustRun(t, h, inv)
	if len(res.Real) > 400 || strings.Contains(res.Text, "/elsewhere") || !strings.Contains(res.Text, res.FullOutput) {
		t.Errorf("got %+v", res)
	}
	whole, err := os.ReadFile(res.FullOutput)
	if err != nil || string(whole) != replaced {
		t.Errorf("the file holds %q, %v", whole, err)
	}
}

func TestAnEntryOfTheHistoryIsBounded(t *testing.T) {
	if text := strings.Repeat("x", EntryBudget); Entry(text) != text {
		t.Error("a text within the budget is cut")
	}
	if got := Entry(strings.Repeat("line\n", EntryBudget)); len(got) > EntryBudget+200 || !strings.Contains(got, "are left out here; they are kept nowhere") {
		t.Errorf("%d bytes", len(got))
	}
}
