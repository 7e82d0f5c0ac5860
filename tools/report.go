package tools

import "companion/tools/lang"

// What language servers know of code; see package lang.
type (
	Severity   = lang.Severity
	Diagnostic = lang.Diagnostic
	Status     = lang.Status
	Report     = lang.Report
	CodeAction = lang.CodeAction
	FileEdit   = lang.FileEdit
	Symbol     = lang.Symbol
)

// Severities and statuses; see package lang.
const (
	Error       = lang.Error
	Warning     = lang.Warning
	Information = lang.Information
	Hint        = lang.Hint

	Complete    = lang.Complete
	Partial     = lang.Partial
	Unconfirmed = lang.Unconfirmed
	Pending     = lang.Pending
	NoServer    = lang.NoServer
	ServerDown  = lang.ServerDown
)

// OneLine folds a message into one line: its line endings become " ⏎ ".
func OneLine(s string) string { return lang.OneLine(s) }
