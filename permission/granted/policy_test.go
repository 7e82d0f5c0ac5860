package granted

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"companion/permission"
	"companion/permission/paths"
	"companion/tools"
)

// judged is what the policy says of one effect under granted rules and rules of
// the settings before them.
func judged(t *testing.T, granted, settings permission.Rules, mode tools.Mode, root string, e tools.Effect) string {
	t.Helper()
	said := ""
	end := func(_ context.Context, inv *tools.Invocation) (tools.Result, error) {
		said = "ask"
		if inv.Verdict.Allow {
			said = "allow"
		}
		return tools.Result{}, nil
	}
	stage := permission.Policy(permission.Options{Rules: settings, More: func(tools.Call) permission.Rules { return granted }})
	inv := &tools.Invocation{Call: tools.Call{Mode: mode, Roots: []string{root}}, Spec: tools.Spec{Name: "x"}, Action: tools.Action{Effects: []tools.Effect{e}}}
	var refused *tools.Refusal
	if _, err := stage(end)(context.Background(), inv); errors.As(err, &refused) {
		return "deny"
	} else if err != nil {
		t.Fatal(err)
	}
	return said
}

func TestAGrantedFolderDoesNotCoverSecretsNorWhatSteersPrograms(t *testing.T) {
	root, other := paths.Canonical(t.TempDir()), paths.Canonical(t.TempDir())
	odd := filepath.Join(other, "a[1] {x}")
	if err := os.Mkdir(odd, 0o755); err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(other, "k", ".env")
	rules, _, wrong := Rules(Wish{Paths: []string{other, key, odd}})
	if wrong != "" {
		t.Fatal(wrong)
	}
	file := func(kind tools.EffectKind, path ...string) tools.Effect {
		return tools.Effect{Kind: kind, Path: filepath.Join(append([]string{other}, path...)...), Outside: true}
	}
	deny := permission.Rules{{Effect: tools.Write, Pattern: filepath.ToSlash(other) + "/no/**", Action: permission.Deny}}
	for name, c := range map[string]struct {
		effect tools.Effect
		mode   tools.Mode
		want   string
	}{
		"a file":                  {file(tools.Read, "a.go"), tools.ModeAgent, "allow"},
		"a change":                {file(tools.Write, "sub", "a.go"), tools.ModeEdit, "allow"},
		"the folder":              {file(tools.Read), tools.ModeAgent, "allow"},
		"a name full of patterns": {file(tools.Write, "a[1] {x}", "b"), tools.ModeAgent, "allow"},
		"a secret":                {file(tools.Read, ".env"), tools.ModeAgent, "deny"},
		"a secret by its name":    {file(tools.Read, "k", ".env"), tools.ModeAgent, "allow"},
		"a hook of git":           {file(tools.Write, "sub", ".git", "hooks", "pre-commit"), tools.ModeAgent, "ask"},
		"a denied folder":         {file(tools.Write, "no", "a"), tools.ModeAgent, "deny"},
		"mode plan":               {file(tools.Write, "a.go"), tools.ModePlan, "deny"},
		"elsewhere":               {tools.Effect{Kind: tools.Read, Path: filepath.Dir(other) + "x", Outside: true}, tools.ModeAgent, "ask"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := judged(t, rules, deny, c.mode, root, c.effect); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}
