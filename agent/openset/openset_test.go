package openset

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sourcegraph/conc"
)

func TestOneLoadsAndTheOthersWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s Set[int]
		var wg conc.WaitGroup
		loads := 0
		for range 3 {
			wg.Go(func() {
				v, err := s.Open("a", func() (int, error) { loads++; time.Sleep(time.Second); return 7, nil }, nil)
				if v != 7 || err != nil {
					t.Errorf("%d, %v", v, err)
				}
			})
		}
		start := time.Now()
		if _, err := s.Open("b", func() (int, error) { return 1, nil }, nil); err != nil || time.Since(start) > 0 {
			t.Errorf("another id waited %v: %v", time.Since(start), err)
		}
		wg.Wait()
		if loads != 1 {
			t.Errorf("%d loads", loads)
		}
	})
}

func TestALoadThatFailsLeavesNothing(t *testing.T) {
	var s Set[int]
	bad := errors.New("bad")
	if _, err := s.Open("a", func() (int, error) { return 1, bad }, nil); !errors.Is(err, bad) {
		t.Errorf("%v", err)
	}
	if _, ok := s.Get("a"); ok {
		t.Error("it is open")
	}
}

func TestShutKeepsOthersOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s Set[int]
		one := func() (int, error) { return 1, nil }
		if _, err := s.Open("a", one, nil); err != nil {
			t.Fatal(err)
		}
		if err := s.Shut("a", func(int) bool { return false }, nil); !errors.Is(err, ErrInUse) {
			t.Errorf("in use: %v", err)
		}
		closed := false
		var wg conc.WaitGroup
		wg.Go(func() {
			err := s.Shut("a", func(int) bool { return true }, func(v int, was bool) error {
				time.Sleep(time.Second)
				closed = v == 1 && was
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		v, err := s.Open("a", func() (int, error) {
			if !closed {
				t.Error("opened before it was closed")
			}
			return 2, nil
		}, nil)
		if v != 2 || err != nil {
			t.Errorf("%d, %v", v, err)
		}
		wg.Wait()
		if err := s.Shut("never", nil, func(_ int, was bool) error {
			if was {
				t.Error("it was never open")
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
}

func TestWhatIsLoadedTooLateIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s Set[int]
		if _, err := s.Open("a", func() (int, error) { return 1, nil }, nil); err != nil {
			t.Fatal(err)
		}
		dropped := 0
		var wg conc.WaitGroup
		wg.Go(func() {
			_, err := s.Open("b", func() (int, error) { time.Sleep(time.Second); return 2, nil }, func(v int) { dropped = v })
			if !errors.Is(err, ErrClosed) {
				t.Errorf("%v", err)
			}
		})
		synctest.Wait()
		s.Closed()
		if got := s.Empty(); len(got) != 1 || got[0] != 1 {
			t.Errorf("emptied %v", got)
		}
		wg.Wait()
		if dropped != 2 || len(s.Empty()) != 0 {
			t.Errorf("dropped %d", dropped)
		}
	})
}
