package app

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime/debug"

	"companion/tools/patch"
	"companion/workspace"
)

// ApplyPatch applies a patch below a folder, "" = the current one, and returns
// the exit code. No settings, models or language servers are needed.
func ApplyPatch(ctx context.Context, o Options, dir, input string, overwrite bool) (int, error) {
	debug.SetGCPercent(400) // a short life
	root, err := filepath.Abs(dir)
	if err != nil {
		return 0, err
	}
	state, err := stateDir(o.Env)
	if err != nil {
		return 0, err
	}
	ws, err := workspace.New(workspace.Options{Roots: []string{root}, Intents: intentsDir(state)})
	if err != nil {
		return 0, usageError{err}
	}
	for _, s := range repair(ctx, ws) {
		fmt.Fprintf(o.Err, "companion: %s\n", s)
	}
	changed, remarks, err := patch.Apply(ctx, ws, input, overwrite)
	if err != nil {
		return 1, err
	}
	if changed == "" {
		_, err = fmt.Fprintln(o.Out, "Nothing was changed: the files hold this already.")
		return 0, err
	}
	for _, r := range remarks {
		fmt.Fprintf(o.Err, "companion: %s\n", r)
	}
	_, err = fmt.Fprintf(o.Out, "Success. Updated the following files:\n%s\n", changed)
	return 0, err
}

// intentsDir is where sets of changes are written down before they are made.
func intentsDir(state string) string { return filepath.Join(state, "intents") }

// repair takes back what a crash left half made and says so.
func repair(ctx context.Context, ws *workspace.Workspace) []string {
	told, err := ws.Repair(ctx)
	if err != nil {
		told = append(told, fmt.Sprintf("what a crash left half made could not be taken back: %v", err))
	}
	return told
}
