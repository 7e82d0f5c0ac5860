package session

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/sourcegraph/conc"
)

func TestNoThreadIsGivenTwiceWhileThreadsChange(t *testing.T) {
	var infos []Info
	for i := range 10 {
		infos = append(infos, Info{ID: fmt.Sprintf("t%d", 9-i), UpdatedAt: time.Unix(int64(100-i/2), 0)}) // pairs of one time
	}
	seen := map[string]int{}
	q := Query{Limit: 3}
	for page := 0; ; page++ {
		got, cursor, err := Page(infos, q)
		if err != nil || page > 4 {
			t.Fatal(page, err)
		}
		for _, i := range got {
			seen[i.ID]++
		}
		if q.Cursor = cursor; cursor == "" {
			break
		}
		moved := got[0] // a thread of this page changes and comes to the front
		moved.UpdatedAt = time.Unix(int64(1000+page), 0)
		rest := make([]Info, 0, len(infos))
		for _, i := range infos {
			if i.ID != moved.ID {
				rest = append(rest, i)
			}
		}
		infos = append([]Info{moved}, rest...)
	}
	for i := range 10 {
		if id := fmt.Sprintf("t%d", i); seen[id] != 1 {
			t.Errorf("%s was given %d times", id, seen[id])
		}
	}
}

func TestCursorsThatNoPageGave(t *testing.T) {
	for _, c := range []string{"?", "eA", "MjAwMC0wMS0wMVQwMDowMDowMFogLi4vLi4"} {
		if _, _, err := Page(nil, Query{Cursor: c}); !errors.Is(err, ErrCursor) {
			t.Errorf("%q: %v", c, err)
		}
	}
}

func TestAForkThatCannotBeWrittenLeavesNothing(t *testing.T) {
	s := NewStore(t.TempDir())
	log, err := s.Create(Info{ID: "a", Cwd: "/w"})
	if err != nil {
		t.Fatal(err)
	}
	bad := Record{Kind: KindItem, Item: []byte("{")} // is no JSON
	if err := Fork(broken{s, bad}, "a", "", Info{ID: "b"}); err == nil {
		t.Error("a record that is no JSON was written")
	}
	if err := Fork(s, "a", "", Info{ID: "c"}); err != nil {
		t.Errorf("of a thread without turns: %v", err)
	}
	infos, err := s.List()
	if err != nil || len(infos) != 2 {
		t.Errorf("threads %+v, %v", infos, err)
	}
	if err := s.Delete("a"); !errors.Is(err, ErrBusy) {
		t.Errorf("delete of an open thread: %v", err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a", "c"} {
		if err := s.Delete(id); err != nil {
			t.Error(err)
		}
		if _, err := s.Info(id); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s is still there: %v", id, err)
		}
	}
	if err := s.Delete("../a"); !errors.Is(err, ErrNotFound) {
		t.Errorf("outside: %v", err)
	}
}

// broken reads a record that cannot be written.
type broken struct {
	*Store
	rec Record
}

func (b broken) Read(id string) ([]Record, error) {
	recs, err := b.Store.Read(id)
	return append(recs, Record{Kind: KindEvent, Event: &Event{Type: TurnCompleted}}, b.rec), err
}

func TestALookAtTheListKeepsNobodyOut(t *testing.T) {
	s := NewStore(t.TempDir())
	log, err := s.Create(Info{ID: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(log.Append(Record{Kind: KindEvent, Event: &Event{Type: TurnStarted}}), log.Close()); err != nil {
		t.Fatal(err)
	}
	var wg conc.WaitGroup
	stop := make(chan struct{})
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if i, err := s.Info("a"); err != nil || i.Status == StatusIdle {
				t.Errorf("%+v, %v", i, err)
			}
		}
	})
	for range 200 {
		log, _, err := s.Open("a")
		if err != nil {
			t.Errorf("%v", err)
			break
		}
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	wg.Wait()
}
