package permission

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"companion/tools"
)

// Options of Policy.
type Options struct {
	Rules Rules
	// ReadDirs are absolute folders outside the roots that may be read without
	// asking: where companion keeps whole outputs.
	ReadDirs []string
}

// Policy judges what a prepared call would do: a denial ends it, else the
// verdict says whether a person has to be asked. Each effect is judged by the
// rules (a deny anywhere wins, else the last that matches), then by the mode:
//
//	effect           ask, plan    edit    agent   full
//	read inside      allow        allow   allow   allow
//	read of secrets  deny         deny    deny    deny
//	write inside     deny         ask     allow   allow
//	  .git, .vscode, .companion   ask     ask     allow
//	outside roots    ask (writes deny in ask and plan)
//	command          built-in read-only ones allow, else ask (ask and plan: deny); full allows
//	network, external  ask; full allows
//	escalate         ask
func Policy(opt Options) tools.Stage {
	dirs := make([]string, len(opt.ReadDirs))
	for i, d := range opt.ReadDirs {
		dirs[i] = canonical(d) // as effects name their paths
	}
	opt.ReadDirs = dirs
	check := func(_ context.Context, inv *tools.Invocation) error { return opt.judge(inv) }
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
			if err := check(ctx, inv); err != nil {
				return tools.Result{}, err
			}
			inv.OnReprepare(check)
			return next(ctx, inv)
		}
	}
}

// ruling is what one effect comes to.
type ruling struct {
	action Action
	why    string // shown to a person, or to the model when denied
	key    string // what a yes for the thread covers
}

func (o Options) judge(inv *tools.Invocation) error {
	verdict := tools.Verdict{Allow: true}
	var whys []string
	for _, e := range inv.Action.Effects {
		r := o.rule(inv, e)
		switch r.action {
		case Allow:
			continue
		case Deny:
			inv.Decided(string(RejectOnce), "rule")
			return &tools.Refusal{Outcome: tools.Denied, Text: fmt.Sprintf(
				"Denied, and not run: %s. Do not try to reach the same in another way; say what you need, or go on without it.", r.why)}
		}
		verdict.Allow = false
		verdict.Once = verdict.Once || e.Asking == tools.AskAlways
		verdict.Asks = append(verdict.Asks, r.key)
		if r.why != "" && !slices.Contains(whys, r.why) {
			whys = append(whys, r.why)
		}
	}
	verdict.Why = strings.Join(whys, "; ")
	inv.Verdict = verdict
	return nil
}

func (o Options) rule(inv *tools.Invocation, e tools.Effect) ruling {
	mode := inv.Call.Mode
	if mode == "" {
		mode = tools.ModeAgent
	}
	call := judged{inv, mode, mode == tools.ModeAsk || mode == tools.ModePlan}
	switch e.Kind {
	case tools.Read:
		return o.read(call, e)
	case tools.Write:
		return o.write(call, e)
	case tools.Command:
		return o.command(call, e)
	case tools.Network:
		return o.named(call, e.Kind, e.Host, "it reaches "+e.Host)
	case tools.External:
		return o.external(call, e)
	}
	r := o.named(call, e.Kind, e.Tool, "it wants more rights than this thread has")
	if r.action == Allow {
		r.action = Ask
	}
	return r
}

type judged struct {
	*tools.Invocation
	mode   tools.Mode
	noEdit bool // a mode without changes
}

func (c judged) byRule(r Rule, what, key string) ruling {
	why := what
	if r.Reason != "" {
		why += " (" + r.Reason + ")"
	}
	if r.Action == Deny {
		why = "a rule of the settings forbids it: " + why
	}
	return ruling{r.Action, why, key}
}

func (o Options) read(c judged, e tools.Effect) ruling {
	key := "read " + e.Path
	what := "it reads " + e.Path
	r, ok := o.Rules.match(c.Spec.Full(), func(r Rule) bool { return r.fitsPath(tools.Read, e.Path, c.Call.Roots) })
	switch {
	case ok:
		return c.byRule(r, what, key)
	case secret(e.Path):
		return ruling{Deny, what + ", which looks like a secret (environment file or key). The user can allow it in the settings: " +
			`"permissions.rules": [{"effect":"read","pattern":"` + e.Path + `","action":"allow"}]`, key}
	case e.Outside && !slices.ContainsFunc(o.ReadDirs, func(d string) bool { return insideRoots(e.Path, d, []string{d}) }):
		return ruling{Ask, what + ", which lies outside the workspace", key}
	}
	return ruling{action: Allow}
}

func (o Options) write(c judged, e tools.Effect) ruling {
	key := "write " + e.Path
	what := "it changes " + e.Path
	r, ok := o.Rules.match(c.Spec.Full(), func(r Rule) bool { return r.fitsPath(tools.Write, e.Path, c.Call.Roots) })
	switch {
	case ok && r.Action == Deny:
		return c.byRule(r, what, key)
	case c.noEdit:
		return ruling{Deny, fmt.Sprintf("%s, and mode %s changes no file. The user can change the mode", what, c.mode), key}
	case ok:
		return c.byRule(r, what, key)
	case e.Outside:
		return ruling{Ask, what + ", which lies outside the workspace", key}
	case secret(e.Path):
		return ruling{Ask, what + ", which looks like a secret", key}
	case c.mode != tools.ModeFull && steersPrograms(e.Path, c.Call.Roots):
		return ruling{Ask, what + ", by which other programs can be made to run commands", key}
	case c.mode == tools.ModeEdit:
		return ruling{Ask, what, key}
	}
	return ruling{action: Allow}
}

func (o Options) named(c judged, kind tools.EffectKind, name, what string) ruling {
	key := string(kind) + " " + name
	r, ok := o.Rules.match(c.Spec.Full(), func(r Rule) bool { return r.fitsName(kind, name) })
	switch {
	case ok:
		return c.byRule(r, what, key)
	case c.mode == tools.ModeFull:
		return ruling{action: Allow}
	}
	return ruling{Ask, what, key}
}

// external judges a tool that is not ours. A yes covers one definition of it.
func (o Options) external(c judged, e tools.Effect) ruling {
	r := o.named(c, e.Kind, e.Tool, "it calls "+e.Tool+", which is not part of companion")
	if e.Key != "" {
		r.key += "\x00" + e.Key
	}
	_, ruled := o.Rules.match(c.Spec.Full(), func(rule Rule) bool { return rule.fitsName(e.Kind, e.Tool) })
	switch {
	case e.Asking == tools.AskAlways && r.action == Allow:
		r.action, r.why = Ask, "it calls "+e.Tool+", which wants to be asked for each time"
	case e.Asking == tools.AskNever && !ruled:
		r.action = Allow
	}
	return r
}

// command judges every simple command of a line; the strictest answer counts.
func (o Options) command(c judged, e tools.Effect) ruling {
	cwd := c.Action.Preview.Cwd
	key := "command " + cwd + "\x00" + e.Command
	l := parse(e.Command)
	worst := Allow
	why := "it runs a command"
	for _, words := range l.commands {
		r, ok := o.Rules.match(c.Spec.Full(), func(r Rule) bool { return r.fitsCommand(words) })
		switch {
		case ok && r.Action == Deny:
			return c.byRule(r, "it runs "+strings.Join(words, " "), key)
		case l.clear && readOnly(words, cwd, c.Call.Roots) && !(ok && r.Action == Ask):
		case c.noEdit:
			worst = Deny
			why = fmt.Sprintf("mode %s runs only commands that change nothing, and %q is not known to be one", c.mode, strings.Join(words, " "))
		case ok && r.Action == Ask:
			worst, why = Ask, c.byRule(r, "it runs "+strings.Join(words, " "), key).why
		case ok && r.Action == Allow && !escapes(words):
		case c.mode == tools.ModeFull && !(escapes(words) && o.Rules.denyCommands()):
		case worst == Allow:
			worst = Ask
		}
	}
	understood := l.clear && len(l.commands) > 0
	switch {
	case worst != Allow || understood:
	case c.mode == tools.ModeFull && !o.Rules.denyCommands():
	case c.noEdit:
		worst, why = Deny, fmt.Sprintf("mode %s runs only commands that change nothing, and this one is not understood", c.mode)
	default:
		worst = Ask
	}
	return ruling{worst, why, key}
}

// denyCommands tells whether some rule forbids commands, so that a line that is
// not understood might be one of them.
func (rs Rules) denyCommands() bool {
	return slices.ContainsFunc(rs, func(r Rule) bool { return r.Action == Deny && (r.Effect == tools.Command || r.Effect == "") })
}
