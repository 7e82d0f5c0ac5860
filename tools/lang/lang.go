package lang

import "companion/text"

// Severity as in LSP.
type Severity int

// Severities, 1 is the worst.
const (
	Error       Severity = 1
	Warning     Severity = 2
	Information Severity = 3
	Hint        Severity = 4
)

func (s Severity) String() string {
	switch s {
	case Error, 0:
		return "error"
	case Warning:
		return "warning"
	case Information:
		return "info"
	}
	return "hint"
}

// Diagnostic is one problem that a language server or parser told.
type Diagnostic struct {
	Path     string     // canonical absolute; "" for documents without a file
	URI      string     // as the source spelled it
	Range    text.Range // utf-16
	Severity Severity   // 0 counts as Error
	Code     string
	Source   string // "compiler", "ts", …
	Server   string // the language server that told it: "gopls"
	Message  string
	// Raw is the diagnostic as its server sent it (LSP JSON), to hand back
	// when asking that server for code actions.
	Raw []byte
}

// Status says how complete a Report is.
type Status string

// The statuses of docs/protocol.md, event tool.completed.
const (
	Complete    Status = "complete"    // every candidate checked for the current version
	Partial     Status = "partial"     // own files complete, some others not checked
	Unconfirmed Status = "unconfirmed" // an unversioned server stayed silent
	Pending     Status = "pending"     // the bound passed: not known yet
	NoServer    Status = "noServer"
	ServerDown  Status = "serverDown"
)

// Report is what one edit, or the edits of one step, did to the diagnostics.
type Report struct {
	Status     Status
	Checked    int // files whose diagnostics are known for their current version
	Candidates int // files that could have been affected
	New        []Diagnostic
	Fixed      []Diagnostic
	Remaining  int // problems that were there before and still are
	// Text is the block for the model; it says "not known yet" when it is not.
	Text string
	// SettleMs is how long the wait took, in milliseconds.
	SettleMs int64
}

// CodeAction is what a language server offers for a range.
type CodeAction struct {
	ID        string // stable within one offer: "1", "2", …
	Title     string
	Kind      string // "quickfix", "source.organizeImports", …
	Preferred bool
	Disabled  string // reason, "" = enabled
	Server    string
	Fixes     []string // messages of the diagnostics that it says it fixes
}

// FileEdit is the part of a workspace edit that touches one file.
type FileEdit struct {
	Path   string           // canonical absolute
	Edits  []text.RangeEdit // utf-16, on the file's current text
	Create bool
	Delete bool
	From   string // rename from
}

// Symbol is a named place in a project.
type Symbol struct {
	Name, Kind, Container string
	Path                  string
	Range                 text.Range // utf-16
}
