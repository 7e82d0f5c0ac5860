package permission

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"companion/permission/paths"
	"companion/tools"
)

// Options of New.
type Options struct {
	// Rules of the settings, user before project.
	Rules Rules
	// More are rules that stand after those for one call, read each time: settings
	// that change, and what Remember was told. nil = none.
	More func(tools.Call) Rules
	// ReadDirs are absolute folders outside the roots that may be read without
	// asking: where companion keeps whole outputs.
	ReadDirs []string
	// Tainted tells, besides Call.Tainted, whether text from outside has reached a
	// thread: then network and command effects that a rule allows ask again. nil =
	// what the calls say.
	Tainted func(thread string) bool
	// Remember keeps rules that a person allowed for good. nil = that is not
	// offered.
	Remember func(tools.Call, Rules) error
}

// Judge is the policy with its rules. Its stages are Policy and Approval.
type Judge struct {
	o        Options
	validate tools.Handler // checks and prepares edited arguments
}

// New makes a Judge.
func New(opt Options) *Judge {
	dirs := make([]string, len(opt.ReadDirs))
	for i, d := range opt.ReadDirs {
		dirs[i] = paths.Canonical(d) // as effects name their paths
	}
	opt.ReadDirs = dirs
	end := func(context.Context, *tools.Invocation) (tools.Result, error) { return tools.Result{}, nil }
	return &Judge{opt, tools.Chain(end, tools.Validate(), tools.Prepare())}
}

// Policy is the stage of a Judge that asks nobody else.
func Policy(opt Options) tools.Stage { return New(opt).Policy() }

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
//
// A file that a command line redirects to is a write, one that it redirects
// from a read.
func (j *Judge) Policy() tools.Stage {
	check := func(_ context.Context, inv *tools.Invocation) error { return j.judge(inv) }
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

// Hidden says why a tool is denied as a whole, so that no model needs to see it;
// "" = it is not. A rule that names a namespace hides all of its tools.
func (j *Judge) Hidden(s tools.Spec) string {
	r, ok := j.rules(tools.Call{}).denied(s)
	switch {
	case !ok:
		return ""
	case r.Reason != "":
		return "a rule of the settings forbids it: " + r.Reason
	}
	return "a rule of the settings forbids it"
}

// rules of all layers for one call.
func (j *Judge) rules(call tools.Call) Rules {
	if j.o.More == nil {
		return j.o.Rules
	}
	return append(slices.Clip(j.o.Rules), j.o.More(call)...)
}

// ruling is what one effect comes to.
type ruling struct {
	action Action
	why    string // shown to a person, or to the model when denied
	key    string // what a yes for the thread covers
	offer  Rules  // what would allow it for good; nil = nothing is proposed
	byRule bool   // a rule allowed it, not the mode
}

func (j *Judge) judge(inv *tools.Invocation) error {
	verdict := tools.Verdict{Allow: true}
	var whys []string
	for i, r := range j.rulings(inv) {
		switch r.action {
		case Allow:
			continue
		case Deny:
			inv.Decided(string(RejectOnce), "rule")
			return &tools.Refusal{Outcome: tools.Denied, Text: fmt.Sprintf(
				"Denied, and not run: %s. Do not try to reach the same in another way; say what you need, or go on without it.", r.why)}
		}
		verdict.Allow = false
		verdict.Once = verdict.Once || i < len(inv.Action.Effects) && inv.Action.Effects[i].Asking == tools.AskAlways
		verdict.Asks = append(verdict.Asks, r.key)
		if r.why != "" && !slices.Contains(whys, r.why) {
			whys = append(whys, r.why)
		}
	}
	verdict.Why = strings.Join(whys, "; ")
	inv.Verdict = verdict
	return nil
}

// rulings gives one ruling for each effect, in order, and one more where the
// tool itself is ruled; a denial comes alone.
func (j *Judge) rulings(inv *tools.Invocation) []ruling {
	mode := inv.Call.Mode
	if mode == "" {
		mode = tools.ModeAgent
	}
	c := judged{inv, mode, mode == tools.ModeAsk || mode == tools.ModePlan, j.rules(inv.Call)}
	if r, ok := c.rules.denied(inv.Spec); ok {
		return []ruling{c.ruled(r, "it calls "+inv.Spec.Full(), "")}
	}
	var out []ruling
	for _, e := range inv.Action.Effects {
		r := j.rule(c, e)
		if r.action == Deny {
			return []ruling{r}
		}
		out = append(out, j.tainted(c, e, r))
	}
	if len(inv.Action.Effects) == 0 { // changes nothing; only a rule that names the tool can ask
		r, ok := c.rules.match(inv.Spec, func(r Rule) bool { return r.Effect == "" && r.Pattern == "" && r.Tool != "" })
		if ok && r.Action == Ask {
			out = append(out, c.ruled(r, "it calls "+inv.Spec.Full(), "tool "+inv.Spec.Full()))
		}
	}
	return out
}

// tainted asks for what a rule allowed, once text from outside may be what wants
// it (tools.md, Results), except in mode full: there no rule is needed.
func (j *Judge) tainted(c judged, e tools.Effect, r ruling) ruling {
	tainted := c.Call.Tainted || j.o.Tainted != nil && j.o.Tainted(c.Call.Thread)
	if r.action != Allow || !r.byRule || e.Kind != tools.Command && e.Kind != tools.Network || !tainted || c.mode == tools.ModeFull {
		return r
	}
	what := "it runs a command"
	if e.Kind == tools.Network {
		what = "it reaches " + e.Host
	}
	return ruling{action: Ask, key: r.key, why: what + ", which a rule allows; it asks again because text from outside " +
		"(a web page, an MCP server or a foreign tool) has reached this thread"}
}

func (j *Judge) rule(c judged, e tools.Effect) ruling {
	switch e.Kind {
	case tools.Read:
		return j.read(c, e)
	case tools.Write:
		return j.write(c, e)
	case tools.Command:
		return j.command(c, e)
	case tools.Network:
		if e.Private {
			c.rules = c.rules.exact()
		}
		r := j.named(c, e.Kind, "it reaches "+e.Host, e.Host)
		if e.Private && r.action == Allow && !r.byRule {
			r.action, r.why = Ask, "it reaches "+e.Host+", an address of a private network"
		}
		if r.action == Ask && r.offer == nil && e.Host != "" && !strings.ContainsAny(e.Host, "*?[{") {
			r.offer = Rules{{Effect: tools.Network, Pattern: e.Host, Action: Allow}}
		}
		return r
	case tools.External:
		return j.external(c, e)
	case tools.Escalate:
		return j.escalate(c, e)
	}
	return ruling{Ask, "it does what companion has no name for (" + string(e.Kind) + ")", "effect " + string(e.Kind) + " " + e.Key, nil, false}
}

type judged struct {
	*tools.Invocation
	mode   tools.Mode
	noEdit bool // a mode without changes
	rules  Rules
}

func (c judged) ruled(r Rule, what, key string) ruling {
	why := what
	if r.Reason != "" {
		why += " (" + r.Reason + ")"
	}
	if r.Action == Deny {
		why = "a rule of the settings forbids it: " + why
	}
	out := ruling{action: r.Action, why: why, key: key, byRule: r.Action == Allow}
	if r.Action == Ask {
		out.offer = Rules{} // who wants to be asked is not offered the contrary
	}
	return out
}

func (c judged) path(kind tools.EffectKind, path string) (Rule, bool) {
	return c.rules.match(c.Spec, func(r Rule) bool {
		if r.Below != "" && path != r.Below && (paths.Secret(path) || paths.Steers(path, append(slices.Clip(c.Call.Roots), r.Below))) {
			return false
		}
		return r.fitsPath(kind, path, c.Call.Roots)
	})
}

func (j *Judge) read(c judged, e tools.Effect) ruling {
	key := "read " + e.Path
	what := "it reads " + e.Path
	r, ok := c.path(tools.Read, e.Path)
	switch {
	case ok:
		return c.ruled(r, what, key)
	case paths.Secret(e.Path):
		return ruling{action: Deny, key: key, why: what + ", which looks like a secret (environment file or key). The user can allow it in the settings: " +
			`"permissions.rules": [{"effect":"read","pattern":"` + e.Path + `","action":"allow"}]`}
	case e.Outside && filepath.IsAbs(e.Path) && !paths.Inside(paths.Canonical(e.Path), j.o.ReadDirs): // untitled: is the editor's
		return ruling{action: Ask, why: what + ", which lies outside the workspace", key: key}
	}
	return ruling{action: Allow}
}

func (j *Judge) write(c judged, e tools.Effect) ruling {
	key := "write " + e.Path
	what := "it changes " + e.Path
	r, ok := c.path(tools.Write, e.Path)
	switch {
	case ok && r.Action == Deny:
		return c.ruled(r, what, key)
	case c.noEdit:
		return ruling{action: Deny, why: fmt.Sprintf("%s, and mode %s changes no file. The user can change the mode", what, c.mode), key: key}
	case ok:
		return c.ruled(r, what, key)
	case e.Outside:
		return ruling{action: Ask, why: what + ", which lies outside the workspace", key: key}
	case paths.Secret(e.Path):
		return ruling{action: Ask, why: what + ", which looks like a secret", key: key}
	case c.mode != tools.ModeFull && paths.Steers(e.Path, c.Call.Roots):
		return ruling{action: Ask, why: what + ", by which other programs can be made to run commands", key: key}
	case c.mode == tools.ModeEdit:
		return ruling{action: Ask, why: what, key: key}
	}
	return ruling{action: Allow}
}

func (j *Judge) named(c judged, kind tools.EffectKind, what string, names ...string) ruling {
	key := string(kind) + " " + names[0]
	r, ok := c.rules.match(c.Spec, func(r Rule) bool { return r.fitsName(kind, names...) })
	switch {
	case ok:
		return c.ruled(r, what, key)
	case c.mode == tools.ModeFull:
		return ruling{action: Allow, key: key}
	}
	return ruling{action: Ask, why: what, key: key}
}

// external judges a tool that is not ours. A yes covers one definition of it.
func (j *Judge) external(c judged, e tools.Effect) ruling {
	called := append([]string{e.Tool}, names(c.Spec)...)
	r := j.named(c, e.Kind, "it calls "+e.Tool+", which is not part of companion", called...)
	if e.Key != "" {
		r.key += "\x00" + e.Key
	}
	_, ruled := c.rules.match(c.Spec, func(rule Rule) bool { return rule.fitsName(e.Kind, called...) })
	switch {
	case e.Asking == tools.AskAlways && r.action == Allow:
		r.action, r.why = Ask, "it calls "+e.Tool+", which wants to be asked for each time"
	case e.Asking == tools.AskNever && !ruled:
		r.action = Allow
	}
	return r
}

// escalate judges the wish for more rights than the thread has. A yes covers the
// same line in the same folder; no mode gives it, only a rule that names it.
func (j *Judge) escalate(c judged, e tools.Effect) ruling {
	what := "it wants more rights than this thread has"
	key := "escalate " + e.Tool + "\x00" + c.Action.Preview.Cwd + "\x00" + c.Action.Preview.Command + "\x00" + e.Key
	r, ok := c.rules.match(c.Spec, func(r Rule) bool { return r.fitsName(tools.Escalate, append([]string{e.Tool}, names(c.Spec)...)...) })
	if ok && (r.Action != Allow || r.Effect == tools.Escalate) {
		return c.ruled(r, what, key)
	}
	return ruling{action: Ask, why: what, key: key}
}
