package agent

import (
	"context"
	"errors"
	"fmt"

	"companion/agent/consent"
	"companion/agent/transcript"
	"companion/session"
	"companion/tools"
)

// mustAsk tells whether a person is asked before a thread that a person moves
// goes from one mode to another.
func (a *Agent) mustAsk(from, to tools.Mode) bool { return a.o.Ask != nil && consent.More(from, to) }

// ask puts a question about the thread to a person. The error is
// consent.ErrNobody, ctx's, or tools.ErrStopped.
func (t *thread) ask(ctx context.Context, turn, call string, q consent.Question) (consent.Reply, error) {
	q.Thread, q.Turn, q.CallID = t.id, turn, call
	if call == "" {
		q.CallID = transcript.NewID(string(q.Kind) + "-")
	}
	return t.a.o.Ask.Put(ctx, q, func(e session.Event) { t.Emit(e) })
}

// allow asks a person for more rights. The error is ctx's, or tools.ErrStopped.
func (t *thread) allow(ctx context.Context, turn string, from, to tools.Mode) (consent.Reply, error) {
	r, err := t.ask(ctx, turn, "", t.modeQuestion(from, to))
	if errors.Is(err, consent.ErrNobody) {
		return r, nil
	}
	return r, err
}

func (t *thread) modeQuestion(from, to tools.Mode) consent.Question {
	return consent.Mode(from, to, transcript.PlanText(t.Plan()))
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
	if _, known := consent.Rights(mode); !known {
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
		switch r, err := th.allow(ctx, "", from, mode); {
		case err != nil:
			return err
		case !r.Yes:
			return fmt.Errorf("thread %s: %w: %q was not allowed", thread, ErrMode, mode)
		}
	}
	th.move(mode)
	return th.Err()
}

// move puts the thread into a mode and tells it.
func (t *thread) move(mode tools.Mode) {
	t.setMode(mode)
	t.Emit(session.Event{Type: session.ModeChanged, Mode: string(mode)})
}

// SetEditor takes what the editor says of itself; it does not block. A turn that
// brought an EditorState of its own keeps that one.
func (a *Agent) SetEditor(s EditorState) { a.editor.Store(&s) }
