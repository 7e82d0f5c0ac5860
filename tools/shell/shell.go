package shell

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"companion/tools"
	"companion/tools/shell/sessions"
	"companion/workspace"
)

// Options of New.
type Options struct {
	Workspace *workspace.Workspace
	// Env is the environment that commands start from ("KEY=value"); nil = this
	// process's. Keys of providers, and the variables that Secrets name, are taken
	// out of it.
	Env     []string
	Secrets []string
	// Dir is where files with whole outputs go; "" = none are kept.
	Dir string
	// Patch prepares a patch that a command line holds (apply_patch with a
	// here-document), whose paths are relative to dir; nil = such lines run as any
	// other.
	Patch func(ctx context.Context, call tools.Call, dir, patch string) (tools.Action, error)
}

// Shell runs commands for the four tools.
type Shell struct {
	ws    *workspace.Workspace
	env   []string
	shell string // the user's own bash, "" = the system's
	patch func(ctx context.Context, call tools.Call, dir, patch string) (tools.Action, error)
	store *sessions.Store
}

// New has no command running.
func New(o Options) *Shell {
	if o.Env == nil {
		o.Env = os.Environ()
	}
	x := &Shell{ws: o.Workspace, env: quiet(o.Env, o.Secrets), patch: o.Patch, store: sessions.NewStore(o.Dir)}
	x.shell = own(x.env, o.Workspace.Roots())
	return x
}

// Tools are the four.
func (x *Shell) Tools() []tools.Tool {
	return []tools.Tool{execCommand{x}, writeStdin{x}, listSessions{x}, stopSession{x}}
}

// CloseThread kills what a thread has running.
func (x *Shell) CloseThread(thread string) { x.store.CloseThread(thread) }

// Close kills every running command with its children; later calls are refused.
func (x *Shell) Close() { x.store.Close() }

// own is the user's shell where it takes lines as they are judged: a bash, and
// none of a workspace.
func own(env, roots []string) string {
	for _, kv := range env {
		path, ok := strings.CutPrefix(kv, "SHELL=")
		if !ok || !filepath.IsAbs(path) || filepath.Base(path) != "bash" {
			continue
		}
		inside := func(root string) bool { return strings.HasPrefix(path, root+string(filepath.Separator)) }
		if !slices.ContainsFunc(roots, inside) {
			return path
		}
	}
	return ""
}

// unsaved are the open files whose text the command cannot see, at most ten.
func (x *Shell) unsaved() []string {
	var out []string
	for _, d := range x.ws.Documents() {
		if d.Dirty {
			out = append(out, d.Rel)
		}
	}
	slices.Sort(out)
	if len(out) > 10 {
		out = append(out[:10], "…")
	}
	return out
}

// session finds one by the number that a model gave.
func (x *Shell) session(call tools.Call, id int) (*sessions.Session, error) {
	if s, ok := x.store.Get(call.Thread, id); ok {
		return s, nil
	}
	var ids []string
	for _, s := range x.store.List(call.Thread) {
		ids = append(ids, itoa(x.store.ID(s)))
	}
	have := "This thread has none: start a command with `exec_command`"
	if len(ids) > 0 {
		have = "This thread has " + strings.Join(ids, ", ") + "; `list_sessions` tells what they are"
	}
	return nil, tools.Fail("There is no session " + itoa(id) + ". " + have + ". Sessions end with companion, and a thread cannot reach those of another.")
}

// span is what a model asked for, in ms, held between two bounds; 0 = none.
func span(ms int, none, low, high time.Duration) time.Duration {
	if ms <= 0 {
		return none
	}
	return min(max(time.Duration(ms)*time.Millisecond, low), high)
}
