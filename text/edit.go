package text

import (
	"fmt"
	"sort"
	"strings"

	"github.com/aymanbagabas/go-udiff"
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
	sort.SliceStable(order, func(a, b int) bool {
		x, y := edits[order[a]], edits[order[b]]
		return x.Start < y.Start || x.Start == y.Start && x.End < y.End
	})
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

// ByRange converts byte edits on the indexed text to range edits.
func ByRange(x *Index, edits []Edit, enc Encoding) []RangeEdit {
	out := make([]RangeEdit, len(edits))
	for i, e := range edits {
		out[i] = RangeEdit{Range{x.Position(e.Start, enc), x.Position(e.End, enc)}, e.New}
	}
	return out
}

// Diff gives edits that turn before into after, minimal by whole lines, sorted
// and apart. Apply(before, Diff(before, after)) == after.
func Diff(before, after string) []Edit {
	if before == after {
		return nil
	}
	raw := udiff.Lines(before, after)
	out := make([]Edit, len(raw))
	for i, e := range raw {
		out[i] = Edit{e.Start, e.End, e.New}
	}
	return out
}

// Unified renders the change from before to after as a unified diff with
// context lines around each hunk; "" when they are equal.
func Unified(oldName, newName, before, after string, context int) string {
	if before == after {
		return ""
	}
	edits := udiff.Lines(before, after)
	s, err := udiff.ToUnified(oldName, newName, before, edits, context)
	if err != nil {
		return fmt.Sprintf("(no diff: %v)", err)
	}
	return s
}
