package companion

import (
	"errors"

	"companion/agent"
	"companion/changes"
	"companion/lspbridge/rpc"
	"companion/workspace"
)

// Fault gives errors of the rooms behind the bridge their code on the
func Fault(err error) error {
	for _, c := range []struct {
		err  error
		path string
	}{
		{agent.ErrInput, "input"},
		{agent.ErrCursor, "cursor"},
	} {
		if errors.Is(err, c.err) {
			return rpc.BadParam(c.path, "%v", err)
		}
	}
	for _, c := range []struct {
		err  error
		code string
	}{
		{agent.ErrThreadNotFound, "threadNotFound"},
		{changes.ErrThread, "threadNotFound"},
		{agent.ErrTurnNotFound, "turnNotFound"},
		{agent.ErrTurnRunning, "turnRunning"},
		{agent.ErrThreadBusy, "threadBusy"},
		{agent.ErrNoModel, "noModel"},
		{workspace.ErrStale, "stale"},
		{agent.ErrMode, "refused"},
		{workspace.ErrReadOnly, "untrusted"},
	} {
		if errors.Is(err, c.err) {
			return rpc.Failed(c.code, "%v", err)
		}
	}
	return err
}

// notOffered is the answer where a part of companion is absent.
func notOffered(what string) error {
	return rpc.Failed("notOffered", "%s: this companion does not offer it", what)
}
