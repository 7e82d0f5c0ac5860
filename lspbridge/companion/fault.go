package companion

import (
	"errors"

	"companion/agent"
	"companion/changes"
	"companion/lspbridge/rpc"
	"companion/workspace"
)

type fault struct {
	err  error
	code string
}

// faults are the errors with a code of their own.
func faults() []fault {
	return []fault{
		{agent.ErrThreadNotFound, "threadNotFound"},
		{changes.ErrThread, "threadNotFound"},
		{agent.ErrTurnNotFound, "turnNotFound"},
		{agent.ErrTurnRunning, "turnRunning"},
		{agent.ErrThreadBusy, "threadBusy"},
		{agent.ErrNoModel, "noModel"},
		{workspace.ErrStale, "stale"},
		{agent.ErrMode, "refused"},
		{workspace.ErrReadOnly, "untrusted"},
	}
}

// FaultCodes are the values of data.code.
func FaultCodes() []string {
	out := []string{"notOffered"}
	for _, f := range faults() {
		out = append(out, f.code)
	}
	return out
}

// Fault gives errors of the rooms behind the bridge the form that they have on
// the wire: -32803 with data.code, or -32602 for what was wrong in the params.
func Fault(err error) error {
	switch {
	case errors.Is(err, agent.ErrInput):
		return rpc.Errorf(rpc.InvalidParams, "%v", err) // it begins with the field's path
	case errors.Is(err, agent.ErrCursor):
		return rpc.BadParam("cursor", "%v", err)
	}
	for _, f := range faults() {
		if errors.Is(err, f.err) {
			return rpc.Failed(f.code, "%v", err)
		}
	}
	return err
}

// notOffered is the answer where a part of companion is absent.
func notOffered(what string) error {
	return rpc.Failed("notOffered", "%s: this companion does not offer it", what)
}
