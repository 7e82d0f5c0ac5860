package app

import (
	"context"

	"companion/tools"
)

// barrier is the diagnostics feedback, unless the setting diagnostics.mode is off.
type barrier struct {
	tools.Barrier
	on func() bool
}

// AfterStep implements tools.Barrier.
func (b barrier) AfterStep(ctx context.Context, calls []tools.Finished) {
	if b.on() {
		b.Barrier.AfterStep(ctx, calls)
	}
}

// AfterTurn implements tools.Barrier.
func (b barrier) AfterTurn(ctx context.Context, thread string) string {
	if !b.on() {
		return ""
	}
	return b.Barrier.AfterTurn(ctx, thread)
}
