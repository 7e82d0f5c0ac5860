package rpc

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// TestAnEditorThatReadsNothingLosesWhatItMayAndIsGivenUp: what waits to be
// written is bounded.
func TestAnEditorThatReadsNothingLosesWhatItMayAndIsGivenUp(t *testing.T) {
	in, _ := io.Pipe()
	unread, out := io.Pipe()
	t.Cleanup(func() { in.Close(); unread.Close() })
	log := &lockedBuffer{}
	c := New(in, out, Options{Log: slog.New(slog.NewTextHandler(log, nil))})
	c.Start(context.Background())
	mega := strings.Repeat("x", 1<<20)
	for range 12 {
		if err := c.NotifyLossy("delta", mega); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-c.Done():
		t.Fatalf("given up for what may be left out: %v", c.Err())
	default:
	}
	var err error
	for range 100 {
		if err = c.Notify("event", mega); err != nil {
			break
		}
	}
	if !errors.Is(err, ErrClosed) {
		t.Errorf("after 100 MB that nobody reads: %v", err)
	}
	select {
	case <-c.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("the connection goes on")
	}
	log.mu.Lock()
	defer log.mu.Unlock()
	if said := log.b.String(); strings.Count(said, "reads nothing") != 1 || !strings.Contains(said, "is behind") {
		t.Errorf("log:\n%s", said)
	}
}

// TestACallOfAnEditorThatIsGoneIsStoppedNotFailed: the context of a turn ends a
// moment after the connection does.
func TestACallOfAnEditorThatIsGoneIsStoppedNotFailed(t *testing.T) {
	in, w := io.Pipe()
	c := New(in, io.Discard, Options{})
	c.Start(context.Background())
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	got := make(chan error, 1)
	go func() { got <- c.Call(ctx, "x", nil, nil) }()
	w.Close()
	<-c.Done()
	cancel()
	if err := <-got; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
