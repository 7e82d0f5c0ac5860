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
	start := time.Now()
	for _, w := range s.watches(th) {
		for _, path := range w.client.Files() {
			if _, fresh := w.client.Present(path); fresh || !w.client.IsOpen(path) {
				continue
			}
			_, hard := s.warm(w.in.Preset(), w.client)
			if !w.client.Answered() {
				hard = s.fixed(w.in.Preset()).Query
			}
			if left := hard - time.Since(start); left > 0 {
				wctx, cancel := context.WithTimeout(ctx, left)
				w.client.Await(wctx, path)
				cancel()
			}
		}
	}
	var errs []tools.Diagnostic
	for _, d := range s.late(th, nil) {
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
