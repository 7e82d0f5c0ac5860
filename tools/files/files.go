package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"companion/tools"
	"companion/workspace"
)

// Resolve names the file that a call means: relative paths start from the
// call's working folder, absolute ones and file URIs are taken as they are.
// The error is a *tools.Refusal.
func Resolve(ws *workspace.Workspace, call tools.Call, path string) (workspace.File, error) {
	var f workspace.File
	var err error
	switch {
	case strings.Contains(path, "://") || strings.HasPrefix(path, "untitled:"):
		f, err = ws.ResolveURI(path)
	default:
		f, err = ws.Resolve(Absolute(call, path))
	}
	if err != nil {
		return f, tools.Fail(fmt.Sprintf("%q names no file: %v.", path, err))
	}
	return f, nil
}

// Absolute is a path as a model wrote it, from the call's working folder, with
// its links as they are. One from the home folder and a URI stay as they are.
func Absolute(call tools.Call, path string) string {
	if path != "" && len(call.Roots) > 0 && !filepath.IsAbs(path) && !strings.HasPrefix(path, "~") && !strings.Contains(path, "://") {
		return filepath.Join(call.Roots[0], path)
	}
	return path
}

// Link is the symbolic link that a path names by its last part; false when that
// is no link.
func Link(ws *workspace.Workspace, call tools.Call, path string) (workspace.Link, bool) {
	if strings.Contains(path, "://") {
		return workspace.Link{}, false // its file is meant
	}
	return ws.ResolveLink(Absolute(call, path))
}

// Effect is the effect of kind on a file.
func Effect(kind tools.EffectKind, f workspace.File) tools.Effect {
	return tools.Effect{Kind: kind, Path: f.Path, Outside: f.Outside}
}

// Refuse words an error of the workspace about a file as a *tools.Refusal; the
// end of a context and a refusal come back as they are.
func Refuse(f workspace.File, err error) error {
	var refusal *tools.Refusal
	if err == nil || errors.As(err, &refusal) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	left := ""
	var apply *workspace.ApplyError
	if errors.As(err, &apply) {
		if apply.Path != "" && apply.Path != f.Path {
			f.Rel = apply.Path // another file of the same set
		}
		if len(apply.Left) > 0 {
			left = " Earlier changes could not be taken back in " + strings.Join(apply.Left, ", ") + ": read those files."
		}
		err = apply.Err
	}
	return tools.Fail(words(f, err) + left)
}

func words(f workspace.File, err error) string {
	say := fmt.Sprintf
	switch {
	case errors.Is(err, workspace.ErrStale):
		return say("Not done: %s changed in the meantime. Read it again and repeat what is still right.", f.Rel)
	case errors.Is(err, workspace.ErrOutside):
		return say("Not done: %s lies outside the workspace.", f.Rel)
	case errors.Is(err, workspace.ErrExists):
		return say("Not done: %s exists already. Read it first.", f.Rel)
	case errors.Is(err, workspace.ErrRejected):
		return say("Not done: the editor refused the edit of %s (%v). Nothing was changed. Read it again before you retry.", f.Rel, err)
	case errors.Is(err, workspace.ErrNotApplied):
		return say("Not done: the editor said it had edited %s, but its buffer does not hold the change (%v). Read it again before you retry.", f.Rel, err)
	case errors.Is(err, workspace.ErrDirty):
		return say("Not done: %s is open with unsaved changes and the editor cannot be asked to edit it. Ask the user to save it.", f.Rel)
	case errors.Is(err, workspace.ErrReadOnly):
		return say("Not done: %s lies in a folder that the user has not trusted, so nothing is changed there. Say what you would change.", f.Rel)
	case errors.Is(err, workspace.ErrNotFile):
		_, why, _ := strings.Cut(err.Error(), workspace.ErrNotFile.Error()+": ")
		return say("%s is not a regular file: %s.", f.Rel, cmp.Or(why, "its like is not opened"))
	case errors.Is(err, workspace.ErrBinary):
		return say("%s is a binary file; its bytes are not shown or edited as text.", f.Rel)
	case errors.Is(err, workspace.ErrTooLarge):
		return say("%s is too large to be taken as text (%v). Use a command that reads a part of it.", f.Rel, err)
	}
	return say("Not done: %s: %v. Nothing was changed.", f.Rel, err)
}

// Changed converts what the workspace did to what a result reports.
func Changed(applied []workspace.Applied) []tools.Change {
	out := make([]tools.Change, len(applied))
	for i, a := range applied {
		out[i] = tools.Change{
			Path: a.Path, From: a.From, Before: a.Before, After: a.After,
			Created: a.Kind == workspace.Create, Deleted: a.Kind == workspace.Delete, Format: a.Format, Version: a.Version,
		}
	}
	return out
}

// Landing says what is special about how a change landed, with a leading space;
// "" when the file holds exactly what was wanted, on disk.
func Landing(a workspace.Applied, want string) string {
	var b strings.Builder
	if a.Buffer && !a.Saved {
		b.WriteString(" It is in the editor's buffer and not saved yet.")
	}
	switch {
	case a.Merged:
		b.WriteString(" The file was changed by others in the meantime; both changes are in it: read it before you edit it again.")
	case a.After != want:
		b.WriteString(" The editor changed more in it at once (a formatter or save hook): read it before you edit it again.")
	}
	return b.String()
}
