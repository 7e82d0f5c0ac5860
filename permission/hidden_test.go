package permission

import (
	"math/rand/v2"
	"strings"
	"testing"

	"companion/tools"
)

var (
	mcpTool   = tools.Spec{Name: "search", Namespace: "docs", Source: tools.MCP}
	mcpFlat   = tools.Spec{Name: "search", Namespace: "mcp__docs", Source: tools.MCP}
	editorTab = tools.Spec{Name: "open_tab", Namespace: "ed", Source: tools.Dynamic, Aliases: []string{"tab_open"}}
	reader    = tools.Spec{Name: "read", ReadOnly: true, Aliases: []string{"view"}}
)

// A rule that denies a tool, or its namespace, as a whole hides it.
func TestWhatIsDeniedAsAWholeIsHidden(t *testing.T) {
	for _, c := range []struct {
		rule   Rule
		hidden []tools.Spec
		shown  []tools.Spec
	}{
		{Rule{Tool: "mcp__docs"}, []tools.Spec{mcpTool, mcpFlat}, []tools.Spec{editorTab, reader}},
		{Rule{Tool: "mcp__docs", Effect: tools.External}, []tools.Spec{mcpTool, mcpFlat}, []tools.Spec{editorTab, reader}},
		{Rule{Effect: tools.External, Pattern: "mcp__docs"}, []tools.Spec{mcpTool, mcpFlat}, []tools.Spec{editorTab}},
		{Rule{Effect: tools.External, Pattern: "ed.*"}, []tools.Spec{editorTab}, []tools.Spec{mcpTool, reader}},
		{Rule{Effect: tools.External}, []tools.Spec{editorTab, mcpTool}, []tools.Spec{reader}},
		{Rule{Tool: "docs"}, []tools.Spec{mcpTool}, []tools.Spec{editorTab}},
		{Rule{Tool: "docs.*"}, []tools.Spec{mcpTool}, []tools.Spec{editorTab}},
		{Rule{Tool: "mcp__*"}, []tools.Spec{mcpTool, mcpFlat}, []tools.Spec{editorTab, reader}},
		{Rule{Tool: "mcp__docs__search"}, []tools.Spec{mcpTool, mcpFlat}, []tools.Spec{editorTab}},
		{Rule{Tool: "ed.open_tab"}, []tools.Spec{editorTab}, []tools.Spec{mcpTool}},
		{Rule{Tool: "tab_open"}, []tools.Spec{editorTab}, []tools.Spec{mcpTool}}, // an alias
		{Rule{Tool: "view"}, []tools.Spec{reader}, []tools.Spec{editorTab}},
		{Rule{Tool: "read", Effect: tools.Write}, nil, []tools.Spec{reader}},
		{Rule{Effect: tools.Read, Pattern: "x"}, nil, []tools.Spec{reader, mcpTool}},
		{Rule{}, []tools.Spec{mcpTool, editorTab, reader}, nil},
	} {
		c.rule.Action, c.rule.Reason = Deny, "not here"
		j := New(Options{Rules: Rules{{Action: Allow}, c.rule, {Action: Allow}}})
		for _, s := range c.hidden {
			if why := j.Hidden(s); !strings.Contains(why, "not here") {
				t.Errorf("%+v does not hide %s: %q", c.rule, s.Full(), why)
			}
			inv := &tools.Invocation{Spec: s, Call: tools.Call{Mode: tools.ModeFull}} // also without any effect
			if err := j.judge(inv); err == nil || !strings.Contains(err.Error(), "not here") {
				t.Errorf("%+v: %s runs: %v", c.rule, s.Full(), err)
			}
		}
		for _, s := range c.shown {
			if why := j.Hidden(s); why != "" {
				t.Errorf("%+v hides %s: %q", c.rule, s.Full(), why)
			}
		}
		for _, a := range []Action{Ask, Allow} {
			c.rule.Action = a
			if why := New(Options{Rules: Rules{c.rule}}).Hidden(mcpTool); why != "" {
				t.Errorf("an %s hides: %s", a, why)
			}
		}
	}
}

func TestAnAskForAToolAsksAlsoWhereItChangesNothing(t *testing.T) {
	inv := &tools.Invocation{Spec: reader}
	if err := New(Options{Rules: Rules{{Tool: "read", Action: Ask}}}).judge(inv); err != nil || inv.Verdict.Allow || len(inv.Verdict.Asks) != 1 {
		t.Errorf("%v, %+v", err, inv.Verdict)
	}
}

// What is denied never runs: for random rules, a denial of one of them ends what
// it names, whatever the others, their order and the mode say.
func TestForRandomRulesWhatIsDeniedNeverRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	effects := map[string]func() (tools.Effect, Rule){
		"read": func() (tools.Effect, Rule) {
			name := pick("a", "sub/b", "sub/deep/c")
			return tools.Effect{Kind: tools.Read, Path: root + "/" + name}, Rule{Effect: tools.Read, Pattern: pick(name, "**", root+"/**")}
		},
		"write": func() (tools.Effect, Rule) {
			return tools.Effect{Kind: tools.Write, Path: root + "/sub/b"}, Rule{Effect: tools.EffectKind(pick("write", "")), Pattern: pick("sub/b", "sub/*", "**/b", "")}
		},
		"command": func() (tools.Effect, Rule) {
			return runs(pick("hit x", "ok && hit y", "'hit'", "env hit", "bash -c hit")), Rule{Effect: tools.Command, Pattern: pick("hit *", "", "hit*")}
		},
		"network": func() (tools.Effect, Rule) {
			return tools.Effect{Kind: tools.Network, Host: "api.example.org"}, Rule{Effect: tools.Network, Pattern: pick("api.example.org", "*.example.org", "")}
		},
		"external": func() (tools.Effect, Rule) {
			return tools.Effect{Kind: tools.External, Tool: "tool", Asking: tools.Asking(pick("never", "ask", "always"))}, Rule{Effect: tools.External, Pattern: pick("tool", "to*", "")}
		},
		"escalate": func() (tools.Effect, Rule) {
			return tools.Effect{Kind: tools.Escalate, Tool: "tool"}, Rule{Effect: tools.Escalate}
		},
	}
	for range 3000 {
		kind := pick("read", "write", "command", "network", "external", "escalate")
		e, deny := effects[kind]()
		deny.Action, deny.Tool = Deny, pick("", "tool", "t*")
		var rules Rules
		for range r.IntN(6) {
			_, other := effects[kind]()
			other.Action = Action(pick("allow", "ask"))
			rules = append(rules, other, Rule{Action: Allow})
		}
		at := r.IntN(len(rules) + 1)
		rules = append(rules[:at:at], append(Rules{deny}, rules[at:]...)...)
		more := r.IntN(len(rules) + 1) // layers come in two ways
		opt := Options{Rules: rules[:more], More: func(tools.Call) Rules { return rules[more:] }}
		mode := tools.Mode(pick("ask", "plan", "edit", "agent", "full", ""))
		if got, why := judgeOne(t, opt, mode, e); got != "deny" {
			t.Fatalf("%+v in mode %q with %+v: %s (%s)", e, mode, rules, got, why)
		}
	}
}

func TestDisplayFoldsLongLinesAndShowsWhatEndsThem(t *testing.T) {
	long := strings.Repeat("a", 600) + "MIDDLE" + strings.Repeat("b", 600)
	got := VisibleLines("x\n" + long + "\ny")
	if strings.Contains(got, "MIDDLE") || !strings.Contains(got, "[206 characters not shown]") || !strings.HasPrefix(got, "x\naaa") || !strings.HasSuffix(got, "bbb\ny") {
		t.Errorf("got %s", got)
	}
	for in, want := range map[string]string{
		"a \nb":        "a\\x20\nb",
		"a\t\n":        "a\\t\n",
		"-a  \t":       `-a\x20\x20\t`,
		"+":            "+",
		" \n ":         " \n ", // an unchanged empty line of a diff
		"+ ":           `+\x20`,
		"a b\tc":       "a b\tc",
		"rm -rf x  #":  "rm -rf x  #",
		"a\u2066 b \r": `a\u{2066} b \r`,
	} {
		if got := VisibleLines(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := Folded(strings.Repeat("é", 10), 10); got != strings.Repeat("é", 10) {
		t.Errorf("got %q", got)
	}
	inv, _ := shellCall("c", "run "+strings.Repeat("x ", 2000)+"end")
	p := &person{}
	run(t, whole(p, Options{}), inv)
	r := p.shown[0]
	if len(r.Title) > 400 || !strings.Contains(r.Title, "characters not shown") || !strings.HasSuffix(r.Title, "end") || strings.Contains(r.Title, "\n") {
		t.Errorf("title %q", r.Title)
	}
	if !strings.Contains(r.Preview.Command, "characters not shown") {
		t.Errorf("preview of %d bytes", len(r.Preview.Command))
	}
}
