package text

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// Edit replaces the bytes [Start, End) of a text by New.
type Edit struct {
	Start, End int
	New        string
}

// RangeEdit is an Edit by positions, as language servers and editors send it.
type RangeEdit struct {
	Range Range
	New   string
}

// EditError says which edit cannot be applied and why.
type EditError struct {
	Index  int // of the edit, in the order given, 0-based
	Edit   Edit
	Reason string
}

func (e *EditError) Error() string {
	return fmt.Sprintf("edit %d (bytes %d to %d): %s", e.Index+1, e.Edit.Start, e.Edit.End, e.Reason)
}

// Apply returns src with all edits applied at once: every offset refers to src.
// Edits may come in any order; two insertions at one place keep their order.
// Overlaps, reversed ranges and offsets outside src are an *EditError and
// nothing is applied.
func Apply(src string, edits []Edit) (string, error) {
	order := make([]int, len(edits))
	for i, e := range edits {
		order[i] = i
		switch {
		case e.Start > e.End:
			return "", &EditError{i, e, "it starts after its end"}
		case e.Start < 0 || e.End > len(src):
			return "", &EditError{i, e, fmt.Sprintf("it lies outside the text of %d bytes", len(src))}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return compareEdits(edits[a], edits[b]) })
	var out strings.Builder
	out.Grow(len(src))
	last := 0
	for _, i := range order {
		e := edits[i]
		if e.Start < last {
			return "", &EditError{i, e, "it overlaps another edit"}
		}
		out.WriteString(src[last:e.Start])
		out.WriteString(e.New)
		last = e.End
	}
	out.WriteString(src[last:])
	return out.String(), nil
}

// ByOffset converts range edits on src to byte edits. A range that starts
// after its end is an *EditError; positions past an end are clamped.
func ByOffset(x *Index, edits []RangeEdit, enc Encoding) ([]Edit, error) {
	out := make([]Edit, len(edits))
	for i, e := range edits {
		if e.Range.End.Less(e.Range.Start) {
			return nil, &EditError{i, Edit{New: e.New}, fmt.Sprintf("its range %d:%d-%d:%d starts after its end",
				e.Range.Start.Line+1, e.Range.Start.Character+1, e.Range.End.Line+1, e.Range.End.Character+1)}
		}
		out[i] = Edit{x.Offset(e.Range.Start, enc), x.Offset(e.Range.End, enc), e.New}
	}
	return out, nil
}

// ByRange converts byte edits on the indexed text to range edits. Positions
// cannot name a place inside a "\r\n" or inside a code point; edits that do are
// replaced by the whole-line edits with the same effect, so that
// ByOffset(ByRange(edits)) always gives the text that edits give. Edits that
// Apply would refuse are converted one by one, clamped.
func ByRange(x *Index, edits []Edit, enc Encoding) []RangeEdit {
	for _, e := range edits {
		if x.boundary(e.Start) && x.boundary(e.End) {
			continue
		}
		if after, err := Apply(x.src, edits); err == nil {
			edits = Diff(x.src, after)
		}
		break
	}
	out := make([]RangeEdit, len(edits))
	for i, e := range edits {
		out[i] = RangeEdit{Range{x.Position(e.Start, enc), x.Position(e.End, enc)}, e.New}
	}
	return out
}

// Invert gives the edits on Apply(src, edits) that give src back, sorted; nil
// when Apply refuses edits.
func Invert(src string, edits []Edit) []Edit {
	if _, err := Apply(src, edits); err != nil {
		return nil
	}
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, compareEdits)
	out := make([]Edit, len(sorted))
	shift := 0
	for i, e := range sorted {
		start := e.Start + shift
		out[i] = Edit{start, start + len(e.New), src[e.Start:e.End]}
		shift += len(e.New) - (e.End - e.Start)
	}
	return out
}

func compareEdits(a, b Edit) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
}

// Diff gives edits that turn before into after, of whole lines (as Index counts
// them), sorted and apart. Apply(before, Diff(before, after)) == after. It is
// minimal except for texts that differ in more than about a hundred places.
func Diff(before, after string) []Edit {
	if before == after {
		return nil
	}
	x := NewIndex(before)
	old, fresh := x.pieces(), NewIndex(after).pieces()
	var out []Edit
	for _, d := range lcs.DiffLines(old, fresh) {
		e := Edit{x.pieceStart(d.Start), x.pieceStart(d.End), strings.Join(fresh[d.ReplStart:d.ReplEnd], "")}
		if n := len(out); n > 0 && out[n-1].End == e.Start {
			out[n-1].End, out[n-1].New = e.End, out[n-1].New+e.New
			continue
		}
		out = append(out, e)
	}
	return out
}
