package permission

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sourcegraph/conc"

	"companion/tools"
)

func run(t *testing.T, h tools.Handler, inv *tools.Invocation) tools.Result {
	t.Helper()
	res, err := h(context.Background(), inv)
	if err != nil {
		t.Fatalf("the turn ended: %v", err)
	}
	return res
}

func TestAnAnswerDecides(t *testing.T) {
	for name, c := range map[string]struct {
		answer  Answer
		outcome tools.Outcome
		words   []string
		said    []string
	}{
		"allow once":       {Answer{OptionID: "once"}, tools.OK, []string{"it ran"}, []string{"started", "asked", "allowOnce by user"}},
		"reject":           {Answer{OptionID: "reject"}, tools.Denied, []string{"the user refused", "Do not retry it and do not work around it"}, []string{"started", "asked", "rejectOnce by user"}},
		"reject, feedback": {Answer{OptionID: "reject", Feedback: "use make"}, tools.Denied, []string{"The user says: use make"}, []string{"started", "asked", "rejectOnce by user"}},
		"dismissed":        {Answer{}, tools.Denied, []string{"the user refused"}, []string{"started", "asked", "rejectOnce by user"}},
		"an unknown one":   {Answer{OptionID: "zzz"}, tools.Denied, []string{"the user refused"}, []string{"started", "asked", "rejectOnce by user"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := &person{answers: []Answer{c.answer}}
			inv, h := call(runner("go build"), tools.ModeAgent)
			want(t, run(t, whole(p, Options{}), inv), c.outcome, c.words...)
			wantSaid(t, h, c.said...)
		})
	}
}

func TestStopEndsTheTurnAndKeepsAResult(t *testing.T) {
	inv, _ := call(runner("go build"), tools.ModeAgent)
	res, err := whole(&person{answers: []Answer{{OptionID: "stop"}}}, Options{})(context.Background(), inv)
	if !errors.Is(err, tools.ErrStopped) {
		t.Errorf("got %v", err)
	}
	want(t, res, tools.Aborted, "the user stopped the turn")
}

func TestNobodyToAskIsADenialThatSaysHowToAllow(t *testing.T) {
	for name, asker := range map[string]Asker{"none": nil, "an editor that cannot": &person{err: ErrNobody}} {
		t.Run(name, func(t *testing.T) {
			inv, _ := call(runner("go build"), tools.ModeAgent)
			want(t, run(t, whole(asker, Options{}), inv), tools.Denied, "nobody could be asked", "not run",
				`{"action":"allow","effect":"command","pattern":"go build","tool":"exec_command"}`, "--mode full")
		})
	}
	inv, _ := call(runner("go build"), tools.ModeAgent)
	want(t, run(t, whole(&person{err: errors.New("connection lost")}, Options{}), inv), tools.Denied, "could not be asked (connection lost)")
}

func TestWhatARuleAllowsIsNotAsked(t *testing.T) {
	p := &person{}
	inv, h := call(writer(root+"/f", "d"), tools.ModeAgent)
	want(t, run(t, whole(p, Options{}), inv), tools.OK, "it ran")
	wantSaid(t, h, "started")
	inv, h = call(writer(root+"/f", "d"), tools.ModePlan)
	want(t, run(t, whole(p, Options{}), inv), tools.Denied, "mode plan changes no file")
	wantSaid(t, h, "started", "rejectOnce by rule")
	if p.asked() > 0 {
		t.Error("a person was asked")
	}
}

func TestAYesForTheThreadCoversTheSameAndNothingElse(t *testing.T) {
	p := &person{answers: []Answer{{OptionID: "thread"}}}
	h := whole(p, Options{})
	for i, c := range []struct {
		actor   actor
		thread  string
		outcome tools.Outcome
		asked   int
	}{
		{runner("go build"), "t", tools.OK, 1},
		{runner("go build"), "t", tools.OK, 1},
		{runner("go build ./x"), "t", tools.Denied, 2},
		{runner("go build"), "other", tools.Denied, 3},
	} {
		inv, _ := call(c.actor, tools.ModeAgent)
		inv.Call.Thread = c.thread
		res := run(t, h, inv)
		if res.Outcome != c.outcome || p.asked() != c.asked {
			t.Errorf("call %d: %s after %d questions, want %s after %d", i, res.Outcome, p.asked(), c.outcome, c.asked)
		}
	}
}

func TestAYesForAFileCoversLaterEditsOfIt(t *testing.T) {
	p := &person{answers: []Answer{{OptionID: "thread"}}}
	h := whole(p, Options{})
	for i, path := range []string{"/f", "/f", "/g"} {
		inv, _ := call(writer(root+path, strings.Repeat("d", i)), tools.ModeEdit)
		res := run(t, h, inv)
		if (res.Outcome == tools.OK) != (path == "/f") {
			t.Errorf("call %d: %v", i, res)
		}
	}
}

func TestOneQuestionOfAThreadIsOpenAndAYesReleasesThoseItCovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &person{wait: make(chan struct{}), answers: []Answer{{OptionID: "thread"}}}
		h := whole(p, Options{})
		var wg conc.WaitGroup
		for range 3 {
			wg.Go(func() {
				inv, _ := call(runner("go build"), tools.ModeAgent)
				want(t, run(t, h, inv), tools.OK, "it ran")
			})
		}
		synctest.Wait()
		if n := p.asked(); n != 1 {
			t.Errorf("%d questions are open", n)
		}
		// What a rule allows does not queue behind what asks.
		inv, _ := call(runner("pwd"), tools.ModeAgent)
		want(t, run(t, h, inv), tools.OK, "it ran")
		close(p.wait)
		wg.Wait()
		if n := p.asked(); n != 1 {
			t.Errorf("%d questions in all", n)
		}
	})
}

func TestAStopWithdrawsTheQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &person{wait: make(chan struct{})}
		ctx, stop := context.WithCancel(context.Background())
		var wg conc.WaitGroup
		wg.Go(func() {
			inv, _ := call(runner("go build"), tools.ModeAgent)
			res, err := whole(p, Options{})(ctx, inv)
			if err != nil {
				t.Error(err)
			}
			want(t, res, tools.Aborted, "It was not run")
		})
		synctest.Wait()
		stop()
		wg.Wait()
	})
}

// A call whose file another call changed meanwhile asks again only if more than
// line numbers moved.
func TestAPreparationThatChangedIsAskedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		second string
		asked  int
	}{
		"only lines moved": {"@@ -9,3 +9,3 @@\n other\n-a\n+b\n", 1},
		"another change":   {"@@ -1,3 +1,3 @@\n x\n-a\n+c\n", 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &person{answers: []Answer{{OptionID: "once"}, {OptionID: "once"}}}
				prepared := 0
				a := writer(root+"/f", "")
				first := a.action
				a.action = func() tools.Action {
					action := first()
					action.Preview.Diff = "@@ -1,3 +1,3 @@\n x\n-a\n+b\n"
					if prepared++; prepared > 1 {
						action.Preview.Diff = c.second
					}
					return action
				}
				h := whole(p, Options{Rules: Rules{{Effect: tools.Write, Tool: "free", Action: Allow}}})
				other := writer(root+"/f", "")
				other.name = "free"
				inv, _ := call(other, tools.ModeEdit)
				want(t, run(t, h, inv), tools.OK) // at the same instant of virtual time: counts as since
				inv, _ = call(a, tools.ModeEdit)
				want(t, run(t, h, inv), tools.OK)
				if prepared != 2 || p.asked() != c.asked {
					t.Errorf("prepared %d times, asked %d times, want 2 and %d", prepared, p.asked(), c.asked)
				}
			})
		})
	}
}

func TestARequestShowsWhatIsWanted(t *testing.T) {
	p := &person{}
	inv, _ := call(runner("ls && touch pwned \x1b[30D\x1b[K"), tools.ModeAgent)
	run(t, whole(p, Options{}), inv)
	r := p.shown[0]
	if r.Kind != KindCommand || r.Title != `Run ls && touch pwned \x1B[30D\x1B[K` || r.Preview.Command != `ls && touch pwned \x1B[30D\x1B[K` || r.Preview.Cwd != root {
		t.Errorf("got %+v", r)
	}
	labels := map[string]bool{}
	for _, o := range r.Options {
		labels[o.Label] = true
	}
	if len(r.Options) > 5 || len(labels) != len(r.Options) || !labels["Allow once"] || !labels["Allow for this thread"] || !labels["Reject"] || !labels["Stop"] {
		t.Errorf("options %v", r.Options)
	}
	inv, _ = call(writer(root+"/f", "-a\r\n+\u202eb\r\n"), tools.ModeEdit)
	run(t, whole(p, Options{}), inv)
	if r := p.shown[1]; r.Kind != KindEdit || r.Title != "Editing f" || r.Preview.Diff != "-a\n+\\u{202E}b\n" {
		t.Errorf("got %+v", r)
	}
}

// HB-136: what a prompt shows is what is there.
func TestEveryControlCharacterIsMadeVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain é 漢 😀":              "plain é 漢 😀",
		"a\x1b[30D\x1b[K":          `a\x1B[30D\x1B[K`,
		"a\u202eb\u2066c\u200ed":   `a\u{202E}b\u{2066}c\u{200E}d`,
		"a\rb\nc\td":               `a\rb\nc\td`,
		"a\u200bb\u200dc\ufeff":    `a\u{200B}b\u{200D}c\u{FEFF}`,
		"a\x00b\x7fc\u0085":        `a\x00b\x7Fc\u{0085}`,
		"a\u2028b\u2029":           `a\u{2028}b\u{2029}`,
		"a\xffb":                   `a\xFFb`,
		"a\u00a0b\u3000c\u3164d":   `a\u{00A0}b\u{3000}c\u{3164}d`,
		"a\U000e0041b\ufe0f\u2800": `a\u{E0041}b\u{FE0F}\u{2800}`,
		"a\ue000b\u0378":           `a\u{E000}b\u{0378}`,
	} {
		if got := Visible(in); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
	if got := VisibleLines("a\r\nb\tc\rd\n\x1b"); got != "a\nb\tc\\rd\n\\x1B" {
		t.Errorf("lines: %q", got)
	}
}

// What is said to the model must help: the rule is one for what asked, and mode
// full is not advised where it holds already.
func TestTheAdviceOfADenialFitsWhatAsked(t *testing.T) {
	for _, mode := range []tools.Mode{tools.ModeAgent, tools.ModeFull} {
		inv, _ := call(actor{"exec_command", func() tools.Action {
			return tools.Action{Effects: []tools.Effect{runs("ls"), {Kind: tools.Write, Path: "/elsewhere/o", Outside: true}}, Preview: tools.Preview{Cwd: root}}
		}}, mode)
		o := run(t, whole(nil, Options{}), inv)
		want(t, o, tools.Denied, `"effect":"write"`, `"pattern":"/elsewhere/o"`)
		if strings.Contains(o.Text, "--mode full") != (mode == tools.ModeAgent) {
			t.Errorf("%s: %s", mode, o.Text)
		}
	}
}
