// Package editortest runs scenarios: txtar files in which a user, an editor, a
// scripted model and a language server meet companion, and what must come of
// it. Its subpackage fake is the editor.
//
// A scenario file is read from the top like a page of documentation. Before
// the first file stands prose that states the rule. Then:
//
//	-- script --      what the user and the editor do, a command a line (script.go)
//	-- model/1 --     what the model answers at its first step, JSON as of script/FILE
//	-- lsp --         the language server: rules and faults (lsp.go); none = no server
//	-- settings --    the user's settings, JSON; model and server are added
//	-- editor --      how the editor differs from a plain one (options.go)
//	-- want/talk --   what the thread log must hold, for a person to read (-update)
//	-- want/NAME --   what expect-buffer, expect-disk and actions must find (-update)
//	-- FILE --        every other file is in the workspace
//
// In files and goldens ␍ stands for a carriage return and a last line that ends
// with ⊘ has no final newline. $W is the workspace's folder, $URI(FILE) a file's
// URI, $THREAD and $TURN what the last command answered, $LSP the setting of the
// language server, which is then left out of the user's settings.
//
// Every scenario runs twice: in this process in virtual time, and against the
// built binary; the first lines of its script may say otherwise (line.Head).
//
// Never: a sleep instead of a condition; an expectation that is not checked; a
// prepared answer, model turn or golden that may stay unused.
package editortest
