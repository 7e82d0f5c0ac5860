package app

import (
	"context"
	"testing"

	"companion/tools"
)

type counted struct{ steps, turns int }

func (c *counted) AfterStep(context.Context, []tools.Finished)      { c.steps++ }
func (c *counted) AfterTurn(context.Context, string) (found string) { c.turns++; return "late" }

func TestFeedbackIsSwitchedByTheSetting(t *testing.T) {
	inner, on := &counted{}, false
	b := barrier{inner, func() bool { return on }}
	b.AfterStep(t.Context(), nil)
	if text := b.AfterTurn(t.Context(), "t"); text != "" || inner.steps+inner.turns != 0 {
		t.Fatalf("off: %q %+v", text, inner)
	}
	on = true
	b.AfterStep(t.Context(), nil)
	if text := b.AfterTurn(t.Context(), "t"); text != "late" || inner.steps+inner.turns != 2 {
		t.Fatalf("on: %q %+v", text, inner)
	}
}
