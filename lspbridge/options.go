package lspbridge

import (
	"context"
	"encoding/json"
	"log/slog"

	"companion/changes"
	"companion/lspbridge/action"
	"companion/lspbridge/command"
	"companion/lspbridge/companion"
	"companion/lspbridge/editor"
	"companion/lspbridge/wire"
	"companion/permission"
	"companion/session"
	"companion/text"
	"companion/tools"
	"companion/workspace"
)

// Options of New.
type Options struct {
	Version string // for serverInfo
	// Build makes the rest of companion, once, when the editor's initialize
	// says for which folders and settings. It must be quick: no child process,
	// no network, no walk of the folders.
	Build func(ctx context.Context, in Init) (*Backend, error)
	// StateDir is where answers are kept as Markdown; "" = none are kept and
	// answers are shown as messages.
	StateDir string
	// ClientPID is a process whose death ends the server (--clientProcessId),
	// besides initialize's processId; 0 = none.
	ClientPID int
	Log       *slog.Logger
	// MaxFrame is the largest frame that is read, in bytes; 0 = 64 MiB.
	MaxFrame int64
}

// Init is what the editor told by initialize.
type Init struct {
	Roots    []string        // absolute paths of the folders that exist, first = working folder
	Settings json.RawMessage // initializationOptions.settings, nil = none
	Trusted  *bool           // initializationOptions.trusted
	// ClientName and ClientVersion are clientInfo's, "" = not told.
	ClientName, ClientVersion string
	Encoding                  text.Encoding // of positions on this connection
	Editor                    EditorAPI
	// Lends are the requests that only clients of tier 1 answer: tool calls,
	// models, diagnostics, questions. Each is editor.ErrNotOffered for others.
	Lends *editor.Editor
}

// EditorAPI is the editor, as the rest of companion may use it.
type EditorAPI interface {
	workspace.Editor
	permission.Asker
	// ShowMessage tells a person something in one sentence; it does not wait.
	ShowMessage(level slog.Level, message string)
}

// Turn is a turn that was reserved and does not run yet.
type Turn = command.Turn

// RunningTurn names a turn that runs.
type RunningTurn = command.Running

// AgentAPI is what the bridge asks of the agent.
type AgentAPI = command.Agent

// DiagnosticsAPI is what the bridge asks of the diagnostics service. Paths are
// canonical and absolute.
type DiagnosticsAPI interface {
	// Open tells that an editor opened the file: its language servers may
	// start. It may wait; the bridge never calls it on the read loop.
	Open(path string)
	// Known are the problems of the file as last told, without waiting; false
	// when none have been told yet.
	Known(path string) ([]tools.Diagnostic, bool)
	// HasServer reports, without waiting, whether a language server is
	// configured for the file.
	HasServer(path string) bool
	// Restart restarts one language server by name, "" = all, and names those.
	Restart(name string) []string
}

// ProjectConfig is configuration found in a folder that is not trusted.
type ProjectConfig struct {
	Root  string   // absolute
	Found []string // file names relative to Root, for the question
}

// Backend is companion behind the bridge. Workspace, Agent and Diagnostics are
// required; a nil function does nothing.
type Backend struct {
	Workspace   *workspace.Workspace
	Agent       AgentAPI
	Diagnostics DiagnosticsAPI
	// Subscribe makes f hear every event of every thread, in order per thread.
	// f does not block.
	Subscribe func(f func(session.Event)) (cancel func())
	// Configure applies settings of the editor over those of Init and says
	// what is wrong in them, a sentence each, naming the key.
	Configure func(ctx context.Context, settings json.RawMessage) (problems []string)
	// Problems are those of the settings that Build read; told once after
	// initialized.
	Problems []string
	// Notices are sentences for the user, told once after initialized.
	Notices []string
	// Untrusted are the folders whose project configuration is ignored because
	// nobody was asked yet.
	Untrusted func() []ProjectConfig
	// Trust takes a person's answer for one root and remembers it.
	Trust func(ctx context.Context, root string, trusted bool)
	// SetRoots replaces the workspace folders; nil = Workspace.SetRoots.
	SetRoots func(ctx context.Context, roots []string) error
	// Mode of turns that may change files, as of the settings; "" = agent.
	Mode func() tools.Mode
	// Tools are all that are registered, Revision counts their changes.
	Tools    func() []tools.Spec
	Revision func() int
	// Stand says where each tool stands in a thread ("" = a new one) for a model
	// ("" = the thread's).
	Stand func(thread, model string, specs []tools.Spec) ([]tools.Standing, error)
	// Status is the result of companion/status, but for Missing.
	Status func() wire.Status
	// Parts of tier 1; nil = its methods answer notOffered.
	Threads        companion.Threads
	Reader         companion.Reader
	Turns          companion.Turns
	EditorTools    companion.ToolHost
	Changes        companion.Changes
	Models         func() wire.ModelList
	RegisterModels func(models []wire.LentModel) (revision int)
	// Pending are the pending hunks of a file by its canonical path, without
	// waiting and without a look at the disk.
	Pending func(path string) []changes.Hunk
	// Functions gives the lines of the functions of a text, 0-based and
	// included; Enclosing that around a byte offset, in byte offsets. lang is an
	// LSP language id or a file name. They may take their time.
	Functions func(lang, src string) []action.Lines
	Enclosing func(lang, src string, offset int) (start, end int, ok bool)
	// Prompts are the setting companion.prompts: text by title.
	Prompts func() map[string]string
	// Answers is the setting companion.answers: document, message or log.
	Answers func() string
	// Close ends everything, child processes included, before ctx ends.
	Close func(ctx context.Context) error
}
