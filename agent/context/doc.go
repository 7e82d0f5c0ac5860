// Package context gives what a step should know besides the talk: where the
// agent is, what the project's AGENTS.md files say, what the mode allows and
// what the editor shows. Each provider gives one section; the agent appends it
// when its text has changed.
//
// Never: put a clock or anything else that changes by itself into a section;
// follow a symlink out of the roots; run anything.
package context

import (
	"runtime"

	"companion/agent"
)

// Defaults are the providers of every thread, in the order in which their
// sections are appended.
func Defaults() []agent.ContextProvider {
	return []agent.ContextProvider{Environment{OS: runtime.GOOS}, Mode{}, AgentsMD{}, Plan{}, Editor{}}
}
