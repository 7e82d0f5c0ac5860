package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/sourcegraph/conc"

	"companion/agent/archive"
	"companion/agent/openset"
	"companion/agent/transcript"
	"companion/session"
	"companion/tools"
)

// Agent keeps the threads that this process has open and runs their turns.
type Agent struct {
	archive.Archive
	o Options

	threads openset.Set[*thread]

	mu     sync.Mutex
	turns  map[string]*Turn // reserved, waiting and running, by turn id
	closed bool

	editor atomic.Pointer[EditorState] // what the editor last said

	sinks transcript.Sinks

	// calls owns the goroutines of tool calls, those that are left behind
	// included.
	calls conc.WaitGroup
}

// New makes an agent; it does nothing before a turn starts.
func New(o Options) *Agent {
	if o.MaxSteps <= 0 {
		o.MaxSteps = 100 // settings key maxSteps (protocol.md)
	}
	if o.Mode == nil {
		o.Mode = func() tools.Mode { return tools.ModeAgent }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.CompactAt <= 0 {
		o.CompactAt = 80 // settings key compactAt
	}
	a := &Agent{Archive: archive.Archive{Store: o.Store}, o: o, turns: map[string]*Turn{}}
	if o.Sink != nil {
		a.Subscribe(o.Sink)
	}
	return a
}

// Subscribe adds a sink; it hears what happens from now on until cancel.
func (a *Agent) Subscribe(s func(session.Event)) (cancel func()) { return a.sinks.Add(s) }

// Running lists the turns that are reserved, waiting or running, the oldest
// first.
func (a *Agent) Running() []RunningTurn {
	var out []RunningTurn
	for _, t := range a.running("", "") {
		if t.compaction {
			continue
		}
		out = append(out, RunningTurn{
			Thread: t.thread.id, Turn: t.id, Title: t.thread.Info().Title,
			Mode: t.thread.now(), Model: t.card.ID, Since: t.since,
		})
	}
	return out
}

// running gives the turns of a thread, or the one turn, or all.
func (a *Agent) running(thread, turn string) []*Turn {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []*Turn
	for id, t := range a.turns {
		if (thread == "" || t.thread.id == thread) && (turn == "" || id == turn) {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(x, y *Turn) int {
		if c := x.since.Compare(y.since); c != 0 {
			return c
		}
		return strings.Compare(x.id, y.id)
	})
	return out
}

// Stop ends running turns and returns after their turn.completed, or when ctx
// ends. An empty turn means the thread's, both empty every one. A turn that has
// not begun, reserved or waiting, is told as turn.started and turn.completed
// all the same, here and once: its Run, when it comes, returns at once. It is
// ErrTurnNotFound when a named turn is not running.
func (a *Agent) Stop(ctx context.Context, thread, turn string) error {
	turns := a.running(thread, turn)
	if len(turns) == 0 && turn != "" {
		return fmt.Errorf("turn %s: %w", turn, ErrTurnNotFound)
	}
	return stop(ctx, turns)
}

// StopAll stops every turn and gives their ids.
func (a *Agent) StopAll(ctx context.Context) []string {
	turns := a.running("", "")
	ids := make([]string, len(turns))
	for i, t := range turns {
		ids[i] = t.id
	}
	if err := stop(ctx, turns); err != nil {
		a.o.Log.Warn("turns did not end in time", "turns", ids, "err", err)
	}
	return ids
}

func stop(ctx context.Context, turns []*Turn) error {
	for _, t := range turns {
		t.cancel(tools.ErrStopped)
	}
	for _, t := range turns {
		if t.state.CompareAndSwap(reserved, ended) {
			t.never()
		}
		select {
		case <-t.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Close stops every turn, closes every log and lets no new turn start.
func (a *Agent) Close(ctx context.Context) error {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.threads.Closed()
	a.StopAll(ctx)
	var errs []error
	for _, t := range a.threads.Empty() {
		errs = append(errs, t.Close())
	}
	return errors.Join(errs...)
}

// record gives what calls changed to the recorder.
func (a *Agent) record() func(thread, turn, call string, changed []tools.Change) error {
	if a.o.Recorder == nil {
		return nil
	}
	return a.o.Recorder.Record
}
