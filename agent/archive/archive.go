package archive

import (
	"errors"
	"fmt"
	"slices"

	"companion/agent/openset"
	"companion/session"
)

// Errors of threads; lspbridge maps each to its wire code.
var (
	ErrThreadNotFound = errors.New("no such thread")
	ErrTurnRunning    = errors.New("a turn is running in this thread")
	ErrThreadBusy     = errors.New("the thread belongs to another process")
	ErrClosed         = errors.New("companion is shutting down")
)

// Store keeps threads; *session.Store implements it.
type Store interface {
	Create(info session.Info) (session.Log, error)
	// Open locks and replays a thread.
	Open(id string) (session.Log, []session.Record, error)
	// Read replays a thread that may be open in another process.
	Read(id string) ([]session.Record, error)
	List() ([]session.Info, error)
	// Info is one thread's line of List.
	Info(id string) (session.Info, error)
	// Delete removes a thread that no process has open.
	Delete(id string) error
}

// Transcript is what a client needs to show a thread.
type Transcript struct {
	Info   session.Info
	Events []session.Event // durable ones, in order
	// Live is the text so far of items and calls that run, by item id; of the
	// last page only.
	Live    map[string]string
	NextSeq int64 // the sinceSeq of the next page, 0 after the last
}

// Error words what a store said of a thread.
func Error(id string, err error) error {
	switch {
	case errors.Is(err, session.ErrBusy):
		return fmt.Errorf("thread %s: %w", id, ErrThreadBusy)
	case errors.Is(err, session.ErrNotFound):
		return fmt.Errorf("thread %s: %w", id, ErrThreadNotFound)
	case errors.Is(err, openset.ErrInUse):
		return fmt.Errorf("thread %s: %w", id, ErrTurnRunning)
	case errors.Is(err, openset.ErrClosed):
		return ErrClosed
	}
	return err
}

// Archive reads a store. Its methods are those of an agent.
type Archive struct{ Store Store }

// List gives a page of the threads of the store, the last changed first, and
// the cursor of the next, "" after the last. session.ErrCursor.
func (a Archive) List(q session.Query) (infos []session.Info, cursor string, err error) {
	all, err := a.Store.List()
	if err != nil {
		return nil, "", err
	}
	return session.Page(all, q)
}

// Threads lists all threads of the store, the last changed first.
func (a Archive) Threads() ([]session.Info, error) { return a.Store.List() }

// Replay gives the durable events of a thread after sinceSeq, also of a thread
// that another process has open.
func (a Archive) Replay(id string, sinceSeq int64) ([]session.Event, error) {
	recs, err := a.Store.Read(id)
	if err != nil {
		return nil, Error(id, err)
	}
	return session.Events(recs, sinceSeq), nil
}

// Page is Replay up to the event with the seq until (below 0 = all), at most
// limit of them (0 = all). next is the sinceSeq of the next page, 0 after the last.
func (a Archive) Page(id string, sinceSeq, until int64, limit int) (evs []session.Event, next int64, err error) {
	if evs, err = a.Replay(id, sinceSeq); err != nil {
		return nil, 0, err
	}
	if until >= 0 {
		evs = slices.DeleteFunc(evs, func(e session.Event) bool { return e.Seq > until })
	}
	if limit > 0 && len(evs) > limit {
		evs = evs[:limit:limit]
		next = evs[limit-1].Seq
	}
	return evs, next, nil
}
