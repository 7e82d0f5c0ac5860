package diagnostics

import (
	"context"
	"fmt"
	"time"

	"companion/diagnostics/delta"
	"companion/tools"
)

// AfterTurn waits, to the hard bound, for what the turn's edits left unknown;
// new errors that the model has not heard of are the text.
func (s *Service) AfterTurn(ctx context.Context, id string) string {
	th := s.thread(id)
	s.catchUp(ctx, th, true)
	var errs []tools.Diagnostic
	for _, d := range append(s.late(th, nil), s.editorLate(ctx, th)...) {
		if d.Severity <= tools.Error {
			errs = append(errs, d)
		}
	}
	s.mu.Lock()
	th.watches = nil
	s.mu.Unlock()
	if len(errs) == 0 {
		return ""
	}
	return fmt.Sprintf("Late diagnostics, caused by edits of this turn: %s.\n%s", delta.Plural(len(errs), "new error"), delta.Listing(errs, ownLines, s.rel))
}

// catchUp waits for files that the thread's servers have not told of for their
// present text, to the hard bound at a turn's end, else to the soft one.
func (s *Service) catchUp(ctx context.Context, th *thread, end bool) {
	start := time.Now()
	for _, w := range s.watches(th) {
		soft, hard := s.warm(w.in.Preset(), w.client)
		bound := soft
		switch {
		case end && !w.client.Answered() && w.client.Spent():
			continue // the edit's result says that nothing is known
		case end && !w.client.Answered():
			bound = s.fixed(w.in.Preset()).Cold
		case end:
			bound = hard
		}
		for _, path := range w.client.Files() {
			if _, fresh := w.client.Present(path); fresh || !w.client.IsOpen(path) {
				continue
			}
			if left := bound - time.Since(start); left > 0 {
				wctx, cancel := context.WithTimeout(ctx, left)
				w.client.Await(wctx, path)
				cancel()
			}
		}
	}
}
