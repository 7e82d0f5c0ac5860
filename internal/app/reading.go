package app

import (
	"companion/diagnostics/syntax"
	"companion/tools"
	"companion/tools/fs"
	"companion/tools/lang"
	"companion/tools/outline"
	"companion/tools/picture"
	"companion/workspace"
)

// readingTools look at files and change nothing.
func readingTools(ws *workspace.Workspace) []tools.Tool {
	var declare lang.Declarations // none without cgo
	if syntax.Available() {
		declare = syntax.Declarations
	}
	return []tools.Tool{fs.Read(ws, declare), fs.List(ws), outline.New(ws, declare), picture.New(ws)}
}
