package app

import (
	"path/filepath"

	"companion/config"
	"companion/permission"
	"companion/permission/remember"
	"companion/tools"
)

// newJudge connects the policy with the settings as they are at each call, and
// with what a person allowed for good in the call's project.
func (c *core) newJudge() *permission.Judge {
	kept := remember.Open(c.state)
	return permission.New(permission.Options{
		More: func(call tools.Call) permission.Rules {
			out := append(rules(c.current().Permissions), kept.Rules(first(call.Roots))...)
			return append(out, c.granted.Rules(call.Thread)...)
		},
		ReadDirs: []string{filepath.Join(c.state, "output")},
		Remember: func(call tools.Call, allowed permission.Rules) error { return kept.Add(first(call.Roots), allowed) },
	})
}

// rules maps settings to the permission room's words.
func rules(p config.Permissions) permission.Rules {
	var out permission.Rules
	for _, r := range p.Rules {
		out = append(out, permission.Rule{
			Effect: tools.EffectKind(r.Effect), Tool: r.Tool, Pattern: r.Pattern,
			Action: permission.Action(r.Action), Reason: r.Reason,
		})
	}
	return out
}
