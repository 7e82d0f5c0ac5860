package diagnostics

import (
	"context"
	"slices"
	"time"

	"companion/diagnostics/delta"
	"companion/diagnostics/lent"
	"companion/tools"
)

// How long the editor may take. Beside companion's own servers it only adds to
// what they tell; alone it must have time for what its servers tell late (the
// gopls of an editor tells of other packages after 1 s).
const (
	editorBeside = 1500 * time.Millisecond
	editorAlone  = 3 * time.Second
)

func (s *Service) editorBound() time.Duration {
	return map[bool]time.Duration{true: editorBeside, false: editorAlone}[s.usesOwn()]
}

// askEditor asks the editor about files; it never takes longer than the bound.
func (s *Service) askEditor(ctx context.Context, paths []string, others bool, bound time.Duration) *lent.Told {
	if !s.usesEditor() || len(paths) == 0 && !others {
		return &lent.Told{}
	}
	own, rest := s.lent.Await(ctx, lent.Want{Paths: paths, Others: others, Bound: bound, Served: s.HasServer})
	return &lent.Told{Own: own, Others: rest}
}

// editorBaseline notes what the editor knows of a file that is likely to be
// edited, and of others, so that what an edit causes can be told from it.
func (s *Service) editorBaseline(path string) {
	if !s.usesEditor() || s.lent.Spent() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.wg.Go(func() { s.askEditor(s.ctx, []string{path}, true, 0) })
	}
}

// elsewhere adds what the editor tells of files that were not edited.
func (s *Service) elsewhere(c *crossDelta, a *lent.Told, skip []string) {
	for _, x := range a.Others {
		if slices.Contains(skip, x.Path) || !x.Base.OK {
			continue
		}
		own, _ := s.Known(x.Path)
		x.Items = lent.Without(x.Items, own)
		d := lent.Compare(x, own, nil)
		c.fresh, c.fixed = append(c.fresh, d.Fresh...), append(c.fixed, lent.WithoutAnywhere(d.Fixed, c.fixed)...)
	}
}

// editorLate asks again, at a turn's end, for what the editor left unknown.
func (s *Service) editorLate(ctx context.Context, th *thread) []tools.Diagnostic {
	s.mu.Lock()
	paths := th.owed
	th.owed = nil
	s.mu.Unlock()
	if len(paths) == 0 || s.lent.Spent() {
		return nil
	}
	var out []tools.Diagnostic
	for _, x := range s.askEditor(ctx, paths, false, editorAlone).Own {
		if !x.Known() {
			continue
		}
		own, _ := s.Known(x.Path)
		x.Items = lent.Without(x.Items, own)
		for _, d := range delta.Counted(lent.Compare(x, own, nil).Fresh, s.worst()) {
			if s.tell(th, d) {
				out = append(out, d)
			}
		}
	}
	return out
}

// owe notes files of which the editor has not told yet.
func (s *Service) owe(th *thread, a *lent.Told) {
	s.mu.Lock()
	defer s.mu.Unlock()
	th.owed = nil
	for _, x := range a.Own {
		if x.Status == tools.Pending {
			th.owed = append(th.owed, x.Path)
		}
	}
}
