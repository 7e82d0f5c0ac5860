package mirror

import (
	"fmt"
	"strings"

	"companion/text"
)

// Document is one open buffer.
type Document struct {
	URI     string // as the editor spells it
	Path    string // canonical; = URI when it is no file
	Lang    string
	Version int32
	Text    string
	Hash    string // of Text, "" = not computed yet
	Saved   string // what the disk holds, as far as known
	OnDisk  bool   // Saved is known
	Format  text.Format
	// Behind: companion wrote the file below a clean buffer whose editor takes
	// no edits, and the editor has not loaded it yet. The disk is the truth.
	Behind bool
	// Lost: the editor told of a change that could not be followed; Text is what
	// was there before, until the editor sends the whole text or saves it.
	Lost bool
}

// Dirty tells whether the buffer is not saved, as far as known.
func (d *Document) Dirty() bool {
	if d.Behind || d.OnDisk && d.Text == d.Saved {
		return false
	}
	if !d.OnDisk {
		return true
	}
	// An editor may show one ending for a file with mixed ones.
	if !strings.Contains(d.Text, text.CR) && !strings.Contains(d.Saved, text.CR) {
		return true // not equal, see above
	}
	return text.WithEnding(d.Text, text.LF) != text.WithEnding(d.Saved, text.LF)
}

// Set gives the buffer another text.
func (d *Document) Set(s string, version int32) {
	d.Text, d.Hash, d.Version = s, "", version
}

// Watcher waits for a buffer to hold one text, however briefly.
type Watcher struct {
	want    string
	exact   bool // the edit is about endings alone
	Hit     bool
	Landed  string        // the text that matched
	Version int32         // its version
	Seen    int           // states seen since the watch began
	Done    chan struct{} // closed at the first match
	Moved   chan struct{} // holds a token after states that did not match
}

// NewWatcher waits for a buffer that holds before to hold want.
func NewWatcher(before, want string) *Watcher {
	return &Watcher{want: want, exact: Same(before, want), Done: make(chan struct{}), Moved: make(chan struct{}, 1)}
}

// Look lets the watcher see the present text of d.
func (x *Watcher) Look(d *Document) {
	x.Seen++
	if x.Hit {
		return
	}
	if x.want == d.Text || !x.exact && Same(x.want, d.Text) {
		x.Hit, x.Landed, x.Version = true, d.Text, d.Version
		close(x.Done)
		return
	}
	select {
	case x.Moved <- struct{}{}:
	default:
	}
}

// Same compares what was asked for with what a buffer holds. Editors force
// one line ending on a buffer, and some cannot leave out the last one.
func Same(want, got string) bool {
	if want == got {
		return true
	}
	if d := len(want) - len(got); d > 2+len(got) || -d > 2+len(want) {
		return false
	}
	a, b := text.WithEnding(want, text.LF), text.WithEnding(got, text.LF)
	return strings.TrimSuffix(a, text.LF) == strings.TrimSuffix(b, text.LF)
}

// FirstDifference is the first line (0-based) in which two texts differ, and
// what each has there.
func FirstDifference(a, b string) (line int, inA, inB string) {
	x, y := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	for line < len(x) && line < len(y) && x[line] == y[line] {
		line++
	}
	if line < len(x) {
		inA = x[line]
	}
	if line < len(y) {
		inB = y[line]
	}
	return line, inA, inB
}

// ContentChange replaces Range, or the whole text when it is nil.
type ContentChange struct {
	Range *text.Range
	Text  string
}

// RangeError says which change of a didChange starts after its end.
type RangeError struct {
	URI   string
	Index int // of the change, 0-based
	Range text.Range
}

func (e *RangeError) Error() string {
	return fmt.Sprintf("%s: change %d: its range %d:%d-%d:%d starts after its end", e.URI, e.Index+1,
		e.Range.Start.Line+1, e.Range.Start.Character+1, e.Range.End.Line+1, e.Range.End.Character+1)
}

// Splice makes one change to s; positions past an end are clamped.
func Splice(s string, c ContentChange, enc text.Encoding) string {
	if c.Range == nil {
		return c.Text
	}
	start, end := text.Find(s, *c.Range, enc)
	return s[:start] + c.Text + s[end:]
}

// Holds tells whether now holds what turns before into after, next to what else
// was changed on other lines.
func Holds(before, after, now string) bool {
	merged, ok := text.Merge(before, after, now)
	return ok && merged == now
}
