package companion

import (
	"context"
	"errors"
	"math"
	"slices"

	"companion/changes"
	"companion/lspbridge/rpc"
	"companion/lspbridge/wire"
	"companion/text"
)

func (h *Handlers) changesList(_ context.Context, _ *rpc.Request, p wire.ChangesListParams) (wire.ChangesListResult, error) {
	if h.Changes == nil {
		return wire.ChangesListResult{}, notOffered("companion/changes/list")
	}
	files, err := h.Changes.List(p.ThreadID, p.TurnID)
	if err != nil {
		return wire.ChangesListResult{}, err
	}
	if len(files) == 0 {
		if err := h.known(p.ThreadID); err != nil {
			return wire.ChangesListResult{}, err
		}
	}
	out := wire.ChangesListResult{Files: make([]wire.ChangedFile, 0, len(files))}
	for _, f := range files {
		out.Files = append(out.Files, h.changedFile(f))
	}
	return out, nil
}

// known is nil for a thread that is there, changed or not.
func (h *Handlers) known(thread string) error {
	if h.Reader == nil {
		return nil
	}
	_, err := h.Reader.Read(thread, math.MaxInt64, 1)
	return err
}

func (h *Handlers) changedFile(f changes.FileChange) wire.ChangedFile {
	out := wire.ChangedFile{
		URI: f.URI, Status: f.Status, Version: f.Version, Hash: f.Hash, BaseHash: f.BaseHash,
		Hunks: make([]wire.Hunk, 0, len(f.Hunks)),
	}
	if out.URI == "" {
		out.URI = wire.FileURI(f.Path)
	}
	if f.From != "" {
		out.From = wire.FileURI(f.From)
	}
	for _, x := range f.Hunks {
		out.Hunks = append(out.Hunks, wire.Hunk{
			ID: x.ID, OldRange: wire.EncodeRange(x.OldRange), NewRange: h.recode(out.URI, x.NewRange),
			State: x.State, Conflict: x.Conflict,
		})
	}
	return out
}

func (h *Handlers) changesKeep(ctx context.Context, _ *rpc.Request, p wire.ChangesSelector) (wire.ChangesResult, error) {
	return h.Keep(ctx, p)
}

func (h *Handlers) changesUndo(ctx context.Context, _ *rpc.Request, p wire.ChangesSelector) (wire.ChangesResult, error) {
	return h.Undo(ctx, p)
}

// Keep makes the hunks the user's own.
func (h *Handlers) Keep(ctx context.Context, p wire.ChangesSelector) (wire.ChangesResult, error) {
	if h.Changes == nil {
		return wire.ChangesResult{}, notOffered("companion/changes/keep")
	}
	return h.resolve(ctx, p, h.Changes.Keep)
}

// Undo takes the hunks back.
func (h *Handlers) Undo(ctx context.Context, p wire.ChangesSelector) (wire.ChangesResult, error) {
	if h.Changes == nil {
		return wire.ChangesResult{}, notOffered("companion/changes/undo")
	}
	return h.resolve(ctx, p, h.Changes.Undo)
}

func (h *Handlers) resolve(ctx context.Context, p wire.ChangesSelector, f func(context.Context, changes.Selector) ([]changes.HunkOutcome, error)) (wire.ChangesResult, error) {
	sel := changes.Selector{Thread: p.ThreadID, Turn: p.TurnID, Hunks: p.HunkIDs}
	if p.URI != "" {
		file, err := h.Workspace.ResolveURI(p.URI)
		if err != nil {
			return wire.ChangesResult{}, rpc.BadParam("uri", "%v", err)
		}
		sel.Path = file.Path
	}
	done, err := f(ctx, sel)
	if err != nil {
		return wire.ChangesResult{}, err
	}
	if len(done) == 0 && p.ThreadID != "" {
		if err := h.known(p.ThreadID); err != nil {
			return wire.ChangesResult{}, err
		}
	}
	out := wire.ChangesResult{Hunks: make([]wire.HunkOutcome, 0, len(done))}
	for _, d := range done {
		out.Hunks = append(out.Hunks, wire.HunkOutcome{ID: d.ID, Outcome: d.Outcome, Message: d.Message})
	}
	return out, nil
}

func (h *Handlers) changesContent(_ context.Context, _ *rpc.Request, p wire.ChangesContentParams) (wire.Text, error) {
	if h.Changes == nil {
		return wire.Text{}, notOffered("companion/changes/content")
	}
	file, err := h.Workspace.ResolveURI(p.URI)
	if err != nil {
		return wire.Text{}, rpc.BadParam("uri", "%v", err)
	}
	s, err := h.Changes.Content(p.ThreadID, file.Path, changes.Side(p.Side), p.TurnID)
	return wire.Text{Text: s}, notChanged(err)
}

// notChanged names the field that is wrong.
func notChanged(err error) error {
	if errors.Is(err, changes.ErrNotChanged) {
		return rpc.BadParam("uri", "%v", err)
	}
	return err
}

// Diff is a file's pending change of a thread as a unified diff, of one hunk
// when it is named.
func (h *Handlers) Diff(threadID, id, hunk string) (string, error) {
	if h.Changes == nil {
		return "", notOffered("companion.diff")
	}
	file, err := h.Workspace.ResolveURI(id)
	if err != nil {
		return "", rpc.BadParam("arguments[0].uri", "%v", err)
	}
	base, err := h.Changes.Content(threadID, file.Path, changes.Base, "")
	if err != nil {
		return "", notChanged(err)
	}
	now, err := h.Changes.Content(threadID, file.Path, changes.Current, "")
	if err != nil {
		return "", notChanged(err)
	}
	if hunk != "" {
		files, err := h.Changes.List(threadID, "")
		if err != nil {
			return "", err
		}
		if now, err = only(files, file.Path, hunk, base, now); err != nil {
			return "", err
		}
	}
	return text.Unified(file.Rel, file.Rel, base, now, contextLines), nil
}

// contextLines around a change in a diff.
const contextLines = 3

// only gives base with one hunk of now.
func only(files []changes.FileChange, path, hunk, base, now string) (string, error) {
	for _, f := range files {
		if f.Path != path {
			continue
		}
		i := slices.IndexFunc(f.Hunks, func(x changes.Hunk) bool { return x.ID == hunk && x.State == changes.StatePending })
		if i < 0 {
			break
		}
		x, b, n := f.Hunks[i], text.NewIndex(base), text.NewIndex(now)
		part := func(ix *text.Index, p text.Position) int { return ix.Offset(p, text.UTF16) }
		return base[:part(b, x.OldRange.Start)] +
			now[part(n, x.NewRange.Start):part(n, x.NewRange.End)] +
			base[part(b, x.OldRange.End):], nil
	}
	return "", rpc.Failed("stale", "hunk %s is not pending any more", hunk)
}
