package offline

import (
	"fmt"
	"strings"
	"testing"

	"companion/agent/model"
)

// byMessage offers a fix for each ERR and WARN of a line.
func byMessage(w *world, path string, line int, only []string) []offer {
	var out []offer
	if len(only) != 1 || only[0] != "quickfix" {
		return nil
	}
	for _, p := range w.problems(path) {
		if p.line != line {
			continue
		}
		mark := map[string]string{"error": "ERR", "warning": "WARN", "hint": "HINT"}[p.severity]
		o := drop("Remove "+p.message, mark+"("+p.message+")", false)
		o.fixes = []string{p.message}
		out = append(out, o)
	}
	return out
}

func TestFixesWhatHasOneFix(t *testing.T) {
	for _, form := range []string{"", "terse"} {
		t.Run("feedback "+form, func(t *testing.T) {
			w := &world{t: t, offers: byMessage, feedbackForm: form, files: map[string]string{
				"a.go": "package a\nERR(unused x)\nok\nERR(unused y)\nWARN(old style)\nHINT(could be shorter)",
			}}
			final, _ := w.talk("Fix the problems in: a.go")
			if got := w.all(); len(got) != 1 || got[0].severity != "hint" {
				t.Errorf("left: %v", got)
			}
			for _, want := range []string{"Fixed 3 problems", "Remove unused x", "No problem is left in a.go"} {
				if !strings.Contains(final, want) {
					t.Errorf("the last message lacks %q:\n%s", want, final)
				}
			}
		})
	}
}

func TestFixesOnlyTheNamedDiagnostics(t *testing.T) {
	w := &world{t: t, offers: byMessage, files: map[string]string{"a.go": "ERR(one)\nERR(two)\nHINT(three)"}}
	final, _ := w.talk("Fix these diagnostics in a.go:\na.go:2:3: error: two [compiler Code]\na.go:3:1: hint: three")
	if got := w.files["a.go"]; got != "ERR(one)\n\n" {
		t.Errorf("file: %q\n%s", got, final)
	}
}

func TestFixesSeveralFilesAndWholeProjects(t *testing.T) {
	for _, said := range []string{
		"Fix the problems in: a.go, sub/b.go",
		"Fix the problems in: ./a.go\nFix these diagnostics in sub/b.go:",
		"please fix all errors",
		"Find the problems that the language server reports in a.go and fix them.\n\nFile: a.go\n\nFile: sub/b.go",
		"File: a.go\n\nFile: sub/b.go\n\nfix the imports and errors",
	} {
		t.Run(said, func(t *testing.T) {
			w := &world{t: t, offers: byMessage, files: map[string]string{"a.go": "ERR(one)\nERR(one)", "sub/b.go": "x\nERR(two)"}}
			final, _ := w.talk(said)
			if got := w.all(); len(got) != 0 || !strings.Contains(final, "Fixed 3 problems") {
				t.Errorf("left %v\n%s", got, final)
			}
		})
	}
}

func TestTakesBackWhatMakesThingsWorse(t *testing.T) {
	const before = "one\ntwo\nERR(bad)\nfour\nfive\nsix\nseven\neight\nnine\nten"
	cases := map[string]struct {
		apply func(string) string
		text  string
		said  string
	}{
		"new error in the file": {
			func(s string) string { return strings.Replace(s, "ERR(bad)", "ERR(worse)\nnew line", 1) }, before, "brought new errors (worse)",
		},
		"nothing fixed": {
			func(s string) string { return strings.Replace(s, "two", "2", 1) }, before, "changed nothing for the better",
		},
		"two hunks far apart": {
			func(s string) string {
				return strings.NewReplacer("ERR(bad)", "ERR(worse)", "one", "1", "ten", "10\nERR(more)").Replace(s)
			},
			strings.Replace(before, "six", strings.Repeat("six\n", 30), 1), "taken back",
		},
		"hunk that is not unique without more context": {
			func(s string) string { return strings.Replace(s, "ERR(bad)", "a", 1) + "\nERR(worse)" },
			strings.Repeat("a\n", 30) + "ERR(bad)\n" + strings.Repeat("a\n", 30) + "end", "taken back",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := &world{t: t, files: map[string]string{"a.go": c.text}, offers: func(_ *world, _ string, _ int, only []string) []offer {
				if only[0] != "quickfix" {
					return nil
				}
				return []offer{{action{title: "Make it so", kind: "quickfix", preferred: true}, c.apply}}
			}}
			final, _ := w.talk("Fix the problems in: a.go")
			if w.files["a.go"] != c.text {
				t.Errorf("the file is not as it was:\n%q\nwant\n%q\ncalls:\n%s", w.files["a.go"], c.text, strings.Join(w.calls, "\n"))
			}
			if !strings.Contains(final, c.said) || !strings.Contains(final, "bad") || strings.Contains(final, "Fixed 1") {
				t.Errorf("the last message:\n%s", final)
			}
		})
	}
}

func TestTakesBackAnEditWithNewErrorsElsewhere(t *testing.T) {
	w := &world{t: t, files: map[string]string{"a.go": "ok\nERR(bad)", "b.go": "fine"}, offers: byMessage}
	w.also = func(w *world) { w.files["b.go"] = "ERR(broken by a)" }
	if final, _ := w.talk("Fix the problems in: a.go"); w.files["a.go"] != "ok\nERR(bad)" {
		t.Errorf("kept a fix that broke another file:\n%s", final)
	}
}

func TestNeverChoosesAmongRivalsNorSilences(t *testing.T) {
	cases := map[string]struct {
		offers []offer
		fixed  bool
		said   string
	}{
		"two without preference": {[]offer{drop("A", "ERR(x)", false), drop("B", "ERR(x)", false)}, false, `2 rival fixes are offered and none is preferred: "A", "B"`},
		"two preferred":          {[]offer{drop("A", "ERR(x)", true), drop("B", "ERR(x)", true)}, false, "rival"},
		"one of two preferred":   {[]offer{drop("A", "ERR(x)", false), drop("B", "ERR(x)", true)}, true, "B"},
		"one and a silencer":     {[]offer{drop("A", "ERR(x)", false), drop("Disable rule for this line", "ERR(x)", false)}, true, "A"},
		"only a silencer":        {[]offer{drop("Add // @ts-ignore to all", "ERR(x)", true)}, false, "only silencing"},
		"only a stub":            {[]offer{drop("Create function x", "ERR(x)", true)}, false, "only declaring what is missing"},
		"a stub and a fix":       {[]offer{drop("Add missing function declaration 'x'", "ERR(x)", true), drop("Change spelling", "ERR(x)", false)}, true, "Change spelling"},
		"a refactoring":          {[]offer{{action{title: "R", kind: "refactor.rewrite"}, func(string) string { return "" }}}, false, "no quick fix is offered"},
		"disabled":               {[]offer{{action{title: "D", kind: "quickfix", disabled: "not here"}, func(string) string { return "" }}}, false, "no quick fix is offered"},
		"for another problem":    {[]offer{{action{title: "O", kind: "quickfix", fixes: []string{"else"}}, func(string) string { return "" }}}, false, "no quick fix is offered"},
		"none":                   {nil, false, "no quick fix is offered"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := &world{t: t, files: map[string]string{"a.go": "ERR(x)"}, offers: func(_ *world, _ string, _ int, only []string) []offer {
				if only[0] != "quickfix" {
					return nil
				}
				return append([]offer(nil), c.offers...)
			}}
			final, _ := w.talk("Fix the problems in: a.go")
			if fixed := w.files["a.go"] == ""; fixed != c.fixed || !strings.Contains(final, c.said) {
				t.Errorf("fixed %v:\n%s", fixed, final)
			}
			if !c.fixed && w.files["a.go"] != "ERR(x)" {
				t.Errorf("file: %q", w.files["a.go"])
			}
		})
	}
}

func TestUsesSourceActions(t *testing.T) {
	w := &world{t: t, files: map[string]string{"a.go": "ERR(undefined: fmt)\nERR(undefined: os)\nERR(style)"}}
	w.offers = func(_ *world, _ string, _ int, only []string) []offer {
		switch only[0] {
		case "source.organizeImports":
			return []offer{{action{title: "Organize Imports", kind: "source.organizeImports"}, func(s string) string {
				return strings.NewReplacer("ERR(undefined: fmt)", "", "ERR(undefined: os)", "").Replace(s)
			}}}
		case "source.fixAll":
			return []offer{{action{title: "Fix all", kind: "source.fixAll.x"}, func(s string) string { return strings.Replace(s, "ERR(style)", "", 1) }}}
		}
		return nil
	}
	final, _ := w.talk("Fix the problems in: a.go")
	if len(w.all()) != 0 || !strings.Contains(final, "Organize Imports") || !strings.Contains(final, "Fix all") {
		t.Errorf("left %v\n%s", w.all(), final)
	}
}

func TestDiagnosticsThatAreNotKnownYet(t *testing.T) {
	t.Run("soon known", func(t *testing.T) {
		w := &world{t: t, offers: byMessage, files: map[string]string{"a.go": "ERR(x)"}, pending: map[string]int{"diagnostics": 2}}
		if final, _ := w.talk("Fix the problems in: a.go"); len(w.all()) != 0 {
			t.Errorf("left %v\n%s", w.all(), final)
		}
	})
	t.Run("never known", func(t *testing.T) {
		w := &world{t: t, offers: byMessage, files: map[string]string{"a.go": "ERR(x)"}, pending: map[string]int{"diagnostics": 99}}
		final, _ := w.talk("Fix the problems in: a.go")
		if len(w.calls) != maxAsks || !strings.Contains(final, "not known yet") || strings.Contains(final, "No problem") {
			t.Errorf("%d calls\n%s", len(w.calls), final)
		}
	})
	t.Run("feedback pending, then known", func(t *testing.T) {
		w := &world{t: t, offers: byMessage, files: map[string]string{"a.go": "ERR(x)"}, pending: map[string]int{"feedback": 1}}
		if final, _ := w.talk("Fix the problems in: a.go"); len(w.all()) != 0 || !strings.Contains(final, "Fixed 1 problem") {
			t.Errorf("left %v\n%s", w.all(), final)
		}
	})
	t.Run("feedback never known is taken back", func(t *testing.T) {
		w := &world{t: t, offers: byMessage, files: map[string]string{"a.go": "ok\nERR(x)"}, pending: map[string]int{"feedback": 1}}
		w.also = func(w *world) { w.pending["diagnostics"] = maxAsks }
		final, _ := w.talk("Fix the problems in: a.go")
		if w.files["a.go"] != "ok\nERR(x)" || !strings.Contains(final, "could not be checked") {
			t.Errorf("file %q\n%s", w.files["a.go"], final)
		}
	})
}

func TestSaysWhatStandsInTheWay(t *testing.T) {
	t.Run("no language server", func(t *testing.T) {
		w := &world{t: t, noServer: true, files: map[string]string{"a.zz": "ERR(x)"}}
		if final, _ := w.talk("Fix the problems in: a.zz"); !strings.Contains(final, "No language server answers for a.zz") {
			t.Error(final)
		}
	})
	t.Run("file that is not there", func(t *testing.T) {
		w := &world{t: t}
		final, _ := w.talk("Fix the problems in: gone.go")
		if !strings.Contains(final, "could not ask for the problems of gone.go: There is no file gone.go") {
			t.Error(final)
		}
	})
	t.Run("server that cannot start", func(t *testing.T) {
		text := "Diagnostics (unavailable: gopls: not found (PATH)): nothing is known of problems in these files."
		if _, sure := readDiagnostics(result{text: text}); sure != noServer {
			t.Error(sure)
		}
	})
	t.Run("problems that nobody reports", func(t *testing.T) {
		w := &world{t: t, files: map[string]string{"a.go": "fine"}}
		final, _ := w.talk("Fix these diagnostics in a.go:\na.go:1:1: error: of a linter")
		if !strings.Contains(final, "none of the named problems") || strings.Contains(final, "No problem is left") {
			t.Error(final)
		}
	})
	t.Run("nothing wrong", func(t *testing.T) {
		w := &world{t: t, files: map[string]string{"a.go": "fine"}}
		if final, _ := w.talk("Fix the problems in: a.go"); final != "No problem is left in a.go." {
			t.Error(final)
		}
	})
}

func TestFreeQuestionsGetOneHonestSentence(t *testing.T) {
	for _, said := range []string{"What does this function do?", "Write a parser", "Selection in a.go 1:1-2:1:\n```\nx\n```\n\nexplain"} {
		w := &world{t: t}
		final, _ := w.talk(said)
		if len(w.calls) != 0 || final != freeAnswer || strings.Count(final, ". ") != 0 {
			t.Errorf("%q: %d calls, %s", said, len(w.calls), final)
		}
		for _, want := range []string{"companion.model", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"} {
			if !strings.Contains(final, want) {
				t.Errorf("lacks %s", want)
			}
		}
	}
}

func TestRoundsAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "ERR(e%d)\n", i)
	}
	w := &world{t: t, offers: byMessage, files: map[string]string{"a.go": b.String()}}
	final, _ := w.talk("Fix the problems in: a.go")
	if len(w.calls) > maxCalls || !strings.Contains(final, "ask again to go on") {
		t.Errorf("%d calls\n%s", len(w.calls), final)
	}
}

func TestManyProblemsOnOneLineAskOnce(t *testing.T) {
	w := &world{t: t, files: map[string]string{"a.go": "ERR(a) ERR(b) ERR(c) ERR(d)"}, offers: func(*world, string, int, []string) []offer { return nil }}
	w.talk("Fix the problems in: a.go")
	for i := 1; i < len(w.calls); i++ {
		if w.calls[i] == w.calls[i-1] {
			t.Errorf("the same call twice running: %s", w.calls[i])
		}
	}
}

func TestGoesOnAfterLateErrors(t *testing.T) {
	w := &world{t: t, offers: byMessage, files: map[string]string{"a.go": "ERR(x)", "b.go": "fine"}}
	_, items := w.talk("Fix these diagnostics in a.go:\na.go:1:1: error: x")
	w.files["a.go"], w.files["b.go"] = "ERR(late)", "ERR(later)"
	items = append(items, model.Item{
		Kind: model.Message, Role: model.Developer,
		Text: "New errors:\na.go:1:3: error: late [compiler Code]\nb.go:1:3: error: later [compiler Code]",
	})
	final, _ := w.goOn(items)
	if len(w.all()) != 0 {
		t.Errorf("left %v\n%s", w.all(), final)
	}
}

func TestAForeignTranscriptEndsHonestly(t *testing.T) {
	items := []model.Item{
		{Kind: model.Message, Role: model.User, Text: "Fix the problems in: a.go"},
		{Kind: model.ToolCall, CallID: "1", Name: "read", Arguments: `{"path":"a.go"}`},
		{Kind: model.ToolReply, CallID: "1", Name: "read", Text: "1\tx"},
	}
	if got := ask(t, items); got.Kind != model.Message || !strings.Contains(got.Text, "I stop here") {
		t.Errorf("%+v", got)
	}
}

func TestEveryStepFollowsFromTheTranscript(t *testing.T) {
	w := &world{t: t, offers: byMessage, files: map[string]string{"a.go": "ERR(x)\nERR(y)"}}
	_, items := w.talk("Fix the problems in: a.go")
	for i, it := range items {
		if it.Kind != model.ToolCall {
			continue
		}
		if got := ask(t, items[:i]); got.Name != it.Name || got.Arguments != it.Arguments {
			t.Errorf("step at item %d: %s %s, was %s %s", i, got.Name, got.Arguments, it.Name, it.Arguments)
		}
	}
}
