package agent

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"companion/agent/line"
	"companion/agent/model"
	"companion/agent/prompt"
	"companion/agent/transcript"
	"companion/session"
	"companion/tools"
	"companion/tools/router"
)

// thread is one open conversation.
type thread struct {
	*transcript.Transcript
	a  *Agent
	id string

	mu     sync.Mutex // guards what follows
	roots  []string
	mode   tools.Mode
	model  string
	editor EditorState // of the last turn that brought one

	line line.Line[*Turn] // reserved, waiting and running

	// What follows belongs to the turn's goroutine.
	boxes     router.Cache
	prefix    prompt.Prefix // of the last request
	compacted bool          // since then
}

func (a *Agent) newThread(info session.Info, log Log) *thread {
	return &thread{Transcript: transcript.New(info, log, a.sinks.Tell, a.o.Log), a: a, id: info.ID}
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

// box is the tools of the next step, as the running turn's model sees them. What
// the same model was told of stays in its list, in the order in which it was
// told; another model is told anew.
func (t *thread) box(mode tools.Mode) *tools.Box {
	var in router.Scene
	if t.a.o.Scene != nil {
		in = t.a.o.Scene(t.id)
	}
	card := Card{ID: t.State.Model}
	if first, ok := t.line.First(); ok {
		card = first.card
	}
	in.Mode, in.Model = mode, router.Model{Search: card.ToolSearch, Images: card.Images, Edit: card.EditTool}
	return t.boxes.Box(t.a.o.Registry, in, t.State.Told(card.ID), t.State.Loaded)
}

// request builds the next request and says why its prefix differs from the
// last one's, "" when it does not.
func (t *thread) request(card Card, box *tools.Box, o model.Options) (model.Request, string) {
	system := prompt.Offline()
	if !card.Offline {
		system = prompt.Instructions(tools.Mode(t.State.Mode), card.ParallelCalls)
	}
	ask := prompt.Asking{Card: card, System: system, Items: transcript.Heal(t.Items()), Box: box, Options: o}
	req := ask.Request()
	if it, ok := t.prefix.Added(req, t.State.Told(card.ID)); ok && !t.compacted {
		t.Write(t.Add(it, ""))
		ask.Items = transcript.Heal(t.Items())
		req = ask.Request()
	}
	now := prompt.NewPrefix(card.ID, req)
	broken := t.prefix.Broken(now)
	if t.compacted {
		broken, t.compacted = "the thread was compacted", false
	}
	t.prefix = now
	t.Remember(card.ID, prompt.Names(box))
	return req, broken
}
