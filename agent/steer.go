package agent

import (
	"fmt"

	"companion/agent/prompt"
	"companion/session"
)

// Steer gives a running turn more input, which the model reads before its next
// step; a turn that was about to end goes one step on. A turn that has not
// begun takes it too. accepted is false when the turn is just ending.
// ErrTurnNotFound when it is not there any more, ErrInput.
func (a *Agent) Steer(thread, turn string, input []session.Input) (accepted bool, err error) {
	a.mu.Lock()
	t := a.turns[turn]
	a.mu.Unlock()
	if t == nil || t.compaction || thread != "" && t.thread.id != thread {
		return false, fmt.Errorf("turn %s: %w", turn, ErrTurnNotFound)
	}
	if err := prompt.Check(input, t.card.Images, t.card.ID); err != nil {
		return false, err
	}
	return t.inbox.Put(input), nil
}

// read appends what the inbox holds.
func (t *Turn) read() {
	for _, in := range t.inbox.Take() {
		rec := t.thread.Add(prompt.Message(in, t.view().Roots), "")
		t.emit(session.Event{Type: session.TurnSteered, Input: in}, rec)
		t.said = prompt.Said(in)
	}
}
