package agent

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"companion/agent/line"
	"companion/agent/prompt"
	"companion/agent/sent"
	"companion/agent/transcript"
	"companion/session"
	"companion/tools"
)

// thread is one open conversation.
type thread struct {
	*sent.Thread
	a  *Agent
	id string

	mu     sync.Mutex // guards what follows
	roots  []string
	mode   tools.Mode
	model  string
	editor EditorState // of the last turn that brought one

	line line.Line[*Turn] // reserved, waiting and running
}

func (a *Agent) newThread(info session.Info, log Log) *thread {
	past := transcript.New(info, log, a.sinks.Tell, a.o.Log)
	return &thread{
		Thread: sent.New(past, sent.Options{ID: info.ID, Registry: a.o.Registry, Scene: a.o.Scene, CompactAt: a.o.CompactAt}), a: a, id: info.ID,
	}
}

// info is the thread's line in a list.
func (t *thread) info() session.Info {
	t.mu.Lock()
	defer t.mu.Unlock()
	info := t.Info()
	if first, busy := t.line.First(); busy && !first.over.Load() {
		info.Status = session.StatusRunning
	}
	return info
}

func (t *thread) modelName() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.model
}

// errGone: the thread was closed after it was looked up.
var errGone = errors.New("the thread was closed")

// reserve gives the thread to a turn, or a place behind the one that has it, or
// hands its input to that one, which is returned.
func (t *thread) reserve(turn *Turn) (joined *Turn, err error) {
	place := t.line.Enter(turn, func(first *Turn) (wait bool) {
		switch turn.o.IfBusy {
		case "", Reject:
			err = fmt.Errorf("thread %s: %w", t.id, ErrTurnRunning)
		case Queue:
			return true
		case Join:
			if err = prompt.Check(turn.o.Input, first.card.Images, first.card.ID); err != nil {
				return false
			}
			if !first.inbox.Put(turn.o.Input) {
				return true
			}
			joined = first
		default:
			err = fmt.Errorf("%w: ifBusy is reject, queue or steer, not %q", ErrInput, turn.o.IfBusy)
		}
		return false
	})
	switch place {
	case line.Closed:
		return nil, errGone
	case line.First:
		close(turn.ready)
	}
	return joined, err
}

// adopt moves the thread to a turn's options, its mode aside.
func (t *thread) adopt(turn *Turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if turn.card.ID != "" {
		t.model = turn.card.ID
	}
	if turn.o.Editor != nil {
		t.editor = *turn.o.Editor
	}
	if len(turn.o.Roots) > 0 {
		t.roots = slices.Clone(turn.o.Roots)
	}
}

// release takes a turn off the thread; the next may begin.
func (t *thread) release(turn *Turn) {
	if next, ok := t.line.Leave(turn); ok {
		close(next.ready)
	}
}

// view is the thread as it is now. What the running turn was given of the
// editor wins over what the editor said since.
func (t *thread) view() ThreadView {
	first, busy := t.line.First()
	t.mu.Lock()
	defer t.mu.Unlock()
	v := ThreadView{ID: t.id, Roots: slices.Clone(t.roots), Mode: t.mode, Editor: t.editor, Touched: t.Touched(), Plan: t.KeptPlan()}
	if last := t.a.editor.Load(); last != nil && (!busy || first.o.Editor == nil) {
		v.Editor = *last
	}
	return v
}

// to is whom a turn's thread is sent to.
func (t *Turn) to() sent.To {
	to := sent.To{Turn: t.id, Card: t.card, Provider: t.provider, Mode: t.thread.now()}
	if t.compaction {
		to.Turn = ""
	}
	return to
}
