package lent

import (
	"slices"

	"companion/diagnostics/delta"
	"companion/tools"
)

// Told is what one question to the editor brought.
type Told struct{ Own, Others []Answer }

// Of is what the editor said of one file, without what own holds too; false when
// it said nothing or has no server for it.
func (t *Told) Of(path string, own []tools.Diagnostic) (Answer, bool) {
	i := slices.IndexFunc(t.Own, func(x Answer) bool { return x.Path == path })
	if i < 0 || t.Own[i].Status == tools.NoServer {
		return Answer{}, false
	}
	out := t.Own[i]
	out.Items = Without(out.Items, own)
	return out, true
}

// Compare is what an edit did to what the editor tells; own and was are what
// companion's own servers tell now and told before.
func Compare(a Answer, own, was []tools.Diagnostic) delta.Delta {
	base := a.Base
	base.Items = Without(base.Items, was)
	d := delta.Compare(base, delta.Known{Items: a.Items, Text: a.Text, OK: true})
	d.Fixed = WithoutAnywhere(d.Fixed, own)
	return d
}

// SourceKind says whose language servers tell of problems.
type SourceKind string

// The values of the setting diagnostics.source; "" is Auto. Where the editor
// offers none, FromEditor is FromOwn.
const (
	Auto       SourceKind = "auto" // companion's own and the editor's
	FromEditor SourceKind = "editor"
	FromOwn    SourceKind = "own"
)

// Policy is what settings say of diagnostics.
type Policy struct {
	Source SourceKind
	// Worst is the mildest severity that the model is told of, 0 = Warning; of
	// milder ones it is told how many there are.
	Worst tools.Severity
}
