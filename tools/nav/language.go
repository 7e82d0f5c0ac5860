package nav

import (
	"context"

	"companion/text"
	"companion/tools"
)

// Language is what the lsp and diagnostics tools ask of language servers;
// diagnostics.Service implements it. Paths are canonical and absolute,
// positions utf-16. Every method honours ctx.
type Language interface {
	// Diagnostics gives what is known of the files (none = the whole project)
	// for their current text, waiting to the settle bound where it is not yet
	// known; the report's Status and Text say how fresh it is. Remaining counts
	// items, New and Fixed are empty, items come in the second value.
	Diagnostics(ctx context.Context, paths []string, worst tools.Severity) (tools.Report, []tools.Diagnostic, error)
	// CodeActions asks the file's servers what they offer for the range, only
	// kinds below one of only (none = all). IDs are valid until the next call
	// for the same file or the file's text changes.
	CodeActions(ctx context.Context, path string, r text.Range, only []string) ([]tools.CodeAction, error)
	// ResolveAction gives the edits of an offered action. An action that is
	// only a command of the server is executed and its applyEdit captured.
	ResolveAction(ctx context.Context, path, id string) ([]tools.FileEdit, error)
	// Definition, References, Implementation, Hover, Symbols, Rename: see tools.md, lsp.
	Locations(ctx context.Context, what string, path string, pos text.Position) ([]tools.Symbol, error)
	Hover(ctx context.Context, path string, pos text.Position) (string, error)
}
