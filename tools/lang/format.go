package lang

import (
	"fmt"
	"strings"
)

// Line renders the diagnostic as one line for the model and for people:
//
//	rel:line:col: severity: message [source code]
//
// line and col are 1-based, col in utf-16 units; line endings of the message
// become " ⏎ ". rel is the path as it shall be read.
func (d Diagnostic) Line(rel string) string {
	s := fmt.Sprintf("%s:%d:%d: %s: %s", rel, d.Range.Start.Line+1, d.Range.Start.Character+1, d.Severity, OneLine(d.Message))
	if tag := strings.TrimSpace(d.Source + " " + d.Code); tag != "" {
		s += " [" + tag + "]"
	}
	return s
}

// OneLine folds a message into one line: its line endings become " ⏎ ".
func OneLine(s string) string {
	return strings.NewReplacer("\r\n", " ⏎ ", "\n", " ⏎ ", "\r", " ⏎ ").Replace(strings.TrimSpace(s))
}
