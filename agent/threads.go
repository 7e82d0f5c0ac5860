package agent

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"companion/agent/archive"
	"companion/agent/openset"
	"companion/agent/transcript"
	"companion/session"
	"companion/tools"
)

// StartThread makes an empty thread, in Options.Mode if o names none. Roots are canonical absolute paths.
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
	o.Mode = cmp.Or(o.Mode, a.o.Mode(), tools.ModeAgent)
	now := time.Now()
	info := session.Info{
		ID: transcript.NewThreadID(now), Title: o.Title, Cwd: o.Roots[0], CreatedAt: now, UpdatedAt: now, Status: session.StatusIdle,
	}
	return a.enter(info.ID, func() (*thread, error) {
		log, err := a.o.Store.Create(info)
		if err != nil {
			return nil, fmt.Errorf("thread log: %w", err)
		}
		t := a.newThread(info, log)
		t.roots, t.mode, t.model = slices.Clone(o.Roots), o.Mode, o.Model
		return t, nil
	})
}

// enter gives an open thread, or else opens it with load.
func (a *Agent) enter(id string, load func() (*thread, error)) (*thread, error) {
	t, err := a.threads.Open(id, load, func(t *thread) {
		if err := t.Close(); err != nil {
			a.o.Log.Error("thread log", "thread", id, "err", err)
		}
	})
	if errors.Is(err, openset.ErrClosed) {
		return nil, ErrClosed
	}
	return t, err
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

// open gives a thread, from the store when it is not open yet.
func (a *Agent) open(id string) (*thread, error) {
	a.settled(id)
	return a.enter(id, func() (*thread, error) { return a.load(id) })
}

func (a *Agent) load(id string) (*thread, error) {
	log, recs, err := a.o.Store.Open(id)
	if err != nil {
		return nil, archive.Error(id, err)
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
	return t, nil
}

// CloseThread lets go of a thread, after which Options.Closed hears of it and
// other processes may open it. ErrTurnRunning while it has a turn.
func (a *Agent) CloseThread(id string) error {
	if _, err := a.o.Store.Info(id); err != nil {
		return archive.Error(id, err)
	}
	return a.shut(id, func() error {
		if a.o.Closed != nil {
			a.o.Closed(id)
		}
		return nil
	})
}

// Delete removes a thread for good, after which Options.Deleted hears of it.
// ErrTurnRunning while it has a turn, ErrThreadBusy when another process has
// it open.
func (a *Agent) Delete(id string) error {
	err := a.shut(id, func() error { return a.o.Store.Delete(id) })
	if err == nil && a.o.Deleted != nil {
		a.o.Deleted(id)
	}
	return err
}

// shut closes a thread if it is open, and does then before anyone can open it.
func (a *Agent) shut(id string, then func() error) error {
	a.settled(id)
	return archive.Error(id, a.threads.Shut(id, func(t *thread) bool { return t.line.Close() }, func(t *thread, was bool) error {
		if was {
			if err := t.Close(); err != nil {
				return fmt.Errorf("thread %s: %w", id, err)
			}
		}
		return then()
	}))
}

// Rename gives a thread another title.
func (a *Agent) Rename(id, title string) error {
	return a.within(id, func(t *thread) {
		t.Emit(session.Event{Type: session.ThreadRenamed, Title: title})
	})
}

// Setup is the mode and the model of a thread that is open, each "" = the usual.
func (a *Agent) Setup(id string) (mode tools.Mode, model string) {
	if t, ok := a.threads.Get(id); ok {
		return t.view().Mode, t.modelName()
	}
	return "", ""
}

// within does f with a thread, which is open afterwards only if it was before.
func (a *Agent) within(id string, f func(t *thread)) error {
	_, was := a.threads.Get(id)
	t, err := a.open(id)
	if err != nil {
		return err
	}
	f(t)
	if was {
		return t.Err()
	}
	if err := a.CloseThread(id); err != nil && !errors.Is(err, ErrTurnRunning) {
		return err
	}
	return t.Err()
}

// Fork makes a new thread of a thread up to the end of a turn, or, where atTurn
// is "", of the last turn that has ended. The copy is open; no events are told
// of it. ErrTurnNotFound, and ErrTurnRunning for a turn that runs.
func (a *Agent) Fork(id, atTurn string) (session.Info, error) {
	now := time.Now()
	to := session.Info{ID: transcript.NewThreadID(now), CreatedAt: now, UpdatedAt: now}
	err := session.Fork(a.o.Store, id, atTurn, to)
	switch {
	case err == nil:
		return a.Resume(to.ID)
	case !errors.Is(err, session.ErrNoTurn):
		return session.Info{}, archive.Error(id, err)
	case len(a.running(id, atTurn)) > 0:
		return session.Info{}, fmt.Errorf("turn %s: %w", atTurn, ErrTurnRunning)
	}
	return session.Info{}, fmt.Errorf("turn %s: %w", atTurn, ErrTurnNotFound)
}

// Read gives the durable events of a thread after sinceSeq, at most limit of
// them (0 = all), also of a thread that another process has open. A thread that
// a crash left open is healed first, so that what its turn lacks is there too.
func (a *Agent) Read(id string, sinceSeq int64, limit int) (Transcript, error) {
	info, err := a.o.Store.Info(id)
	if err != nil {
		return Transcript{}, archive.Error(id, err)
	}
	if info.Status == session.StatusCrashed {
		if err := a.within(id, func(*thread) {}); err != nil && !errors.Is(err, ErrThreadBusy) {
			return Transcript{}, err
		}
	}
	out := Transcript{Info: info, Live: map[string]string{}}
	t, open := a.threads.Get(id)
	until := int64(-1)
	if open {
		until, out.Live = t.Now()
		out.Info = t.info()
	} else if now, err := a.o.Store.Info(id); err == nil {
		out.Info = now
	}
	out.Events, out.NextSeq, err = a.Page(id, sinceSeq, until, limit)
	if err != nil {
		return Transcript{}, err
	}
	if out.NextSeq > 0 {
		out.Live = map[string]string{}
	}
	return out, nil
}
