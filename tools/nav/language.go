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
	// Worst 0 is the setting's.
	Diagnostics(ctx context.Context, paths []string, worst tools.Severity) (tools.Report, []tools.Diagnostic, error)
	// CodeActions asks the file's servers what they offer for the range, only
	// kinds below one of only (none = all). IDs are valid until the next call
	// for the same file or the file's text changes.
	CodeActions(ctx context.Context, path string, r text.Range, only []string) ([]tools.CodeAction, error)
	// ResolveAction gives the edits of an offered action. An action that is
	// only a command of the server is executed and its applyEdit captured.
	ResolveAction(ctx context.Context, path, id string) ([]tools.FileEdit, error)
	// Locations gives the places of what: definition, type_definition,
	// implementation, references and callers (where the symbol at pos is called,
	// named by the caller), or symbols, of the whole file.
	Locations(ctx context.Context, what string, path string, pos text.Position) ([]tools.Symbol, error)
	Hover(ctx context.Context, path string, pos text.Position) (string, error)
}

// Refactor is what the lsp tool asks beyond a place: symbols by name, and edits
// of whole projects and files.
type Refactor interface {
	// Find gives symbols whose name is like query, in the project of path, "" =
	// in those of all servers that run.
	Find(ctx context.Context, query, path string) ([]tools.Symbol, error)
	// Rename gives the edits that give the symbol at pos another name.
	Rename(ctx context.Context, path string, pos text.Position, name string) ([]tools.FileEdit, error)
	// Format gives the edits that format the file, none = nothing to do.
	Format(ctx context.Context, path string) ([]tools.FileEdit, error)
}

// Servers is all that the lsp tool asks of language servers.
type Servers interface {
	Language
	Refactor
}
