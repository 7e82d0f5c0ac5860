package agent

import (
	"context"
	"fmt"

	"companion/agent/transcript"
	"companion/session"
	"companion/tools"
)

// rights orders the modes: ask and plan change nothing, and so have the same.
func rights(m tools.Mode) (rank int, known bool) {
	rank, known = map[tools.Mode]int{
		tools.ModeAsk: 0, tools.ModePlan: 0, tools.ModeEdit: 1, tools.ModeAgent: 2, tools.ModeFull: 3,
	}[m]
	return rank, known
}

// mustAsk tells whether a person is asked before a thread moves between modes.
func (a *Agent) mustAsk(from, to tools.Mode) bool {
	has, _ := rights(from)
	gets, _ := rights(to)
	return a.o.AllowMode != nil && gets > has
}

// allow asks a person. The error is ctx's, or tools.ErrStopped.
func (a *Agent) allow(ctx context.Context, th *thread, turn string, from, to tools.Mode) (bool, error) {
	q := ModeQuestion{Thread: th.id, Turn: turn, CallID: transcript.NewID("mode-"), From: from, To: to}
	th.Emit(session.Event{Turn: turn, Type: session.ApprovalRequested, CallID: q.CallID})
	ok, err := a.o.AllowMode(ctx, q)
	decision := "rejectOnce"
	switch {
	case err != nil:
		decision = "stop"
	case ok:
		decision = "allowOnce"
	}
	th.Emit(session.Event{Turn: turn, Type: session.ApprovalResolved, CallID: q.CallID, Decision: decision, By: "user"})
	return ok, err
}

// now is the mode that the thread is in.
func (t *thread) now() tools.Mode {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mode
}

func (t *thread) setMode(m tools.Mode) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mode = m
}

// SetMode moves a thread to another mode, after a person has allowed more
// rights; a running turn is in it from its next step. ErrMode when the person
// refused, ErrInput for a mode that is none.
func (a *Agent) SetMode(ctx context.Context, thread string, mode tools.Mode) error {
	if _, known := rights(mode); !known {
		return fmt.Errorf("%w: the modes are ask, plan, edit, agent and full, not %q", ErrInput, mode)
	}
	th, err := a.open(thread)
	if err != nil {
		return err
	}
	from := th.now()
	if from == mode {
		return nil
	}
	if a.mustAsk(from, mode) {
		switch ok, err := a.allow(ctx, th, "", from, mode); {
		case err != nil:
			return err
		case !ok:
			return fmt.Errorf("thread %s: %w: %q was not allowed", thread, ErrMode, mode)
		}
	}
	th.setMode(mode)
	th.Emit(session.Event{Type: session.ModeChanged, Mode: string(mode)})
	return th.Err()
}

// SetEditor takes what the editor says of itself; it does not block. A turn that
// brought an EditorState of its own keeps that one.
func (a *Agent) SetEditor(s EditorState) { a.editor.Store(&s) }
