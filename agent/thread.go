package agent

import (
	"fmt"
	"slices"
	"sync"

	"companion/agent/model"
	"companion/agent/prompt"
	"companion/agent/transcript"
	"companion/session"
	"companion/tools"
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
	editor EditorState
	turn   *Turn // reserved or running

	prefix prompt.Prefix // of the last request; belongs to the turn's goroutine
}

func (a *Agent) newThread(info session.Info, log Log) *thread {
	return &thread{Transcript: transcript.New(info, log, a.tell, a.o.Log), a: a, id: info.ID}
}

// info is the thread's line in a list.
func (t *thread) info() session.Info {
	t.mu.Lock()
	defer t.mu.Unlock()
	info := t.Info()
	if t.turn != nil {
		info.Status = session.StatusRunning
	}
	return info
}

func (t *thread) modelName() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.model
}

// reserve makes turn the thread's and moves the thread to its options.
func (t *thread) reserve(turn *Turn) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.turn != nil {
		return fmt.Errorf("thread %s: %w", t.id, ErrTurnRunning)
	}
	t.turn = turn
	if turn.o.Mode != "" {
		t.mode = turn.o.Mode
	}
	turn.mode = t.mode
	if turn.card.ID != "" {
		t.model = turn.card.ID
	}
	if turn.o.Editor != nil {
		t.editor = *turn.o.Editor
	}
	if len(turn.o.Roots) > 0 {
		t.roots = slices.Clone(turn.o.Roots)
	}
	return nil
}

func (t *thread) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.turn = nil
}

func (t *thread) view() ThreadView {
	t.mu.Lock()
	defer t.mu.Unlock()
	return ThreadView{
		ID: t.id, Roots: slices.Clone(t.roots), Mode: t.mode, Editor: t.editor, Touched: t.Touched(),
	}
}

// box is the tools of the next step. In the modes ask and plan what is not
// read-only is withheld; what the model was told of stays in its list.
func (t *thread) box(mode tools.Mode) *tools.Box {
	return t.a.o.Registry.Box(tools.BoxOptions{
		Mode: mode,
		Withhold: func(s tools.Spec) string {
			if s.ReadOnly || mode != tools.ModeAsk && mode != tools.ModePlan {
				return ""
			}
			return fmt.Sprintf("it can change things and the mode is %q, in which nothing is changed. Say what you would do instead.", mode)
		},
		Keep: func(s tools.Spec) bool { return slices.Contains(t.State.Listed, s.Full()) },
	})
}

// request builds the next request and says why its prefix differs from the
// last one's, "" when it does not.
func (t *thread) request(card Card, box *tools.Box, o model.Options) (model.Request, string) {
	system := prompt.Offline()
	if !card.Offline {
		system = prompt.Instructions(tools.Mode(t.State.Mode), card.ParallelCalls)
	}
	specs := box.Listed()
	req := model.Request{
		Model: prompt.ModelName(card.ID), System: system, Items: transcript.Heal(t.Items()), Tools: make([]model.Tool, len(specs)), Options: o,
	}
	for i, s := range specs {
		req.Tools[i] = prompt.Describe(s)
	}
	now := prompt.NewPrefix(card.ID, system, specs)
	broken := t.prefix.Broken(now)
	t.prefix = now
	t.remember(card, now.Tools())
	return req, broken
}

// remember writes down what a resumed thread must know to send the same prefix.
func (t *thread) remember(card Card, listed []string) {
	all := slices.Clone(t.State.Listed)
	for _, name := range listed {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	if t.State.Model == card.ID && len(all) == len(t.State.Listed) {
		return
	}
	slices.Sort(all)
	t.State.Model, t.State.Listed = card.ID, all
	t.WriteState()
}
