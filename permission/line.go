package permission

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"companion/permission/command"
	"companion/permission/paths"
	"companion/permission/program"
	"companion/tools"
)

// maxPart is how much of one command of a long line a person is told.
const maxPart = 120

// maxGlob bounds the files of one pattern that are held against the rules.
const maxGlob = 1000

// maxOffers bounds the rules that one "Always allow" stands for.
const maxOffers = 3

// command judges a shell line: every file that it redirects to or from and
// every simple command in it; the strictest answer counts.
func (j *Judge) command(c judged, e tools.Effect) ruling {
	cwd := c.Action.Preview.Cwd
	if cwd == "" && len(c.Call.Roots) > 0 {
		cwd = c.Call.Roots[0]
	}
	t := tally{
		j: j, c: c, l: command.Parse(e.Command, cwd, e.Shell),
		out: ruling{action: Allow, key: "command " + cwd + "\x00" + e.Command}, readable: append(slices.Clip(c.Call.Roots), j.o.ReadDirs...),
	}
	t.offering = t.l.Understood()
	for _, f := range t.l.Touches {
		t.touch(f)
	}
	for _, s := range t.l.Commands {
		t.command(s)
	}
	if !t.l.Understood() {
		switch {
		case c.noEdit:
			t.add(Deny, fmt.Sprintf("mode %s runs only commands that change nothing, and this one is not understood: %s", c.mode, t.l.Unclear))
		case c.mode != tools.ModeFull || c.rules.denyCommands():
			t.add(Ask, "it is not fully understood: "+t.l.Unclear)
		}
	}
	if t.out.why == "" {
		t.out.why = "it runs a command"
	}
	t.out.offer = Rules{}
	if t.offering && len(t.offer) > 0 && len(t.offer) <= maxOffers {
		t.out.offer = t.offer
	}
	return t.out
}

// tally of one line.
type tally struct {
	j        *Judge
	c        judged
	l        command.Line
	out      ruling
	readable []string
	offering bool // everything that asks would not, if offer were rules
	offer    Rules
}

func (t *tally) add(a Action, why string) {
	rank := map[Action]int{Allow: 0, Ask: 1, Deny: 2}
	switch {
	case rank[a] > rank[t.out.action]:
		t.out.action, t.out.why = a, why
	case a == t.out.action && a == Ask && why != "" && !strings.Contains(t.out.why, why):
		t.out.why = strings.TrimPrefix(t.out.why+"; "+why, "; ")
	}
}

// command judges one simple command.
func (t *tally) command(s command.Simple) {
	c := t.c
	deny, other, found := t.ruleFor(s)
	runs := "it runs " + s.String()
	switch {
	case deny.fit == yes && s.Sure:
		t.deny(c.ruled(deny.rule, runs, ""))
		return
	case deny.fit != no:
		t.offering = false
		t.add(t.unless(c.noEdit), "it may be what a rule forbids ("+deny.rule.Pattern+")")
		return
	case s.Unclear != "" || !s.Sure:
		return // only a guess; the line is not understood anyway, or runs it as text
	}
	readOnly := s.ReadOnly(t.readable) && t.l.Understood()
	escapes := program.Escapes(s.Texts())
	switch {
	case found && other.Action == Ask && c.noEdit && !readOnly, c.noEdit && !readOnly:
		t.add(Deny, fmt.Sprintf("mode %s runs only commands that change nothing, and %q is not known to be one", c.mode, s.String()))
	case found && other.Action == Ask:
		t.offering = false
		t.add(Ask, c.ruled(other, runs, "").why)
	case readOnly:
		t.out.byRule = true
	case found && (escapes == "" || other.whole()):
		t.out.byRule = true
	case c.mode == tools.ModeFull && !(escapes != "" && c.rules.denyCommands()):
	default:
		why := "it runs a command"
		if len(c.Action.Preview.Command) > maxTitle { // of which the middle may not be shown
			why = "it runs " + Folded(s.String(), maxPart)
		}
		if escapes != "" {
			why = fmt.Sprintf("it runs %s with %q, by which it does more than its name says", s.Name(), escapes)
		}
		t.add(Ask, why)
		t.propose(s)
	}
}

func (t *tally) unless(noEdit bool) Action {
	if noEdit {
		return Deny
	}
	return Ask
}

// deny keeps the first denial of a line.
func (t *tally) deny(r ruling) {
	if t.out.action != Deny {
		t.out.action, t.out.why = Deny, r.why
	}
}

// propose adds the rule that would allow a command for good.
func (t *tally) propose(s command.Simple) {
	p := s.Prefix()
	if p == "" {
		t.offering = false
		return
	}
	r := Rule{Effect: tools.Command, Pattern: p, Action: Allow}
	if !slices.Contains(t.offer, r) {
		t.offer = append(t.offer, r)
	}
}

type denial struct {
	rule Rule
	fit  fit
}

// ruleFor gives the denial that a command fits best, and the last other rule
// that it fits; found is false where there is none.
func (t *tally) ruleFor(s command.Simple) (deny denial, last Rule, found bool) {
	for _, r := range t.c.rules {
		if !r.fitsTool(t.c.Spec) {
			continue
		}
		f := r.fitsCommand(s)
		switch {
		case f == no:
		case r.Action == Deny:
			if f > deny.fit {
				deny = denial{r, f}
			}
		case r.Action == Ask || f == yes:
			last, found = r, true
		}
	}
	return deny, last, found
}

// touch judges one file that the line names.
func (t *tally) touch(f command.Touch) {
	for _, dir := range f.Dirs {
		named := paths.Join(dir, f.Path)
		real := paths.Canonical(named)
		outside := !paths.Inside(real, t.c.Call.Roots)
		switch {
		case f.Write && f.Implied:
			t.implied(real, outside)
		case f.Write:
			t.judged(t.j.write(t.c, tools.Effect{Kind: tools.Write, Path: real, Outside: outside}))
			t.denials(tools.Write, filepath.Clean(named), true)
		case f.Implied:
			t.content(f, dir, named, real)
		default:
			t.judged(t.j.read(t.c, tools.Effect{Kind: tools.Read, Path: real, Outside: outside}))
			t.content(f, dir, named, real)
		}
	}
}

func (t *tally) judged(r ruling) {
	switch r.action {
	case Deny:
		t.deny(r)
	case Ask:
		t.offering = false
		t.add(Ask, r.why)
	}
}

// denials applies the rules that forbid a path as it is named, or as it is.
func (t *tally) denials(kind tools.EffectKind, path string, sure bool) {
	r, ok := t.c.path(kind, path)
	if !ok || r.Action != Deny {
		return
	}
	what := map[tools.EffectKind]string{tools.Read: "it reads ", tools.Write: "it changes "}[kind] + path
	if sure {
		t.deny(t.c.ruled(r, what, ""))
		return
	}
	t.offering = false
	t.add(t.unless(t.c.noEdit), "it names "+path+", which a rule forbids")
}

// implied judges what a file command changes: by rules that forbid it, and by
// where it lies; the command itself is judged besides.
func (t *tally) implied(real string, outside bool) {
	t.denials(tools.Write, real, true)
	if r, ok := t.c.path(tools.Write, real); ok && r.Action == Allow || t.c.mode == tools.ModeFull || t.c.noEdit {
		return
	}
	switch {
	case outside:
		t.offering = false
		t.add(Ask, "it changes "+real+", which lies outside the workspace")
	case paths.Steers(real, t.c.Call.Roots):
		t.offering = false
		t.add(Ask, "it changes "+real+", by which other programs can be made to run commands")
	}
}

// content judges the name of a file whose content a command reads, or may read.
func (t *tally) content(f command.Touch, dir, named, real string) {
	all := []string{real, filepath.Clean(named)}
	if f.Glob {
		found, err := filepath.Glob(named)
		if err == nil && len(found) <= maxGlob {
			all = append(all, found...)
		}
	}
	for _, path := range all {
		t.denials(tools.Read, path, f.Reader)
		t.denials(tools.Read, paths.Canonical(path), f.Reader)
	}
	secret := paths.Secret(named) || paths.Secret(real)
	if f.Glob {
		secret = paths.MaybeSecret(dir, f.Path)
	}
	if r, ok := t.c.path(tools.Read, real); !secret || ok && r.Action == Allow {
		return
	}
	switch {
	case f.Reader && f.Glob:
		t.deny(ruling{action: Deny, why: "it reads " + f.Path + ", which may name a secret (environment file or key). Name the files that you need"})
		return
	case f.Reader:
		t.judged(t.j.read(t.c, tools.Effect{Kind: tools.Read, Path: first(paths.Secret(real), real, filepath.Clean(named))}))
		return
	}
	t.offering = false
	t.add(t.unless(t.c.noEdit), "it names "+named+", which looks like a secret")
}

func first(ok bool, a, b string) string {
	if ok {
		return a
	}
	return b
}

// denyCommands tells whether some rule forbids commands, so that a line that is
// not understood might be one of them.
func (rs Rules) denyCommands() bool {
	return slices.ContainsFunc(rs, func(r Rule) bool { return r.Action == Deny && (r.Effect == tools.Command || r.Effect == "") })
}
