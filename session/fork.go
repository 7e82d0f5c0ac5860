package session

import (
	"errors"
	"fmt"
)

// ErrNoTurn: no such turn has ended in the thread.
var ErrNoTurn = errors.New("no such turn has ended")

// Source is what Fork needs of a store; *Store implements it.
type Source interface {
	Create(info Info) (Log, error)
	Read(id string) ([]Record, error)
	Info(id string) (Info, error)
	Delete(id string) error
}

// Fork copies a thread to the id that to names: up to the end of a turn, or,
// where turn is "", of the last turn that has ended. Seqs and turn ids stay as
// they are. The thread may be open. ErrNotFound, ErrNoTurn.
func Fork(s Source, id, turn string, to Info) error {
	info, err := s.Info(id)
	if err != nil {
		return err
	}
	recs, err := s.Read(id)
	if err != nil {
		return err
	}
	recs, ok := upTo(recs, to.ID, turn)
	if !ok {
		return fmt.Errorf("turn %s: %w", turn, ErrNoTurn)
	}
	to.Title, to.Cwd, to.Status = info.Title, info.Cwd, StatusIdle
	log, err := s.Create(to)
	if err != nil {
		return fmt.Errorf("thread log: %w", err)
	}
	if err := errors.Join(log.Append(recs...), log.Close()); err != nil {
		return errors.Join(fmt.Errorf("copy of thread %s: %w", id, err), s.Delete(to.ID))
	}
	return nil
}

// Events are the durable events with a seq above since.
func Events(recs []Record, since int64) []Event {
	var out []Event
	for _, r := range recs {
		if r.Kind == KindEvent && r.Event != nil && r.Event.Seq > since {
			out = append(out, *r.Event)
		}
	}
	return out
}

// upTo gives the records of a copy of a thread under the id to: up to the end
// of a turn, or, where turn is "", of the last turn that has ended. The header
// is left out; seqs stay. ok is false where no such turn has ended.
func upTo(recs []Record, to, turn string) (out []Record, ok bool) {
	end := 0
	for i, r := range recs {
		if r.Kind != KindEvent || r.Event == nil || r.Event.Type != TurnCompleted {
			continue
		}
		if turn == "" || r.Event.Turn == turn {
			end = i + 1
		}
	}
	if end == 0 {
		return nil, turn == ""
	}
	// What is no event belongs to the event before it.
	for end < len(recs) && recs[end].Kind != KindEvent {
		end++
	}
	for _, r := range recs[:end] {
		if r.Kind == KindHeader {
			continue
		}
		r.Info = nil
		if r.Event != nil {
			e := *r.Event
			e.Thread = to
			r.Event = &e
		}
		out = append(out, r)
	}
	return out, true
}
