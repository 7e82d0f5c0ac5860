package text

import "strings"

// Conflict is one place of a base text that two sides changed in ways that
// cannot both be. Both edits are of the base.
type Conflict struct {
	A, B Edit
	InB  Span // bytes of side b that stand where A and B meet
}

// Span is the bytes [Start, End) of a text.
type Span struct{ Start, End int }

// Clash tells whether two edits of one text cannot both be made: they share a
// byte, or one inserts inside what the other replaces, or they meet in a place
// where the first leaves no line ending, so that two lines would become one.
// Edits that only meet, also two insertions at one place, do not clash.
func Clash(a, b Edit) bool {
	if compareEdits(b, a) < 0 {
		a, b = b, a
	}
	if a.End != b.Start {
		return a.End > b.Start
	}
	return a.New != "" && b.New != "" && !endsLine(a.New)
}

func endsLine(s string) bool { return strings.HasSuffix(s, LF) || strings.HasSuffix(s, CR) }

// Merge joins two changes of base; false when they touch the same lines in
// different ways (Clash).
func Merge(base, a, b string) (string, bool) {
	merged, conflicts := Merge3(base, a, b)
	if len(conflicts) > 0 {
		return "", false
	}
	return merged, true
}

// Merge3 puts onto b what a changed in base, by whole lines. Changes that both
// made are made once; two insertions at one place keep a's first. Where a and b
// clash, b stays and a Conflict tells.
func Merge3(base, a, b string) (merged string, conflicts []Conflict) {
	if a == b || a == base {
		return b, nil
	}
	if b == base {
		return a, nil
	}
	ours, theirs := Diff(base, a), Diff(base, b)
	all := make([]Edit, 0, len(ours)+len(theirs))
	first, shift := 0, 0 // of theirs: those before it end before x; what they add
	for _, x := range ours {
		for first < len(theirs) && theirs[first].End < x.Start {
			shift += len(theirs[first].New) - (theirs[first].End - theirs[first].Start)
			first++
		}
		twice, at := false, shift
		var met *Conflict
		for _, y := range theirs[first:] {
			if y.Start > x.End {
				break
			}
			grow := len(y.New) - (y.End - y.Start)
			switch {
			case x == y:
				twice = true
			case Clash(x, y) && met == nil:
				met = &Conflict{x, y, Span{min(x.Start, y.Start) + at, max(x.End, y.End) + at + grow}}
			case Clash(x, y):
				met.InB.End = max(x.End, y.End) + at + grow
			}
			at += grow
		}
		switch {
		case twice:
		case met != nil:
			conflicts = append(conflicts, *met)
		default:
			all = append(all, x)
		}
	}
	merged, err := Apply(base, append(all, theirs...))
	if err != nil { // cannot be: no two of them clash
		return b, []Conflict{{Edit{0, len(base), a}, Edit{0, len(base), b}, Span{0, len(b)}}}
	}
	return merged, conflicts
}
