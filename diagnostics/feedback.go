package diagnostics

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/sourcegraph/conc/pool"

	"companion/diagnostics/batch"
	"companion/diagnostics/delta"
	"companion/diagnostics/lent"
	"companion/diagnostics/lspclient"
	"companion/diagnostics/supervise"
	"companion/tools"
)

// target is one file that the step changed, and what was said of it.
type target struct {
	*batch.File
	outcomes []outcome
	base     []delta.Known // by outcome
	editor   *lent.Told    // of the step
}

// thread is what the model of one thread was told.
type thread struct {
	told    map[string]bool // identity and path of problems that it has heard of
	watches []watch
	owed    []string // files of which the editor has not told yet
}

// watch is a server that the latest edits concerned: what it tells later
// is due to that edit.
type watch struct {
	in     *supervise.Server
	client *lspclient.Client
	since  uint64 // sequence number of the step's first edit
}

// AfterStep waits for what the edits of a step did to the diagnostics and adds
// it to the results: each file's own to its last writer, other files' to the
// step's last writer.
func (s *Service) AfterStep(ctx context.Context, calls []tools.Finished) {
	start := time.Now()
	if len(calls) == 0 {
		return
	}
	changed, last := batch.Files(calls)
	var targets []*target
	for _, f := range changed {
		targets = append(targets, &target{File: f})
	}
	th := s.thread(calls[0].Inv.Call.Thread)
	if slices.ContainsFunc(calls, batch.RanCommand) {
		s.rescan()
		s.catchUp(ctx, th, false)
	}
	if late := s.late(th, pathsOf(targets)); len(late) > 0 {
		batch.AddLate(calls[len(calls)-1].Result, delta.Listing(late, ownLines, s.rel))
	}
	if len(targets) == 0 {
		for _, path := range batch.Reads(calls) {
			s.editorBaseline(path)
		}
		return
	}
	s.mu.Lock()
	th.watches = nil // what came late of them was told just now
	s.mu.Unlock()
	editor := s.settle(ctx, th, targets)
	for i := range calls {
		var own []*target
		moved := false
		for _, t := range targets {
			switch {
			case t.Call == i:
				own = append(own, t)
			case batch.Changes(calls[i].Result, t.Path):
				moved = true
			}
		}
		if len(own) == 0 && !moved {
			continue
		}
		var cross *crossDelta
		if i == last {
			cross = s.cross(ctx, th, targets)
			s.elsewhere(cross, editor, pathsOf(targets))
		}
		s.report(calls[i].Result, th, own, cross, time.Since(start))
		calls[i].Inv.Settled = time.Since(start)
	}
}

// settle waits for what all servers say of the targets.
func (s *Service) settle(ctx context.Context, th *thread, targets []*target) *lent.Told {
	editor := &lent.Told{}
	p := pool.New().WithMaxGoroutines(8)
	var mu sync.Mutex
	var present []string
	for _, t := range targets {
		t.editor = editor
		if t.Deleted {
			continue
		}
		present = append(present, t.Path)
		if !s.usesOwn() {
			continue
		}
		for _, in := range s.servers(t.Path) {
			s.hold(t.Path)
			p.Go(func() {
				base, since := s.baseline(ctx, in, t)
				o := s.own(ctx, in, t.Path, s.fixed(in.Preset()).Cold)
				if !base.OK || since > 0 {
					if b, seq := batch.Recall(o.client, t.File); b.OK {
						base, since = b, seq
					}
				}
				if since == 0 && o.client != nil {
					since = o.client.Now() + 1 // it was not there before the edit
				}
				mu.Lock()
				t.outcomes, t.base = append(t.outcomes, o), append(t.base, base)
				mu.Unlock()
				s.watch(th, watch{in, o.client, since})
			})
		}
	}
	if s.usesEditor() {
		p.Go(func() { *editor = *s.askEditor(ctx, present, true, s.editorBound()) })
	}
	p.Wait()
	s.owe(th, editor)
	return editor
}

func pathsOf(targets []*target) []string {
	var out []string
	for _, t := range targets {
		out = append(out, t.Path)
	}
	return out
}

func (s *Service) hold(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held[path] = true
}

func (s *Service) thread(id string) *thread {
	s.mu.Lock()
	defer s.mu.Unlock()
	th := s.threads[id]
	if th == nil {
		th = &thread{told: map[string]bool{}}
		s.threads[id] = th
	}
	return th
}

func (s *Service) watch(th *thread, w watch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.client == nil {
		return
	}
	for i := range th.watches {
		if th.watches[i].client == w.client {
			th.watches[i].since = min(th.watches[i].since, w.since)
			return
		}
	}
	th.watches = append(th.watches, w)
}

func (s *Service) watches(th *thread) []watch {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(th.watches)
}

// baseline makes sure that the server knew the text before the edit, where it
// is warm and had not been told of the file: it is shown the old text first.
func (s *Service) baseline(ctx context.Context, in *supervise.Server, t *target) (delta.Known, uint64) {
	c := in.Now()
	if t.Created {
		return delta.Known{OK: true}, batch.Now(c)
	}
	if c == nil || c.IsOpen(t.Path) || !c.Answered() {
		return delta.Known{}, batch.Now(c)
	}
	soft, _ := s.warm(in.Preset(), c)
	ctx, cancel := context.WithTimeout(ctx, soft)
	defer cancel()
	c.Sync(t.Path, t.Before)
	a := c.Await(ctx, t.Path)
	since := c.Now()
	return delta.Known{Items: a.Items, Text: t.Before, OK: a.Status == tools.Complete}, since
}

// crossDelta is what the step's edits did to files that it did not edit.
type crossDelta struct {
	status              tools.Status
	checked, candidates int
	fresh, fixed        []tools.Diagnostic
	unknown             bool // some of fresh are of files of which nothing was known before
}

// cross waits for the other files of the servers concerned.
func (s *Service) cross(ctx context.Context, th *thread, targets []*target) *crossDelta {
	out := &crossDelta{status: tools.Complete}
	skip := pathsOf(targets)
	for _, w := range s.watches(th) {
		soft, _ := s.warm(w.in.Preset(), w.client)
		cctx, cancel := context.WithTimeout(ctx, soft)
		sp := w.client.Spread(cctx, skip)
		cancel()
		out.checked, out.candidates = out.checked+sp.Checked, out.candidates+sp.Candidates
		if !sp.Complete {
			out.status = tools.Partial
		}
		d, unknown := others(w, skip)
		out.unknown = out.unknown || unknown
		out.fresh, out.fixed = append(out.fresh, d.Fresh...), append(out.fixed, d.Fixed...)
	}
	return out
}

// others compares every file of a watch but those of skip with what was known
// before the edit. unknown: nothing was known of a file that has problems now,
// and its server tells of such files only when it is asked.
func others(w watch, skip []string) (out delta.Delta, unknown bool) {
	for _, path := range w.client.Files() {
		if slices.Contains(skip, path) {
			continue
		}
		_, lists := w.client.History(path)
		old := delta.Known{}
		for _, l := range lists {
			if l.Seq < w.since {
				old = delta.Known{Items: l.Items, Text: l.Text, OK: true}
			}
		}
		items, fresh := w.client.Present(path)
		if !fresh {
			continue
		}
		src, _, open := w.client.Document(path)
		unknown = unknown || !old.OK && len(items) > 0 && w.in.Preset().Profile.Tsserver
		if !open || !old.OK {
			old.Text, src = "", ""
		}
		d := delta.Compare(old, delta.Known{Items: items, Text: src, OK: true})
		out.Fresh, out.Fixed, out.Remaining = append(out.Fresh, d.Fresh...), append(out.Fixed, d.Fixed...), out.Remaining+d.Remaining
	}
	return out, unknown
}

// late finds problems that servers told after their edit was reported.
func (s *Service) late(th *thread, skip []string) []tools.Diagnostic {
	var out []tools.Diagnostic
	for _, w := range s.watches(th) {
		other, _ := others(w, skip)
		for _, d := range delta.Counted(other.Fresh, s.worst()) {
			if s.tell(th, d) {
				out = append(out, d)
			}
		}
	}
	return out
}

// tell notes that the model hears of d; false when it has before.
func (s *Service) tell(th *thread, d tools.Diagnostic) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := d.Path + "\x00" + delta.Identity(d)
	if th.told[k] {
		return false
	}
	th.told[k] = true
	return true
}

// forget takes back that the model heard of problems that are gone, so that it
// hears of them when they come again.
func (s *Service) forget(th *thread, fixed []tools.Diagnostic) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range fixed {
		delete(th.told, d.Path+"\x00"+delta.Identity(d))
	}
}
