package command

import (
	"slices"
	"strings"

	"companion/permission/program"
)

// Word is one word of a simple command.
type Word struct {
	// Text is what the shell makes of it where Known; else the best that can be
	// said: a glob, a path with ~ put in, or as it is written.
	Text  string
	Known bool // the word is exactly Text when the line runs
	Glob  bool // not known because Text is a pattern of file names
}

// Simple is one command with its arguments.
type Simple struct {
	Words []Word
	Dirs  []string // absolute folders, one of which it runs in
	// Sure: it is run if its part of the line is. Not sure: some text in the line
	// may be run by a program that takes commands; good for denials only.
	Sure bool
	// Unclear says why the command alone is not understood, "" = it is.
	Unclear string
}

// Texts are the words as they are known best.
func (s Simple) Texts() []string {
	out := make([]string, len(s.Words))
	for i, w := range s.Words {
		out[i] = w.Text
	}
	return out
}

// String is the command for a person.
func (s Simple) String() string { return strings.Join(s.Texts(), " ") }

// Name is the command's name without folder and .exe, in lower case.
func (s Simple) Name() string {
	if len(s.Words) == 0 {
		return ""
	}
	return program.Name(s.Words[0].Text)
}

// Known tells whether every word is known and nothing of the command unclear.
func (s Simple) Known() bool {
	return len(s.Words) > 0 && s.Unclear == "" && !slices.ContainsFunc(s.Words, func(w Word) bool { return !w.Known })
}

// Touch is a file that a line names.
type Touch struct {
	Path  string // as written: relative to one of Dirs, or absolute
	Dirs  []string
	Write bool // else its content is read
	Glob  bool // Path is a pattern
	// Implied by a command's arguments, not a redirection of the line's own.
	Implied bool
	// Reader: the command is known to read what it names; else it may.
	Reader bool
}

// Line is what is known of a shell line before it runs.
type Line struct {
	Commands []Simple
	Touches  []Touch
	Unclear  string // why it is not fully understood, "" = it is
}

// Understood tells whether nothing in the line is unclear and there is
// something to judge.
func (l Line) Understood() bool { return l.Unclear == "" && len(l.Commands)+len(l.Touches) > 0 }

// ReadOnly tells whether the command is on the built-in list, wherever it runs.
func (s Simple) ReadOnly(roots []string) bool {
	return s.Known() && s.Sure && len(s.Dirs) > 0 &&
		!slices.ContainsFunc(s.Dirs, func(dir string) bool { return !program.ReadOnly(s.Texts(), dir, roots) })
}

// Prefix is the pattern that a person may allow for good because of this
// command, "" = none.
func (s Simple) Prefix() string {
	if _, ok := wrappers()[s.Name()]; ok || !s.Known() || !s.Sure {
		return ""
	}
	return program.Prefix(s.Texts())
}
