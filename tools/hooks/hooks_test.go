package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"companion/tools"
)

// Functions are hooks in tests.
type (
	preFunc     func(context.Context, Call) (Pre, error)
	approveFunc func(context.Context, Call, Question) (Answer, error)
	postFunc    func(context.Context, Call, tools.Result) (Post, error)
	defineFunc  func(tools.Spec) tools.Spec
)

func (f preFunc) PreCall(ctx context.Context, c Call) (Pre, error) { return f(ctx, c) }

func (f approveFunc) Approve(ctx context.Context, c Call, q Question) (Answer, error) {
	return f(ctx, c, q)
}

func (f postFunc) PostCall(ctx context.Context, c Call, r tools.Result) (Post, error) {
	return f(ctx, c, r)
}

func (f defineFunc) Define(s tools.Spec) tools.Spec { return f(s) }

// heard keeps what it hears.
type heard struct {
	mu   sync.Mutex
	said []string
	hang bool
}

func (h *heard) say(s string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.said = append(h.said, s)
}

func (h *heard) Started(ctx context.Context, c Call) {
	h.say("started " + c.Tool + " " + string(c.Args))
	if h.hang {
		<-ctx.Done()
		time.Sleep(time.Hour) // virtual: it ignores its deadline
	}
}

func (h *heard) Finished(_ context.Context, c Call, e End) {
	h.say(fmt.Sprintf("finished %s %s %v %v", c.Tool, e.Outcome, e.Queued, e.Ran))
}

// writer is a tool with two parameters; it says what it ran with.
type writer struct {
	run func(context.Context, tools.Call) (tools.Result, error)
}

func (writer) Spec() tools.Spec {
	return tools.Spec{
		Name: "write", Aliases: []string{"put"}, Description: "Writes.",
		Input: json.RawMessage(`{"type":"object","properties":{"mode":{"type":"integer"},"path":{"type":"string"},"content":{"type":"string"}},"required":["path"],"additionalProperties":false}`),
	}
}

func (w writer) Prepare(_ context.Context, c tools.Call) (tools.Action, error) {
	return tools.Action{Preview: tools.Preview{Text: string(c.Args)}, Run: func(ctx context.Context, _ tools.Progress) (tools.Result, error) {
		if w.run != nil {
			return w.run(ctx, c)
		}
		return tools.Result{Text: "wrote " + string(c.Args), Content: []tools.Content{{Kind: tools.ImageContent}}, Changed: []tools.Change{{Path: "/f"}}}, nil
	}}, nil
}

// verdict is a policy that says so for all calls.
func verdict(v tools.Verdict) tools.Stage {
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
			inv.Verdict = v
			return next(ctx, inv)
		}
	}
}

// decisions hears approvals.
type decisions struct{ said []string }

func (d *decisions) Started(*tools.Invocation) {}
func (d *decisions) Approval(_ *tools.Invocation, decision, by string) {
	d.said = append(d.said, decision+" by "+by)
}

type trial struct {
	hooks   []Hook
	tool    writer
	args    string
	name    string
	verdict tools.Verdict
}

// do runs one call; the verdict is what is left of it behind the hooks.
func (tr trial) do(t *testing.T, ctx context.Context) (tools.Result, tools.Verdict, *decisions) {
	t.Helper()
	if tr.args == "" {
		tr.args = `{"path":"a"}`
	}
	if tr.name == "" {
		tr.name = "write"
	}
	d := &decisions{}
	var left tools.Verdict
	look := func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
			left = inv.Verdict
			return next(ctx, inv)
		}
	}
	s := New(nil, tr.hooks...)
	h := tools.Chain(tools.Run, s.Notices(), s.After(), tools.Answer(nil), tools.Lookup(), tools.Validate(), s.Before(), tools.Prepare(), verdict(tr.verdict), s.Approve(), look)
	box := tools.NewRegistry(tr.tool).Box(tools.BoxOptions{})
	inv := &tools.Invocation{Box: box, Notices: d, Call: tools.Call{Thread: "t", Turn: "u", Step: 2, ID: "c1", Name: tr.name, Raw: json.RawMessage(tr.args)}}
	res, err := h(ctx, inv)
	if err != nil {
		t.Errorf("the turn ended: %v", err)
	}
	return res, left, d
}

func want(t *testing.T, res tools.Result, outcome tools.Outcome, parts ...string) {
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

func pre(name string, f preFunc) Hook   { return Hook{Name: name, Pre: f} }
func post(name string, f postFunc) Hook { return Hook{Name: name, Post: f} }
func says1(p Pre) preFunc               { return func(context.Context, Call) (Pre, error) { return p, nil } }

func posts(p Post) postFunc {
	return func(context.Context, Call, tools.Result) (Post, error) { return p, nil }
}

func answers(a Answer) approveFunc {
	return func(context.Context, Call, Question) (Answer, error) { return a, nil }
}
func ptr(s string) *string { return &s }
func must(t *testing.T, cond string) When {
	t.Helper()
	w, err := Parse(cond)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestHooksBeforeACallActInOrder(t *testing.T) {
	var seen []string
	look := preFunc(func(_ context.Context, c Call) (Pre, error) {
		seen = append(seen, fmt.Sprintf("%s %s %s %d", c.Tool, c.Args, c.ID, c.Step))
		return Pre{}, nil
	})
	for name, c := range map[string]struct {
		hooks   []Hook
		outcome tools.Outcome
		words   []string
		seen    []string
	}{
		"none": {nil, tools.OK, []string{`wrote {"path":"a"}`}, nil},
		"rewritten, coerced and seen by the next": {
			[]Hook{pre("one", says1(Pre{Args: json.RawMessage(`{"path":"b","mode":"3"}`)})), pre("two", look)},
			tools.OK,
			[]string{`(The hook one changed the arguments. It ran with {"mode":3,"path":"b"})`, `wrote {"mode":3,"path":"b"}`},
			[]string{`write {"mode":3,"path":"b"} c1 2`},
		},
		"rewritten to what does not fit": {
			[]Hook{pre("one", says1(Pre{Args: json.RawMessage(`{"path":3}`)})), pre("two", look)},
			tools.Blocked,
			[]string{"the hook one changed its arguments to some that do not fit: path: expected string, got number. Go on"},
			nil,
		},
		"blocked, and the next is not asked": {
			[]Hook{pre("one", says1(Pre{Block: "no writes on Fridays."})), pre("two", look)},
			tools.Blocked,
			[]string{"write was not run: the hook one blocks it: no writes on Fridays. Do not"},
			nil,
		},
		"a note": {[]Hook{pre("one", says1(Pre{Note: "be careful"}))}, tools.OK, []string{"(The hook one says: be careful)\nwrote"}, nil},
		"the same arguments are no change": {
			[]Hook{pre("one", says1(Pre{Args: json.RawMessage(`{"path":"a"}`)})), pre("two", look)},
			tools.OK,
			[]string{`wrote {"path":"a"}`},
			[]string{`write {"path":"a"} c1 2`},
		},
		"not for this call": {
			[]Hook{{Name: "one", When: must(t, "write(path: b*)"), Pre: says1(Pre{Block: "x"})}, {Name: "two", When: must(t, "read"), Pre: says1(Pre{Block: "x"})}},
			tools.OK,
			[]string{`wrote {"path":"a"}`},
			nil,
		},
		"a rewrite makes the next one fit": {
			[]Hook{pre("one", says1(Pre{Args: json.RawMessage(`{"path":"b"}`)})), {Name: "two", When: must(t, "write(path: b*)"), Pre: says1(Pre{Block: "no b"})}},
			tools.Blocked,
			[]string{"the hook two blocks it: no b"},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			seen = nil
			res, _, _ := trial{hooks: c.hooks}.do(t, context.Background())
			want(t, res, c.outcome, c.words...)
			if !slices.Equal(seen, c.seen) {
				t.Errorf("saw %q, want %q", seen, c.seen)
			}
			if c.hooks == nil && strings.Contains(res.Text, "hook") {
				t.Error(res.Text)
			}
		})
	}
}

func TestAHookThatFailsFailsSafe(t *testing.T) {
	hang := func() { time.Sleep(time.Hour) } // virtual; it ignores its context
	fails := map[string]func() error{
		"error": func() error { return errors.New("exit status 1") },
		"panic": func() error { panic("boom") },
		"hang": func() error {
			hang()
			return nil
		},
	}
	words := map[string]string{"error": "exit status 1", "panic": "it panicked: boom", "hang": "it gave no answer within 3s"}
	for kind, fail := range fails {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := Hook{Name: "h", Deadline: 3 * time.Second, Pre: preFunc(func(context.Context, Call) (Pre, error) { return Pre{}, fail() })}
				res, _, _ := trial{hooks: []Hook{h}}.do(t, context.Background())
				want(t, res, tools.Blocked, "the hook h, which has to be asked first, failed: "+words[kind])
				h.Lenient = true
				res, _, _ = trial{hooks: []Hook{h}}.do(t, context.Background())
				want(t, res, tools.OK, "(The hook h failed and was passed over: "+words[kind], "wrote")

				h = Hook{Name: "h", Deadline: 3 * time.Second, Post: postFunc(func(context.Context, Call, tools.Result) (Post, error) { return Post{}, fail() })}
				res, _, _ = trial{hooks: []Hook{h}}.do(t, context.Background())
				want(t, res, tools.Blocked, "write ran (ok), and its result is withheld", words[kind])
				if res.Real != `wrote {"path":"a"}` || res.Content != nil || len(res.Changed) != 1 {
					t.Errorf("the log gets %+v", res)
				}
				h.Lenient = true
				res, _, _ = trial{hooks: []Hook{h}}.do(t, context.Background())
				want(t, res, tools.OK, "wrote", "(The hook h failed and was passed over: "+words[kind])

				h = Hook{Name: "h", Deadline: 3 * time.Second, Approve: approveFunc(func(context.Context, Call, Question) (Answer, error) { return Answer{Decision: Allow}, fail() })}
				_, left, d := trial{hooks: []Hook{h}}.do(t, context.Background())
				if left.Allow || len(d.said) > 0 {
					t.Errorf("it answered: %+v, %q", left, d.said)
				}
				time.Sleep(2 * time.Hour) // what hangs ends
			})
		})
	}
}

func TestAHookAnswersForAPersonWhereOneWouldBeAsked(t *testing.T) {
	allow, deny := answers(Answer{Decision: Allow}), answers(Answer{Decision: Deny, Text: "use edit"})
	asks := tools.Verdict{Why: "it writes", Asks: []string{"write a"}}
	for name, c := range map[string]struct {
		verdict tools.Verdict
		hooks   []approveFunc
		left    bool
		outcome tools.Outcome
		words   string
		said    string
	}{
		"allows":                        {asks, []approveFunc{allow}, true, tools.OK, "wrote", "allowOnce by hook"},
		"refuses":                       {asks, []approveFunc{deny}, false, tools.Denied, "the hook h0 refused in the user's place. Do not retry it and do not work around it. It says: use edit", "rejectOnce by hook"},
		"one refusal wins":              {asks, []approveFunc{allow, deny}, false, tools.Denied, "the hook h1 refused", "rejectOnce by hook"},
		"no opinion":                    {asks, []approveFunc{answers(Answer{})}, false, tools.OK, "wrote", ""},
		"is not asked for what is free": {tools.Verdict{Allow: true}, []approveFunc{deny}, true, tools.OK, "wrote", ""},
		"not for what asks each time":   {tools.Verdict{Once: true}, []approveFunc{allow}, false, tools.OK, "wrote", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var list []Hook
			for i, f := range c.hooks {
				list = append(list, Hook{Name: fmt.Sprint("h", i), Approve: f})
			}
			res, left, d := trial{hooks: list, verdict: c.verdict}.do(t, context.Background())
			want(t, res, c.outcome, c.words)
			if left.Allow != c.left || strings.Join(d.said, ",") != c.said {
				t.Errorf("left %+v, said %q", left, d.said)
			}
		})
	}
	var q Question
	h := Hook{Name: "h", Approve: approveFunc(func(_ context.Context, _ Call, got Question) (Answer, error) {
		q = got
		return Answer{}, nil
	})}
	trial{hooks: []Hook{h}, verdict: asks}.do(t, context.Background())
	if q.Why != "it writes" || q.Preview.Text != `{"path":"a"}` {
		t.Errorf("it was asked %+v", q)
	}
}

func TestHooksBehindACallDecideWhatTheModelSees(t *testing.T) {
	for name, c := range map[string]struct {
		hooks   []Hook
		outcome tools.Outcome
		text    string
		real    string
		content int
	}{
		"replace": {[]Hook{post("p", posts(Post{Replace: ptr("wrote [redacted]")}))}, tools.OK, "wrote [redacted]", `wrote {"path":"a"}`, 0},
		"veto": {
			[]Hook{post("p", posts(Post{Veto: "a secret."}))},
			tools.Blocked,
			"write ran (ok), and the hook p withheld its result: a secret. What the call did stands. Do not try to read the result in another way.", `wrote {"path":"a"}`, 0,
		},
		"a note": {[]Hook{post("p", posts(Post{Note: "run the tests"}))}, tools.OK, "wrote {\"path\":\"a\"}\n(The hook p says: run the tests)", "", 1},
		"the next sees what is left": {
			[]Hook{
				post("p", posts(Post{Replace: ptr("1")})),
				post("q", func(_ context.Context, _ Call, r tools.Result) (Post, error) {
					return Post{Replace: ptr(r.Text + "2")}, nil
				}),
			}, tools.OK, "12", `wrote {"path":"a"}`, 0,
		},
		"replaced by nothing": {[]Hook{post("p", posts(Post{Replace: ptr("")}))}, tools.OK, "(A hook left nothing of the result.)", `wrote {"path":"a"}`, 0},
		"nothing":             {[]Hook{post("p", posts(Post{}))}, tools.OK, `wrote {"path":"a"}`, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			res, _, _ := trial{hooks: c.hooks}.do(t, context.Background())
			if res.Outcome != c.outcome || res.Text != c.text || res.Real != c.real || len(res.Content) != c.content || len(res.Changed) != 1 {
				t.Errorf("got %+v", res)
			}
		})
	}
	asked := false
	late := post("p", func(context.Context, Call, tools.Result) (Post, error) {
		asked = true
		return Post{}, nil
	})
	trial{hooks: []Hook{late, pre("q", says1(Pre{Block: "x"}))}}.do(t, context.Background())
	if asked {
		t.Error("a hook judged the result of a call that did not run")
	}
}

// What a stopped call printed is a result too.
func TestAStopDoesNotLetThroughWhatAHookWithholds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		tool := writer{func(ctx context.Context, _ tools.Call) (tools.Result, error) {
			stop()
			<-ctx.Done()
			return tools.Result{Outcome: tools.Aborted, Text: "the key is 123"}, nil
		}}
		res, _, _ := trial{tool: tool, hooks: []Hook{post("p", posts(Post{Veto: "a key"}))}}.do(t, ctx)
		want(t, res, tools.Blocked, "write ran (aborted)")
		if strings.Contains(res.Text, "123") || res.Real != "the key is 123" {
			t.Errorf("got %+v", res)
		}
	})
}

func TestNoticesComeOnceEachWhateverTheEnd(t *testing.T) {
	stopped, stop := context.WithCancel(context.Background())
	stop()
	for name, c := range map[string]struct {
		trial trial
		ctx   context.Context
		said  []string
	}{
		"ran":     {trial{}, nil, []string{`started write {"path":"a"}`, "finished write ok 0s 0s"}},
		"blocked": {trial{hooks: []Hook{pre("b", says1(Pre{Block: "x"}))}}, nil, []string{`started write {"path":"a"}`, "finished write blocked 0s 0s"}},
		"rewritten": {
			trial{hooks: []Hook{pre("b", says1(Pre{Args: json.RawMessage(`{"path":"b"}`)}))}},
			nil,
			[]string{`started write {"path":"b"}`, "finished write ok 0s 0s"},
		},
		"denied":       {trial{hooks: []Hook{{Name: "a", Approve: answers(Answer{Decision: Deny})}}}, nil, []string{`started write {"path":"a"}`, "finished write denied 0s 0s"}},
		"aborted":      {trial{}, stopped, []string{`started write {"path":"a"}`, "finished write aborted 0s 0s"}},
		"unknown":      {trial{name: "wrote", args: `{"x":1}`}, nil, []string{`started wrote {"x":1}`, "finished wrote failed 0s 0s"}},
		"wrong":        {trial{args: `{`}, nil, []string{"started write {", "finished write failed 0s 0s"}},
		"by its alias": {trial{name: "put"}, nil, []string{`started write {"path":"a"}`, "finished write ok 0s 0s"}},
		"panicked": {
			trial{tool: writer{func(context.Context, tools.Call) (tools.Result, error) { panic("boom") }}},
			nil,
			[]string{`started write {"path":"a"}`, "finished write failed 0s 0s"},
		},
		"withheld": {trial{hooks: []Hook{post("p", posts(Post{Veto: "x"}))}}, nil, []string{`started write {"path":"a"}`, "finished write blocked 0s 0s"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &heard{}
				c.trial.hooks = append([]Hook{{Name: "h", Notices: h}, {Name: "other", When: must(t, "read"), Notices: h}}, c.trial.hooks...)
				ctx := c.ctx
				if ctx == nil {
					ctx = context.Background()
				}
				c.trial.do(t, ctx)
				if !slices.Equal(h.said, c.said) {
					t.Errorf("heard %q, want %q", h.said, c.said)
				}
			})
		})
	}
}

func TestWhoOnlyListensCannotHoldACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		res, _, _ := trial{hooks: []Hook{{Name: "h", Notices: &heard{hang: true}}}}.do(t, context.Background())
		want(t, res, tools.OK, "wrote")
		if took := time.Since(start); took != NoticeDeadline {
			t.Errorf("took %v", took)
		}
		time.Sleep(2 * time.Hour)
	})
}

func TestAStopEndsTheWaitForAHook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		time.AfterFunc(time.Second, stop)
		res, _, _ := trial{hooks: []Hook{pre("slow", func(ctx context.Context, _ Call) (Pre, error) {
			<-ctx.Done()
			return Pre{}, ctx.Err()
		})}}.do(t, ctx)
		want(t, res, tools.Aborted, "Aborted by the user after 1.0 s. It was not run.")
	})
}

func TestADefinitionIsChangedInWordsOnly(t *testing.T) {
	s := New(nil,
		Hook{Name: "d", When: must(t, "wr*"), Define: defineFunc(func(s tools.Spec) tools.Spec {
			s.Description += " In Latin."
			s.Name, s.ReadOnly, s.Input, s.Form = "rm", true, nil, tools.Freeform
			return s
		})},
		Hook{Name: "e", When: must(t, "read"), Define: defineFunc(func(s tools.Spec) tools.Spec { s.Description = "x"; return s })},
		Hook{Name: "f", Define: defineFunc(func(tools.Spec) tools.Spec { panic("boom") })},
		Hook{Name: "g", When: must(t, "put"), Define: defineFunc(func(s tools.Spec) tools.Spec { s.Exposure = tools.Deferred; return s })},
	)
	got, was := s.Define(writer{}.Spec()), writer{}.Spec()
	if got.Description != "Writes. In Latin." || got.Name != was.Name || got.ReadOnly || string(got.Input) != string(was.Input) || got.Form != was.Form || got.Exposure != tools.Deferred {
		t.Errorf("%+v", got)
	}
}

func TestConditions(t *testing.T) {
	exec := tools.Spec{Name: "exec_command", Aliases: []string{"run"}, Input: json.RawMessage(`{"type":"object","properties":{"timeout":{"type":"integer"},"command":{"type":"string"},"workdir":{"type":"string"}}}`)}
	edit := tools.Spec{Name: "edit", Namespace: "fs", Input: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}
	patch := tools.Spec{Name: "apply_patch", Form: tools.Freeform}
	for _, c := range []struct {
		cond string
		spec tools.Spec
		args string
		want bool
	}{
		{"exec_command", exec, `{}`, true},
		{"exec_*", exec, `{}`, true},
		{"run", exec, `{}`, true},
		{"exec", exec, `{}`, false},
		{"*", edit, `{}`, true},
		{"fs.*", edit, `{}`, true},
		{"fs.*", exec, `{}`, false},
		{"exec_command(git *)", exec, `{"command":"git push"}`, true},
		{"exec_command(git *)", exec, `{"command":"git"}`, false},
		{"exec_command(git*)", exec, `{"command":"git"}`, true},
		{"exec_command(git *)", exec, `{"command":"cd x && git push"}`, false},
		{"exec_command(*git push*)", exec, `{"command":"cd x && git push -f"}`, true},
		{"exec_command(git *)", exec, `{"workdir":"git x"}`, false},
		{"exec_command(timeout: 3?)", exec, `{"timeout":30,"command":"x"}`, true},
		{"exec_command(timeout: 3?)", exec, `{"timeout":300,"command":"x"}`, false},
		{"exec_command(git *, workdir: /tmp*)", exec, `{"command":"git x","workdir":"/tmp/a"}`, true},
		{"exec_command(git *, workdir: /tmp*)", exec, `{"command":"git x"}`, false},
		{`exec_command(echo a\, b)`, exec, `{"command":"echo a, b"}`, true},
		{`exec_command(f\(\) *)`, exec, `{"command":"f() x"}`, false}, // only "\," and "\)" are escapes
		{`exec_command(f(\) *)`, exec, `{"command":"f() x"}`, true},
		{"exec_command(echo: x)", exec, `{"command":"y"}`, false},
		{"exec_command(a b: c)", exec, `{"command":"a b: c"}`, true},
		{"fs.edit(edits[*].new: *TODO*)", edit, `{"edits":[{"new":"a"},{"new":"a\nTODO b"}]}`, true},
		{"fs.edit(edits[0].new: *TODO*)", edit, `{"edits":[{"new":"a"},{"new":"TODO"}]}`, false},
		{"fs.edit(edits[1].new: TODO)", edit, `{"edits":[{"new":"a"},{"new":"TODO"}]}`, true},
		{"fs.edit(*.go)", edit, `{"path":"a/b.go"}`, true},
		{"fs.edit(opts.deep: true)", edit, `{"opts":{"deep":true}}`, true},
		{"apply_patch(*secret*)", patch, `{"input":"a\nsecret\nb"}`, true},
		{"exec_command(*)", exec, `no json`, false},
	} {
		w, err := Parse(c.cond)
		if err != nil {
			t.Errorf("%s: %v", c.cond, err)
			continue
		}
		if got := w.fits(c.spec, c.spec.Full(), json.RawMessage(c.args)); got != c.want {
			t.Errorf("%s on %s: %v", c.cond, c.args, got)
		}
	}
	for _, wrong := range []string{"", "(x)", "a(b", "a b(c)", "a)", "a()", `a(b\)`, "a(b,)"} {
		if w, err := Parse(wrong); err == nil {
			t.Errorf("%q passes as %+v", wrong, w)
		}
	}
	if !(When{}).fits(tools.Spec{}, "ghost", nil) {
		t.Error("the zero value is not for all calls")
	}
}

// slow is the reference of match.
func slow(p, s []rune) bool {
	switch {
	case len(p) == 0:
		return len(s) == 0
	case p[0] == '*':
		return slow(p[1:], s) || len(s) > 0 && slow(p, s[1:])
	}
	return len(s) > 0 && (p[0] == '?' || p[0] == s[0]) && slow(p[1:], s[1:])
}

func FuzzPatternsMatchAsTheirDefinitionSays(f *testing.F) {
	f.Add("a*b?c*", "aXbYc")
	f.Add("**a", "ba")
	f.Fuzz(func(t *testing.T, p, s string) {
		if len(p) > 12 || len(s) > 24 {
			return
		}
		if got, want := match(p, s), slow([]rune(p), []rune(s)); got != want {
			t.Errorf("%q on %q: %v", p, s, got)
		}
	})
}

// What has been checked does not change behind the check, whoever holds it.
func TestAHookCannotChangeArgumentsInPlace(t *testing.T) {
	scribble := func(c Call) {
		for i := range c.Args {
			c.Args[i] = 'x'
		}
	}
	ran := ""
	res, _, _ := trial{hooks: []Hook{
		pre("scribbler", func(_ context.Context, c Call) (Pre, error) { scribble(c); return Pre{}, nil }),
		{Name: "approver", Approve: approveFunc(func(_ context.Context, c Call, _ Question) (Answer, error) {
			scribble(c)
			return Answer{Decision: Allow}, nil
		})},
		post("reader", func(_ context.Context, c Call, _ tools.Result) (Post, error) {
			ran = string(c.Args)
			return Post{}, nil
		}),
	}, verdict: tools.Verdict{Why: "x", Asks: []string{"x"}}}.do(t, t.Context())
	if res.Outcome != tools.OK || ran != `{"path":"a"}` {
		t.Errorf("%q with %s: %s", res.Outcome, ran, res.Text)
	}
}
