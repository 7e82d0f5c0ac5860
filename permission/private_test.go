package permission

import (
	"testing"

	"companion/tools"
)

func TestAPrivateHostIsAllowedByItsNameOnly(t *testing.T) {
	rule := func(pattern string, a Action) Rules {
		return Rules{{Effect: tools.Network, Pattern: pattern, Action: a}}
	}
	for _, c := range []struct {
		name    string
		rules   Rules
		private bool
		mode    tools.Mode
		want    string
	}{
		{"public, any host allowed", rule("*", Allow), false, tools.ModeAgent, "allow"},
		{"private, any host allowed", rule("*", Allow), true, tools.ModeAgent, "ask"},
		{"private, some hosts allowed", rule("10.*", Allow), true, tools.ModeAgent, "ask"},
		{"private, allowed by name", rule("10.0.0.1", Allow), true, tools.ModeAgent, "allow"},
		{"private, any host denied", rule("*", Deny), true, tools.ModeAgent, "deny"},
		{"private, in mode full", nil, true, tools.ModeFull, "ask"},
		{"public, in mode full", nil, false, tools.ModeFull, "allow"},
	} {
		e := tools.Effect{Kind: tools.Network, Host: "10.0.0.1", Private: c.private}
		if got, why := judgeOne(t, Options{Rules: c.rules}, c.mode, e); got != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, got, why, c.want)
		}
	}
}
