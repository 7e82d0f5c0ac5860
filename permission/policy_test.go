package permission

import (
	"strings"
	"testing"

	"companion/tools"
)

func TestModesJudgeEffects(t *testing.T) {
	inside := tools.Effect{Kind: tools.Read, Path: root + "/a.go"}
	outside := tools.Effect{Kind: tools.Read, Path: "/etc/hosts", Outside: true}
	kept := tools.Effect{Kind: tools.Read, Path: "/state/output/call-1.txt", Outside: true}
	env := tools.Effect{Kind: tools.Read, Path: root + "/sub/.env.local"}
	sample := tools.Effect{Kind: tools.Read, Path: root + "/.env.example"}
	write := tools.Effect{Kind: tools.Write, Path: root + "/a.go"}
	writeOut := tools.Effect{Kind: tools.Write, Path: "/etc/hosts", Outside: true}
	writeKey := tools.Effect{Kind: tools.Write, Path: root + "/id_rsa"}
	writes := func(path string) tools.Effect { return tools.Effect{Kind: tools.Write, Path: root + path} }
	for name, c := range map[string]struct {
		effect                       tools.Effect
		ask, plan, edit, agent, full string
	}{
		"read inside":        {inside, "allow", "allow", "allow", "allow", "allow"},
		"read outside":       {outside, "ask", "ask", "ask", "ask", "ask"},
		"read of our output": {kept, "allow", "allow", "allow", "allow", "allow"},
		"read of a secret":   {env, "deny", "deny", "deny", "deny", "deny"},
		"read of a sample":   {sample, "allow", "allow", "allow", "allow", "allow"},
		"write inside":       {write, "deny", "deny", "ask", "allow", "allow"},
		"write outside":      {writeOut, "deny", "deny", "ask", "ask", "ask"},
		"write of settings that git runs commands by": {writes("/sub/.git/config"), "deny", "deny", "ask", "ask", "allow"},
		"write of a hook":                                 {writes("/.GIT/hooks/pre-commit"), "deny", "deny", "ask", "ask", "allow"},
		"write of a pointer to a repository":              {writes("/sub/.git"), "deny", "deny", "ask", "ask", "allow"},
		"write of settings that the editor runs tasks by": {writes("/.vscode/tasks.json"), "deny", "deny", "ask", "ask", "allow"},
		"write of our own settings":                       {writes("/.companion/config.jsonc"), "deny", "deny", "ask", "ask", "allow"},
		"write of a file that only begins like it":        {writes("/.gitignore"), "deny", "deny", "ask", "allow", "allow"},
		"write of a secret":                               {writeKey, "deny", "deny", "ask", "ask", "ask"},
		"command":                                         {runs("go test ./..."), "deny", "deny", "ask", "ask", "allow"},
		"read-only command":                               {runs("git status"), "allow", "allow", "allow", "allow", "allow"},
		"network":                                         {tools.Effect{Kind: tools.Network, Host: "example.org"}, "ask", "ask", "ask", "ask", "allow"},
		"external":                                        {tools.Effect{Kind: tools.External, Tool: "x.y"}, "ask", "ask", "ask", "ask", "allow"},
		"escalate":                                        {tools.Effect{Kind: tools.Escalate}, "ask", "ask", "ask", "ask", "ask"},
	} {
		t.Run(name, func(t *testing.T) {
			for mode, want := range map[tools.Mode]string{
				tools.ModeAsk: c.ask, tools.ModePlan: c.plan, tools.ModeEdit: c.edit, tools.ModeAgent: c.agent, tools.ModeFull: c.full, "": c.agent,
			} {
				got, why := judgeOne(t, Options{ReadDirs: []string{"/state/output"}}, mode, c.effect)
				if got != want {
					t.Errorf("mode %q: %s (%s), want %s", mode, got, why, want)
				}
			}
		})
	}
}

func TestADenyAnywhereWinsElseTheLastRuleThatMatches(t *testing.T) {
	read := func(path string) tools.Effect {
		return tools.Effect{Kind: tools.Read, Path: path, Outside: !strings.HasPrefix(path, root+"/")}
	}
	write := func(path string) tools.Effect { return tools.Effect{Kind: tools.Write, Path: path} }
	for name, c := range map[string]struct {
		rules  Rules
		effect tools.Effect
		mode   tools.Mode
		want   string
	}{
		"deny before allow":            {Rules{{Effect: tools.Write, Pattern: "gen/**", Action: Deny}, {Effect: tools.Write, Action: Allow}}, write(root + "/gen/x/a.go"), "", "deny"},
		"last of ask and allow":        {Rules{{Effect: tools.Write, Action: Ask}, {Effect: tools.Write, Pattern: "docs/*", Action: Allow}}, write(root + "/docs/a.md"), "", "allow"},
		"last of allow and ask":        {Rules{{Effect: tools.Write, Pattern: "docs/*", Action: Allow}, {Effect: tools.Write, Action: Ask}}, write(root + "/docs/a.md"), "", "ask"},
		"a rule of another effect":     {Rules{{Effect: tools.Command, Action: Deny}}, write(root + "/a"), "", "allow"},
		"a rule of another tool":       {Rules{{Tool: "other", Action: Deny}}, write(root + "/a"), "", "allow"},
		"a glob of tools":              {Rules{{Tool: "to*", Action: Deny}}, write(root + "/a"), "", "deny"},
		"a deny for every effect":      {Rules{{Action: Deny}}, read(root + "/a"), "", "deny"},
		"a secret that is allowed":     {Rules{{Effect: tools.Read, Pattern: "**/.env", Action: Allow}}, read(root + "/.env"), "", "allow"},
		"an absolute pattern":          {Rules{{Effect: tools.Read, Pattern: "/etc/*", Action: Allow}}, read("/etc/hosts"), "", "allow"},
		"a pattern stays in its roots": {Rules{{Effect: tools.Read, Pattern: "**", Action: Allow}}, read("/etc/hosts"), "", "ask"},
		"a mode without changes":       {Rules{{Effect: tools.Write, Action: Allow}}, write(root + "/a"), tools.ModePlan, "deny"},
		"an allow in edit mode":        {Rules{{Effect: tools.Write, Pattern: "a", Action: Allow}}, write(root + "/a"), tools.ModeEdit, "allow"},
		"a deny in full mode":          {Rules{{Effect: tools.Write, Pattern: "a", Action: Deny}}, write(root + "/a"), tools.ModeFull, "deny"},
		"a host":                       {Rules{{Effect: tools.Network, Pattern: "*.example.org", Action: Allow}}, tools.Effect{Kind: tools.Network, Host: "a.example.org"}, "", "allow"},
		"another host":                 {Rules{{Effect: tools.Network, Pattern: "*.example.org", Action: Allow}}, tools.Effect{Kind: tools.Network, Host: "example.com"}, "", "ask"},
		"a private host, by any rule":  {Rules{{Action: Allow}}, tools.Effect{Kind: tools.Network, Host: "printer", Private: true}, "", "ask"},
		"a bad pattern denies all":     {Rules{{Effect: tools.Read, Pattern: "/etc/[", Action: Deny}}, read(root + "/a"), "", "deny"},
		"an escalation by rule":        {Rules{{Effect: tools.Escalate, Action: Allow}}, tools.Effect{Kind: tools.Escalate}, "", "allow"},
		"an escalation by no rule":     {Rules{{Action: Allow}}, tools.Effect{Kind: tools.Escalate}, "", "ask"},
		"a bad pattern allows nothing": {Rules{{Effect: tools.Read, Pattern: "/etc/[", Action: Allow}}, read("/etc/["), "", "ask"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, why := judgeOne(t, Options{Rules: c.rules}, c.mode, c.effect); got != c.want {
				t.Errorf("%s (%s), want %s", got, why, c.want)
			}
		})
	}
}

func TestADenialSaysWhyAndWhoCanChangeIt(t *testing.T) {
	_, text := judgeOne(t, Options{Rules: Rules{{Effect: tools.Write, Action: Deny, Reason: "generated"}}}, "", tools.Effect{Kind: tools.Write, Path: root + "/a"})
	for _, w := range []string{"not run", "a rule of the settings forbids it", "generated", "/proj/a"} {
		if !strings.Contains(text, w) {
			t.Errorf("lacks %q: %s", w, text)
		}
	}
	_, text = judgeOne(t, Options{}, "", tools.Effect{Kind: tools.Read, Path: root + "/.env"})
	if !strings.Contains(text, `{"effect":"read","pattern":"/proj/.env","action":"allow"}`) {
		t.Errorf("lacks the rule that would allow it: %s", text)
	}
}
