package companion

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"companion/agent"
	"companion/lspbridge/rpc"
	"companion/lspbridge/wire"
	"companion/session"
	"companion/tools"
)

func (h *Handlers) threadStart(_ context.Context, _ *rpc.Request, p wire.ThreadStartParams) (wire.ThreadID, error) {
	if h.Threads == nil {
		return wire.ThreadID{}, notOffered("companion/thread/start")
	}
	roots := h.Workspace.Roots()
	if p.Cwd != "" {
		cwd, ok := wire.Folder(p.Cwd)
		if !ok {
			return wire.ThreadID{}, rpc.BadParam("cwd", "%s is no folder here", p.Cwd)
		}
		roots = append([]string{cwd}, slices.DeleteFunc(roots, func(r string) bool { return r == cwd })...)
	}
	if len(roots) == 0 {
		return wire.ThreadID{}, rpc.BadParam("cwd", "missing, and no folder is open")
	}
	info, err := h.Threads.StartThread(agent.ThreadOptions{Roots: roots, Title: p.Title, Mode: tools.Mode(p.Mode), Model: p.Model})
	return h.follow(info, err)
}

// follow makes the editor hear a thread that it started or resumed.
func (h *Handlers) follow(info session.Info, err error) (wire.ThreadID, error) {
	if err != nil {
		return wire.ThreadID{}, err
	}
	h.Follow(info.ID, true)
	return wire.ThreadID{ThreadID: info.ID}, nil
}

func (h *Handlers) threadList(_ context.Context, _ *rpc.Request, p wire.ThreadListParams) (wire.ThreadListResult, error) {
	if h.Reader == nil {
		return wire.ThreadListResult{}, notOffered("companion/thread/list")
	}
	q := agent.ListQuery{Query: p.Query, Cursor: p.Cursor, Limit: p.Limit}
	if p.Cwd != "" {
		cwd, ok := wire.FilePath(p.Cwd) // the folder may be gone, its threads are not
		if !ok {
			return wire.ThreadListResult{}, rpc.BadParam("cwd", "%s is no file URI", p.Cwd)
		}
		q.Cwd = cwd
	}
	infos, cursor, err := h.Reader.List(q)
	if err != nil {
		return wire.ThreadListResult{}, err
	}
	out := wire.ThreadListResult{Threads: make([]wire.Thread, 0, len(infos)), Cursor: cursor}
	for _, t := range infos {
		out.Threads = append(out.Threads, wire.EncodeThread(t))
	}
	return out, nil
}

func (h *Handlers) threadRead(_ context.Context, _ *rpc.Request, p wire.ThreadReadParams) (wire.ThreadReadResult, error) {
	if h.Reader == nil {
		return wire.ThreadReadResult{}, notOffered("companion/thread/read")
	}
	t, err := h.Reader.Read(p.ThreadID, p.SinceSeq, p.Limit)
	if err != nil {
		return wire.ThreadReadResult{}, err
	}
	out := wire.ThreadReadResult{Thread: wire.EncodeThread(t.Info), Events: make([]json.RawMessage, 0, len(t.Events)), Live: t.Live, NextSeq: t.NextSeq}
	if out.Live == nil {
		out.Live = map[string]string{}
	}
	for _, ev := range t.Events {
		raw, err := wire.EncodeEvent(ev)
		if err != nil {
			return wire.ThreadReadResult{}, err
		}
		out.Events = append(out.Events, raw)
	}
	return out, nil
}

func (h *Handlers) threadResume(_ context.Context, _ *rpc.Request, p wire.ThreadID) (wire.ThreadID, error) {
	if h.Threads == nil {
		return wire.ThreadID{}, notOffered("companion/thread/resume")
	}
	h.Follow(p.ThreadID, true) // what a crash left open is told while it is resumed
	info, err := h.Threads.Resume(p.ThreadID)
	h.lost(p.ThreadID, err)
	return h.follow(info, err)
}

// lost ends the following of a thread that could not be opened.
func (h *Handlers) lost(thread string, err error) {
	if errors.Is(err, agent.ErrThreadNotFound) || errors.Is(err, agent.ErrThreadBusy) {
		h.Follow(thread, false)
	}
}

func (h *Handlers) threadFork(_ context.Context, _ *rpc.Request, p wire.ThreadForkParams) (wire.ThreadID, error) {
	if h.Threads == nil {
		return wire.ThreadID{}, notOffered("companion/thread/fork")
	}
	info, err := h.Threads.Fork(p.ThreadID, p.AtTurnID)
	return h.follow(info, err)
}

func (h *Handlers) threadClose(_ context.Context, _ *rpc.Request, p wire.ThreadID) (wire.ThreadID, error) {
	if h.Threads == nil {
		return wire.ThreadID{}, notOffered("companion/thread/close")
	}
	if err := h.Threads.CloseThread(p.ThreadID); err != nil {
		return wire.ThreadID{}, err
	}
	h.Follow(p.ThreadID, false)
	return p, nil
}

func (h *Handlers) threadRename(_ context.Context, _ *rpc.Request, p wire.ThreadRenameParams) (wire.ThreadID, error) {
	if h.Threads == nil {
		return wire.ThreadID{}, notOffered("companion/thread/rename")
	}
	return wire.ThreadID{ThreadID: p.ThreadID}, h.Threads.Rename(p.ThreadID, p.Title)
}

func (h *Handlers) threadDelete(_ context.Context, _ *rpc.Request, p wire.ThreadID) (wire.ThreadID, error) {
	if h.Threads == nil {
		return wire.ThreadID{}, notOffered("companion/thread/delete")
	}
	if err := h.Threads.Delete(p.ThreadID); err != nil {
		return wire.ThreadID{}, err
	}
	h.Follow(p.ThreadID, false)
	return p, nil
}
