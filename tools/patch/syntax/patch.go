package syntax

import "fmt"

// Kind is what a section does with its file.
type Kind string

// The kinds of sections.
const (
	Add    Kind = "add"
	Delete Kind = "delete"
	Update Kind = "update"
)

// Patch is a read patch.
type Patch struct {
	Sections []Section
	// Dir is the folder of a "cd DIR &&" before the patch, "" = none.
	Dir string
	// Healed says in words what was understood beyond the grammar.
	Healed []string
}

// Section is what a patch does with one file.
type Section struct {
	Kind Kind
	Path string
	To   string // Update: the new path, "" = it stays
	Line int    // of the header, 1-based in the patch's text
	// Lines are the lines of an Add, without endings.
	Lines []string
	// Bare: the last line (of an Add, or that a hunk adds at the end) has no line
	// ending, said by "\ No newline at end of file".
	Bare  bool
	Hunks []Hunk
}

// Hunk is one change of an Update.
type Hunk struct {
	Line    int      // where it begins, 1-based in the patch's text
	Anchors []string // @@ lines, the outermost first
	Lines   []Line
	EOF     bool // it ends at the end of the file
}

// Line is one line of a hunk, without its ending.
type Line struct {
	Op   byte // ' ', '-' or '+'
	Text string
	// Loose: an empty line that stood without the space of context. It counts
	// only where the file has it.
	Loose bool
}

// Changes tells whether the hunk adds or removes anything.
func (h Hunk) Changes() bool {
	for _, l := range h.Lines {
		if l.Op != ' ' {
			return true
		}
	}
	return false
}

// Error says which line of a patch cannot be read, and why.
type Error struct {
	Line   int    // 1-based in the patch's text, 0 = the patch as a whole
	Text   string // of the line
	Reason string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Reason
	}
	const most = 120
	text := e.Text
	if len(text) > most {
		text = text[:most] + "…"
	}
	return fmt.Sprintf("line %d of the patch (%q): %s", e.Line, text, e.Reason)
}

// Parse reads a whole patch. The error is an *Error.
func Parse(s string) (*Patch, error) {
	var p Parser
	p.Feed(s)
	return p.Close()
}
