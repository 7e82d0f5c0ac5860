package action

import "strings"

// The kinds of companion's actions (docs/protocol.md, Code actions).
const (
	Fix      = "quickfix.companion.fix"
	FixAll   = "quickfix.companion.fixAll"
	Stop     = "quickfix.companion.stop"
	Approve  = "quickfix.companion.approve"
	Keep     = "quickfix.companion.keep"
	Undo     = "quickfix.companion.undo"
	Diff     = "quickfix.companion.diff"
	Edit     = "refactor.rewrite.companion.edit"
	Document = "refactor.rewrite.companion.document"
	Extract  = "refactor.extract.companion"
	Test     = "refactor.companion.test"
	Explain  = "refactor.companion.explain"
)

// Kinds are all of them, for codeActionProvider.
func Kinds() []string {
	return []string{Fix, FixAll, Stop, Approve, Keep, Undo, Diff, Edit, Document, Extract, Test, Explain}
}

// wanted reports whether kind is asked for: only is nil or names the kind or
// one above it.
func wanted(kind string, only []string) bool {
	if len(only) == 0 {
		return true
	}
	for _, o := range only {
		if o == "" || kind == o || strings.HasPrefix(kind, o+".") {
			return true
		}
	}
	return false
}
