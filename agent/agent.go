package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/conc"

	"companion/session"
	"companion/tools"
)

// Agent keeps the threads that this process has open and runs their turns.
type Agent struct {
	o Options

	mu      sync.Mutex
	threads map[string]*thread
	turns   map[string]*Turn // reserved and running, by turn id
	closed  bool

	sinkMu sync.Mutex
	sinks  map[int]Sink
	nSinks int

	// calls owns the goroutines of tool calls, those left behind included.
	calls conc.WaitGroup
}

// New makes an agent; it does nothing before a turn starts.
func New(o Options) *Agent {
	if o.MaxSteps <= 0 {
		o.MaxSteps = 100 // settings key maxSteps (protocol.md)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	a := &Agent{o: o, threads: map[string]*thread{}, turns: map[string]*Turn{}, sinks: map[int]Sink{}}
	if o.Sink != nil {
		a.Subscribe(o.Sink)
	}
	return a
}

// Subscribe adds a sink; it hears what happens from now on until cancel.
func (a *Agent) Subscribe(s func(session.Event)) (cancel func()) {
	a.sinkMu.Lock()
	defer a.sinkMu.Unlock()
	n := a.nSinks
	a.nSinks++
	a.sinks[n] = s
	return func() {
		a.sinkMu.Lock()
		defer a.sinkMu.Unlock()
		delete(a.sinks, n)
	}
}

func (a *Agent) tell(e session.Event) {
	a.sinkMu.Lock()
	sinks := make([]Sink, 0, len(a.sinks))
	for n := range a.nSinks {
		if s, ok := a.sinks[n]; ok {
			sinks = append(sinks, s)
		}
	}
	a.sinkMu.Unlock()
	for _, s := range sinks {
		s(e)
	}
}

// StartThread makes an empty thread. Roots are canonical absolute paths.
func (a *Agent) StartThread(o ThreadOptions) (session.Info, error) {
	t, err := a.start(o)
	if err != nil {
		return session.Info{}, err
	}
	return t.info(), nil
}

func (a *Agent) start(o ThreadOptions) (*thread, error) {
	if len(o.Roots) == 0 {
		return nil, errors.New("a thread needs a working folder")
	}
	if o.Mode == "" {
		o.Mode = tools.ModeAgent
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return nil, ErrClosed
	}
	now := time.Now()
	info := session.Info{
		ID: newID("t" + now.UTC().Format("20060102-150405") + "-"), Title: o.Title, Cwd: o.Roots[0],
		CreatedAt: now, UpdatedAt: now, Status: session.StatusIdle,
	}
	log, err := a.o.Store.Create(info)
	if err != nil {
		return nil, fmt.Errorf("thread log: %w", err)
	}
	t := a.newThread(info, log)
	t.roots, t.mode, t.model = slices.Clone(o.Roots), o.Mode, o.Model
	a.threads[info.ID] = t
	return t, nil
}

// Resume opens a thread of the store for further turns. What a crash left open
// is closed: calls as aborted, the turn as stopped. A thread that is open
// already is given as it is.
func (a *Agent) Resume(id string) (session.Info, error) {
	t, err := a.open(id)
	if err != nil {
		return session.Info{}, err
	}
	return t.info(), nil
}

func (a *Agent) open(id string) (*thread, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return nil, ErrClosed
	}
	if t, ok := a.threads[id]; ok {
		return t, nil
	}
	log, recs, err := a.o.Store.Open(id)
	if err != nil {
		return nil, storeError(id, err)
	}
	t := a.newThread(session.Info{ID: id}, log)
	if err := t.Restore(recs); err != nil {
		return nil, errors.Join(fmt.Errorf("thread %s: %w", id, err), log.Close())
	}
	mode, name := t.Last()
	t.roots, t.mode, t.model = t.State.Roots, tools.Mode(mode), name
	if mode == "" {
		t.mode = tools.ModeAgent
	}
	a.threads[id] = t
	return t, nil
}

func storeError(id string, err error) error {
	switch {
	case errors.Is(err, session.ErrBusy):
		return fmt.Errorf("thread %s: %w", id, ErrThreadBusy)
	case errors.Is(err, session.ErrNotFound):
		return fmt.Errorf("thread %s: %w", id, ErrThreadNotFound)
	}
	return err
}

// Threads lists all threads of the store, the last changed first.
func (a *Agent) Threads() ([]session.Info, error) { return a.o.Store.List() }

// Replay gives the durable events of a thread after sinceSeq, also of a thread
// that another process has open.
func (a *Agent) Replay(id string, sinceSeq int64) ([]session.Event, error) {
	recs, err := a.o.Store.Read(id)
	if err != nil {
		return nil, storeError(id, err)
	}
	var out []session.Event
	for _, r := range recs {
		if r.Kind == session.KindEvent && r.Event != nil && r.Event.Seq > sinceSeq {
			out = append(out, *r.Event)
		}
	}
	return out, nil
}

// Running lists the turns that are reserved or running, the oldest first.
func (a *Agent) Running() []RunningTurn {
	var out []RunningTurn
	for _, t := range a.running("", "") {
		out = append(out, RunningTurn{
			Thread: t.thread.id, Turn: t.id, Title: t.thread.Info().Title,
			Mode: t.mode, Model: t.card.ID, Since: t.since,
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
// ends. An empty turn means the thread's, both empty every one. It is
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
		if !t.begun.Load() {
			continue // Run, when it comes, ends at once
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
	a.StopAll(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	var errs []error
	for id, t := range a.threads {
		errs = append(errs, t.Close())
		delete(a.threads, id)
	}
	return errors.Join(errs...)
}

// newID is prefix and 40 random bits, in the alphabet of ids.
func newID(prefix string) string {
	return prefix + strings.ToLower(rand.Text()[:8])
}
