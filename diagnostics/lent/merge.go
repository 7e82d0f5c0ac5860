package lent

import (
	"companion/text"
	"companion/tools"
)

type problem struct {
	path, source, code, message string
	at                          text.Range
}

// Without leaves of items what own does not hold: the same problem at the same
// place, whichever server told it.
func Without(items, own []tools.Diagnostic) []tools.Diagnostic {
	if len(own) == 0 || len(items) == 0 {
		return items
	}
	have := make(map[problem]bool, len(own))
	for _, d := range own {
		have[key(d)] = true
	}
	var out []tools.Diagnostic
	for _, d := range items {
		if !have[key(d)] {
			out = append(out, d)
		}
	}
	return out
}

// WithoutAnywhere is Without, wherever in its file the problem stands.
func WithoutAnywhere(items, own []tools.Diagnostic) []tools.Diagnostic {
	bare := func(list []tools.Diagnostic) []tools.Diagnostic {
		out := make([]tools.Diagnostic, len(list))
		for i, d := range list {
			d.Range = text.Range{}
			out[i] = d
		}
		return out
	}
	if len(own) == 0 || len(items) == 0 {
		return items
	}
	have := make(map[problem]bool, len(own))
	for _, d := range bare(own) {
		have[key(d)] = true
	}
	var out []tools.Diagnostic
	for i, d := range bare(items) {
		if !have[key(d)] {
			out = append(out, items[i])
		}
	}
	return out
}

func key(d tools.Diagnostic) problem {
	return problem{d.Path, d.Source, d.Code, d.Message, d.Range}
}

// Joined is the status of a file of which companion's own servers and the
// editor's told. The editor's silence takes nothing from a complete answer of
// ours but its claim to be all.
func Joined(own, editor tools.Status) tools.Status {
	known := func(s tools.Status) bool { return s == tools.Complete || s == tools.Unconfirmed }
	switch {
	case own == "" || own == tools.NoServer || own == tools.ServerDown && known(editor):
		return editor
	case editor == "" || editor == tools.NoServer || own == tools.ServerDown:
		return own
	case known(own) && known(editor):
		return own
	case known(own) || known(editor):
		return tools.Partial
	}
	return own
}
