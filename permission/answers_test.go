package permission

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/sourcegraph/conc"

	"companion/tools"
)

// shellTool is a tool with a schema whose call runs nothing and says what it
// would have.
type shellTool struct{}

func (shellTool) Spec() tools.Spec {
	return tools.Spec{Name: "exec_command", Input: json.RawMessage(
		`{"type":"object","properties":{"command":{"type":"string"}},"required":["command"],"additionalProperties":false}`)}
}

func (shellTool) Prepare(_ context.Context, call tools.Call) (tools.Action, error) {
	var a struct{ Command string }
	if err := json.Unmarshal(call.Args, &a); err != nil {
		return tools.Action{}, err
	}
	return tools.Action{
		Effects: []tools.Effect{runs(a.Command)}, Preview: tools.Preview{Command: a.Command, Cwd: root},
		Locks: []tools.Lock{{Resource: a.Command, Shared: true}},
		Run: func(context.Context, tools.Progress) (tools.Result, error) {
			return tools.Result{Text: "ran: " + a.Command}, nil
		},
	}, nil
}

func shellCall(id, line string) (*tools.Invocation, *heard) {
	h := &heard{}
	raw, err := json.Marshal(map[string]string{"command": line})
	if err != nil {
		panic(err)
	}
	return &tools.Invocation{
		Box: tools.NewRegistry(shellTool{}).Box(tools.BoxOptions{}), Notices: h,
		Call: tools.Call{Thread: "t", Turn: "u", ID: id, Name: "exec_command", Mode: tools.ModeAgent, Roots: []string{root}, Raw: raw},
	}, h
}

// memory keeps rules as the product does, and gives them back.
type memory struct {
	mu    sync.Mutex
	rules Rules
	err   error
}

func (m *memory) options() Options {
	return Options{
		More: func(tools.Call) Rules { m.mu.Lock(); defer m.mu.Unlock(); return append(Rules(nil), m.rules...) },
		Remember: func(_ tools.Call, rs Rules) error {
			m.mu.Lock()
			defer m.mu.Unlock()
			if m.err == nil {
				m.rules = append(m.rules, rs...)
			}
			return m.err
		},
	}
}

// desk answers each question by what it is about.
type desk struct {
	mu    sync.Mutex
	asked []Request
	reply func(Request) Answer
}

func (d *desk) Ask(_ context.Context, r Request) (Answer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, r)
	return d.reply(r), nil
}

// HB-144, and which prefix is proposed at all.
func TestWhatAlwaysProposes(t *testing.T) {
	commit := "git commit -m \"$(cat <<'EOF'\nTitle\n\n- item\nEOF\n)\""
	for line, want := range map[string]string{
		commit:                       "git commit *",
		"git commit -m 'a\nb'":       "git commit *",
		"go build ./...":             "go build *",
		"go build && go vet ./x":     "go build *, go vet *",
		"go build && ls":             "go build *", // ls needs no rule
		"go build | tail -5":         "go build *",
		"cd sub && go test ./...":    "go test *",
		"# note\ngo build":           "go build *",
		"npm run test -- -u":         "npm run test *",
		"npm test":                   "npm test *",
		"go mod tidy":                "go mod tidy *",
		"cargo build --release":      "cargo build *",
		"make test":                  "make test *",
		"gofmt -l .":                 "gofmt *",
		"./build.sh x":               "./build.sh *",
		"pytest -q":                  "pytest *",
		"go build > out":             "go build *",
		"a && b && c && d":           "", // four are too many to read
		"make":                       "",
		"make X=1":                   "",
		"go run .":                   "",
		"npm run":                    "",
		"npx x":                      "",
		"python3 x.py":               "",
		"node -e 1":                  "",
		"bash -c 'go build'":         "",
		"sh x.sh":                    "",
		"sudo go build":              "",
		"env go build":               "",
		"timeout 5 go build":         "",
		"xargs go build":             "",
		"find . -exec go build {} +": "",
		"rm x":                       "",
		"go build && rm x":           "", // all or nothing
		"git push":                   "",
		"git reset --hard":           "",
		"git -C x log":               "",
		"git log --output=x":         "",
		"dd if=a of=b":               "",
		"curl https://example.org":   "",
		"chmod 755 x":                "",
		"kill 1":                     "",
		"docker run x":               "",
		"kubectl delete pod x":       "",
		"go build $X":                "",
		"$X build":                   "",
		"go build &":                 "",
		"FOO=1 go build":             "",
		"go build > /etc/x":          "",
		"go build 'unterminated":     "",
		"sed -i s/a/b/ x":            "",
		"awk 1 a":                    "",
		"vim x":                      "",
		"ssh host":                   "",
		"export A=1":                 "",
		"mytool .env":                "",
		"tee x":                      "",
	} {
		m := &memory{}
		d := &desk{reply: func(Request) Answer { return Answer{OptionID: "always"} }}
		inv, _ := shellCall("c", line)
		res := run(t, whole(d, m.options()), inv)
		if len(d.asked) != 1 {
			t.Errorf("%q: asked %d times: %v", line, len(d.asked), res)
			continue
		}
		got := ""
		for _, o := range d.asked[0].Options {
			if o.Kind == AllowAlways {
				got = o.Rule
			}
		}
		if got != want || m.rules.String() != want {
			t.Errorf("%q proposes %q and keeps %q, want %q", line, got, m.rules, want)
		}
		if want == "" {
			continue
		}
		if !strings.Contains(d.asked[0].Detail, want) || len(d.asked[0].Options) != 5 || strings.Contains(want, "EOF") {
			t.Errorf("%q: the rule is not shown: %q", line, d.asked[0].Detail)
		}
		inv, _ = shellCall("c2", line)
		if res := run(t, whole(d, m.options()), inv); res.Outcome != tools.OK || len(d.asked) != 1 {
			t.Errorf("%q is asked for again although it was allowed for good: %v", line, res)
		}
	}
}

func TestAlwaysIsNotProposedWhereItWouldNotHold(t *testing.T) {
	ask := Rule{Effect: tools.Command, Pattern: "go build *", Action: Ask}
	deny := Rule{Effect: tools.Command, Pattern: "go build -x *", Action: Deny}
	for name, opt := range map[string]Options{
		"who wants to be asked":    {Rules: Rules{ask}, Remember: func(tools.Call, Rules) error { return nil }},
		"nothing can be kept":      {},
		"a thread from outside":    {Rules: Rules{{Effect: tools.Command, Pattern: "go *", Action: Allow}}, Tainted: func(string) bool { return true }, Remember: func(tools.Call, Rules) error { return nil }},
		"it may be what is denied": {Rules: Rules{deny, {Effect: tools.Command, Pattern: "other", Action: Allow}}, Remember: func(tools.Call, Rules) error { return nil }},
	} {
		d := &desk{reply: func(Request) Answer { return Answer{OptionID: "always"} }}
		line := "go build ./..."
		if strings.HasPrefix(name, "it may") {
			line = "go build -v -x"
		}
		inv, _ := shellCall("c", line)
		res := run(t, whole(d, opt), inv)
		if len(d.asked) != 1 || len(d.asked[0].Options) != 4 || res.Outcome != tools.Denied {
			t.Errorf("%s: %+v, %v", name, d.asked, res)
		}
	}
}

func TestWhatCannotBeRememberedIsAllowedAndTold(t *testing.T) {
	m := &memory{err: errors.New("disk full")}
	inv, _ := shellCall("c", "go build")
	want(t, run(t, whole(&desk{reply: func(Request) Answer { return Answer{OptionID: "always"} }}, m.options()), inv), tools.OK, "could not be remembered: disk full", "ran: go build")
}

// HB-156, and what a rule allows runs at once: three questions of one pattern
// and one of another wait behind the first.
func TestAlwaysReleasesTheQueuedThatItCovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{}
		p := &person{wait: make(chan struct{}), answers: []Answer{{OptionID: "always"}, {OptionID: "reject", Feedback: "no tests now"}}}
		h := whole(p, m.options())
		var wg conc.WaitGroup
		ask := func(id, line string, outcome tools.Outcome, parts ...string) {
			wg.Go(func() {
				inv, _ := shellCall(id, line)
				want(t, run(t, h, inv), outcome, parts...)
			})
			synctest.Wait()
		}
		ask("c1", "go build ./a", tools.OK)
		ask("c2", "go build ./b", tools.OK)
		ask("c3", "go test", tools.Denied, "no tests now")
		ask("c4", "go build ./c", tools.OK)
		inv, _ := shellCall("c5", "ls")
		want(t, run(t, h, inv), tools.OK, "ran: ls")
		close(p.wait)
		wg.Wait()
		if n := p.asked(); n != 2 {
			t.Errorf("%d questions, want 2", n)
		}
	})
}

// HB-155, HB-157: each question stands for its own call, also where a provider
// gave two calls one id; 20 wait, and each is answered for itself.
func TestOfManyQueuedOneRejectionRejectsOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		d := &desk{reply: func(r Request) Answer {
			<-gate
			if strings.Contains(r.Preview.Command, "x7 ") {
				return Answer{OptionID: "reject", Feedback: "not seven"}
			}
			return Answer{OptionID: "once"}
		}}
		h := whole(d, (&memory{}).options())
		var wg conc.WaitGroup
		var mu sync.Mutex
		denied := map[string]string{}
		for i := range 20 {
			wg.Go(func() {
				line := fmt.Sprintf("run x%d y", i)
				inv, heard := shellCall("call_0", line) // one id for all
				res := run(t, h, inv)
				mu.Lock()
				defer mu.Unlock()
				if res.Outcome != tools.OK {
					denied[line] = res.Text
				} else if !strings.Contains(res.Text, "ran: "+line) {
					t.Errorf("%s: %s", line, res.Text)
				}
				if n := len(heard.said); n != 3 {
					t.Errorf("%s: told %v", line, heard.said)
				}
			})
		}
		synctest.Wait()
		close(gate)
		wg.Wait()
		if len(d.asked) != 20 || len(denied) != 1 || !strings.Contains(denied["run x7 y"], "not seven") || !strings.Contains(denied["run x7 y"], "the user refused") {
			t.Errorf("%d questions, denied %v", len(d.asked), denied)
		}
	})
}

func TestEditedArgumentsAreCheckedAnew(t *testing.T) {
	deny := Options{Rules: Rules{{Effect: tools.Command, Pattern: "rm *", Action: Deny}}}
	for name, c := range map[string]struct {
		answer  Answer
		outcome tools.Outcome
		words   []string
		said    string
	}{
		"another line":      {Answer{OptionID: "once", Arguments: json.RawMessage(`{"command":"go vet"}`)}, tools.OK, []string{"ran: go vet", "The user changed the arguments", `{"command":"go vet"}`}, "allowOnce by user"},
		"the same":          {Answer{OptionID: "once", Arguments: json.RawMessage(`{ "command": "go build" }`)}, tools.OK, []string{"ran: go build"}, "allowOnce by user"},
		"none":              {Answer{OptionID: "once", Arguments: json.RawMessage(`null`)}, tools.OK, []string{"ran: go build"}, "allowOnce by user"},
		"a denied one":      {Answer{OptionID: "once", Arguments: json.RawMessage(`{"command":"r\"m\" -rf x"}`)}, tools.Denied, []string{"a rule of the settings forbids it"}, "rejectOnce by rule"},
		"not of the schema": {Answer{OptionID: "once", Arguments: json.RawMessage(`{"line":"go vet"}`)}, tools.Failed, []string{"The user changed the arguments", "do not fit"}, "rejectOnce by user"},
		"no JSON":           {Answer{OptionID: "once", Arguments: json.RawMessage(`{`)}, tools.Failed, []string{"no JSON"}, "rejectOnce by user"},
		"coerced":           {Answer{OptionID: "thread", Arguments: json.RawMessage(`"{\"command\":\"go vet\"}"`)}, tools.OK, []string{"ran: go vet"}, "allowThread by user"},
		"rejected":          {Answer{OptionID: "reject", Arguments: json.RawMessage(`{"command":"go vet"}`)}, tools.Denied, []string{"the user refused"}, "rejectOnce by user"},
	} {
		t.Run(name, func(t *testing.T) {
			inv, h := shellCall("c", "go build")
			raw := string(inv.Call.Raw)
			p := &person{answers: []Answer{c.answer}}
			want(t, run(t, whole(p, deny), inv), c.outcome, c.words...)
			wantSaid(t, h, "started", "asked", c.said)
			if !p.shown[0].Editable || string(p.shown[0].Arguments) != `{"command":"go build"}` {
				t.Errorf("shown %+v", p.shown[0])
			}
			if string(inv.Call.Raw) != raw {
				t.Errorf("the model's bytes became %s", inv.Call.Raw)
			}
		})
	}
	t.Run("a yes for the thread covers what was edited", func(t *testing.T) {
		p := &person{answers: []Answer{{OptionID: "thread", Arguments: json.RawMessage(`{"command":"go vet"}`)}}}
		h := whole(p, deny)
		for i, line := range []string{"go build", "go vet", "go build"} {
			inv, _ := shellCall("c", line)
			res := run(t, h, inv)
			if (res.Outcome == tools.OK) != (i < 2) {
				t.Errorf("call %d: %v", i, res)
			}
		}
	})
}

// What text from outside has reached asks again for commands and hosts that a
// rule allows; grants that a person gave still hold.
func TestATaintedThreadAsksForWhatRulesAllow(t *testing.T) {
	rules := Rules{
		{Effect: tools.Command, Pattern: "go *", Action: Allow},
		{Effect: tools.Network, Pattern: "example.org", Action: Allow},
		{Effect: tools.Write, Action: Allow},
		{Effect: tools.Command, Pattern: "rm *", Action: Deny},
	}
	host := tools.Effect{Kind: tools.Network, Host: "example.org"}
	for _, c := range []struct {
		name                string
		effect              tools.Effect
		mode                tools.Mode
		clean, tainted, why string
	}{
		{"a command that a rule allows", runs("go build"), "", "allow", "ask", "text from outside"},
		{"a command of the built-in list", runs("ls"), "", "allow", "ask", "text from outside"},
		{"a host that a rule allows", host, "", "allow", "ask", "text from outside"},
		{"a write", tools.Effect{Kind: tools.Write, Path: root + "/a"}, "", "allow", "allow", ""},
		{"a read", tools.Effect{Kind: tools.Read, Path: root + "/a"}, "", "allow", "allow", ""},
		{"what asks anyway", runs("make"), "", "ask", "ask", ""},
		{"what is denied", runs("rm x"), "", "deny", "deny", "forbids"},
		{"mode full, no rule", runs("make"), tools.ModeFull, "allow", "allow", ""},
		{"mode full, a command that a rule allows", runs("go build"), tools.ModeFull, "allow", "allow", ""},
		{"mode full, a host that a rule allows", host, tools.ModeFull, "allow", "allow", ""},
		{"mode full, a private host that a rule allows", tools.Effect{Kind: tools.Network, Host: "example.org", Private: true}, tools.ModeFull, "allow", "allow", ""},
	} {
		for tainted, want := range map[bool]string{false: c.clean, true: c.tainted} {
			opt := Options{Rules: rules, Tainted: func(thread string) bool { return tainted }}
			got, why := judgeOne(t, opt, c.mode, c.effect)
			if got != want || tainted && !strings.Contains(why, c.why) {
				t.Errorf("%s, tainted %v: %s (%s), want %s", c.name, tainted, got, why, want)
			}
		}
	}
	p := &person{answers: []Answer{{OptionID: "thread"}}}
	h := whole(p, Options{Rules: rules})
	for range 2 {
		inv, _ := shellCall("c", "go build")
		inv.Call.Tainted = true
		want(t, run(t, h, inv), tools.OK)
	}
	if p.asked() != 1 {
		t.Errorf("asked %d times", p.asked())
	}
}

// A patch is granted by each of its files; one more asks.
func TestAPatchIsGrantedByEachOfItsFiles(t *testing.T) {
	p := &person{answers: []Answer{{OptionID: "thread"}, {OptionID: "once"}}}
	h := whole(p, Options{})
	for i, c := range []struct {
		files string
		asked int
	}{{"a b", 1}, {"b", 1}, {"b a", 1}, {"a c", 2}, {"c", 3}} {
		inv, _ := call(actor{"edit", func() tools.Action {
			var a tools.Action
			for _, f := range strings.Fields(c.files) {
				a.Effects = append(a.Effects, tools.Effect{Kind: tools.Write, Path: root + "/" + f})
			}
			a.Preview.Diff = fmt.Sprint("+", i, "\n")
			return a
		}}, tools.ModeEdit)
		run(t, h, inv)
		if p.asked() != c.asked {
			t.Errorf("%s: asked %d times, want %d", c.files, p.asked(), c.asked)
		}
	}
}

// One yes stands for the line and for the rights that it wants, also when the
// call is prepared again; a grant holds for the same line alone.
func TestAnEscalationIsAskedOnceAndGrantedByItsLine(t *testing.T) {
	p := &person{answers: []Answer{{OptionID: "thread"}, {OptionID: "once"}}}
	h := whole(p, Options{})
	for i, c := range []struct {
		line  string
		asked int
	}{{"go build", 1}, {"go build", 1}, {"ls", 2}} {
		inv, _ := call(actor{"exec_command", func() tools.Action {
			return tools.Action{
				Effects: []tools.Effect{runs(c.line), {Kind: tools.Escalate, Tool: "exec_command"}},
				Preview: tools.Preview{Command: c.line, Cwd: root},
			}
		}}, tools.ModeAgent)
		want(t, run(t, h, inv), tools.OK)
		if p.asked() != c.asked {
			t.Errorf("call %d: asked %d times, want %d", i, p.asked(), c.asked)
		}
	}
	if r := p.shown[0]; r.Kind != KindEscalate || !strings.Contains(r.Detail, "more rights") || !strings.Contains(r.Detail, "runs a command") {
		t.Errorf("shown %+v", r)
	}
}
