package editor

import (
	"context"
	"errors"

	"companion/lspbridge/rpc"
	"companion/lspbridge/wire"
	"companion/text"
	"companion/workspace"
)

// Reach implements workspace.Reacher: clients with edits are asked for every
// file, others for files that they have open.
func (e *Editor) Reach() workspace.Reach {
	all := e.Client.Companion.Edits
	return workspace.Reach{Closed: all, Create: all, Delete: all, Rename: all}
}

// applyCompanion applies one file's edit by companion/edit/apply.
func (e *Editor) applyCompanion(ctx context.Context, f workspace.FileEdit) (workspace.EditAnswer, error) {
	p := wire.EditParams{
		URI: f.URI, Version: f.Version, BaseHash: f.BaseHash, Create: f.Create, Delete: f.Delete,
		RenameTo: f.RenameTo, Save: f.Save, Label: f.Label, Edits: []wire.TextEdit{},
	}
	for _, r := range text.ByRange(text.NewIndex(f.Before), f.Edits, e.Encoding) {
		p.Edits = append(p.Edits, wire.TextEdit{Range: wire.EncodeRange(r.Range), NewText: r.New})
	}
	r, err := ask[wire.EditResult](ctx, e, true, "companion/edit/apply", p, editDeadline)
	var fault *rpc.Error
	switch {
	case err == nil && *r.Applied:
		return workspace.EditAnswer{Applied: true, Why: workspace.EditReason(r.Reason)}, nil
	case err == nil:
		a := workspace.EditAnswer{Why: workspace.EditReason(r.Reason), Reason: reasons(r.Reason)}
		a.Unsupported = a.Why == workspace.Unsupported
		return a, nil
	case errors.Is(err, ErrNotOffered):
		return workspace.EditAnswer{Unsupported: true, Why: workspace.Unsupported, Reason: err.Error()}, nil
	case errors.As(err, &fault):
		return workspace.EditAnswer{Reason: fault.Message}, nil
	case errors.Is(err, ErrShape), errors.Is(err, ErrTimeout):
		return workspace.EditAnswer{Reason: err.Error()}, nil
	}
	return workspace.EditAnswer{}, err
}

// reasons words what an editor says of an edit that it did not apply.
func reasons(why string) string {
	switch workspace.EditReason(why) {
	case workspace.VersionMismatch:
		return "the editor's buffer is of another version"
	case workspace.ReadOnly:
		return "the file is read-only in the editor"
	case workspace.NotFound:
		return "the editor does not find the file"
	case workspace.NotOpen:
		return "the file is not open in the editor"
	case workspace.Rejected:
		return "the user rejected the edit in the editor"
	case workspace.Conflicting:
		return "the editor found a conflict"
	case workspace.Unsupported:
		return "the editor cannot make this kind of change"
	case "":
		return "the editor did not say why"
	}
	return Plain(why)
}
