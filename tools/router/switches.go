package router

import (
	"fmt"

	"companion/tools"
	"companion/tools/names"
)

// Settings are what a person set about tools. Lists name tools ("name" or
// "namespace.name"), aliases, or all of a namespace ("NS" or "NS.*").
type Settings struct {
	Disabled []string // may not be called
	OmitFrom []string // not in the model's list; a search finds them
	Direct   []string // in the model's list, however many tools there are
	// Denied says why the rules deny whatever a tool would do, "" = they do not.
	// The sentence is for the model.
	Denied func(tools.Spec) string
	// MostDirect is how many tools from outside are listed while the model can
	// search; where there are more, all of them are deferred. 0 = 20.
	MostDirect int
}

// mostDirect is about what vendors advise as the most functions to show at once
// (OpenAI's guide to function calling names 20).
const mostDirect = 20

// Switches are Settings, ready to be asked. They never change: other settings
// are another *Switches.
type Switches struct {
	disabled, omit, direct names.Set
	denied                 func(tools.Spec) string
	most                   int
}

// New compiles settings.
func New(s Settings) *Switches {
	if s.MostDirect == 0 {
		s.MostDirect = mostDirect
	}
	return &Switches{names.NewSet(s.Disabled), names.NewSet(s.OmitFrom), names.NewSet(s.Direct), s.Denied, s.MostDirect}
}

// Barred says why no thread may call a tool, "" = it may; denied tells a rule
// from a setting.
func (s *Switches) Barred(spec tools.Spec) (why string, denied bool) {
	if s == nil {
		return "", false
	}
	if s.denied != nil {
		if why := s.denied(spec); why != "" {
			return why, true
		}
	}
	if has(s.disabled, spec) {
		return "the setting companion.tools.disabled names it. Go on without it.", false
	}
	return "", false
}

func (s *Switches) omits(spec tools.Spec) bool  { return s != nil && has(s.omit, spec) }
func (s *Switches) forces(spec tools.Spec) bool { return s != nil && has(s.direct, spec) }

func (s *Switches) limit() int {
	if s == nil {
		return mostDirect
	}
	return s.most
}

// has tells whether a set names a tool, one of its aliases or its namespace.
func has(set names.Set, spec tools.Spec) bool {
	if len(set) == 0 {
		return false
	}
	if set.Has(spec.Full()) || set.Has(spec.Namespace) {
		return true
	}
	for _, a := range spec.Aliases {
		if set.Has(a) {
			return true
		}
	}
	return false
}

// Barred says why a tool may not be called in a scene, "" = it may; denied tells
// a rule from a switch. It is the one place where switches are read.
func Barred(s tools.Spec, in Scene) (why string, denied bool) {
	if why, denied := in.Switches.Barred(s); why != "" {
		return why, denied
	}
	if in.Off != nil {
		if why := in.Off(s); why != "" {
			return why, false
		}
	}
	switch {
	case !s.ReadOnly && (in.Mode == tools.ModeAsk || in.Mode == tools.ModePlan):
		return fmt.Sprintf("it can change things and the mode is %q, in which nothing is changed. Say what you would do instead.", in.Mode), false
	case s.AsksUser && in.Agent != "":
		return "an agent that another one started cannot ask the user. Put the question into your answer.", false
	}
	return "", false
}
