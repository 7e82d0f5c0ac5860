package diagnostics

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sourcegraph/conc"

	"companion/diagnostics/delta"
	"companion/diagnostics/lent"
	"companion/diagnostics/lspclient"
	"companion/diagnostics/preset"
	"companion/tools"
)

// ErrNoServer: no language server serves the file, or none works.
var ErrNoServer = errors.New("no language server")

// Diagnostics gives what is known of the files for their present text, waiting
// to the bound where it is not known yet; without paths, of every file that a
// running server has told of.
func (s *Service) Diagnostics(ctx context.Context, paths []string, worst tools.Severity) (tools.Report, []tools.Diagnostic, error) {
	start := time.Now()
	if worst == 0 {
		worst = s.worst()
	}
	whole := len(paths) == 0
	s.rescan()
	if whole {
		paths = s.everything()
	}
	var editor *lent.Told
	var wg conc.WaitGroup
	wg.Go(func() { editor = s.askEditor(ctx, paths, whole, s.editorBound()) })
	ours, err := s.askOwn(ctx, paths)
	wg.Wait()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		return tools.Report{}, nil, err
	}
	items, rep, names := ours.Merged(paths, editor)
	if whole {
		more := s.elsewhereOwn(ctx, paths)
		for _, x := range editor.Others {
			more = append(more, lent.Without(x.Items, more)...)
		}
		items = append(items, more...)
	}
	var out []tools.Diagnostic
	for _, d := range items {
		if d.Severity <= worst {
			out = append(out, d)
		}
	}
	rep.Remaining, rep.SettleMs = len(out), time.Since(start).Milliseconds()
	rep.Text = delta.Query(rep, out, len(items)-len(out), names, s.rel)
	return rep, out, nil
}

// askOwn waits for companion's own servers, one file after another.
func (s *Service) askOwn(ctx context.Context, paths []string) (lent.Ours, error) {
	t := lent.Ours{Items: map[string][]tools.Diagnostic{}, Status: map[string]tools.Status{}}
	for _, path := range paths {
		if err := s.refresh(ctx, path); err != nil {
			return t, err
		}
		if !s.usesOwn() {
			continue
		}
		s.hold(path)
		for _, in := range s.servers(path) {
			o := s.own(ctx, in, path, s.fixed(in.Preset()).Query)
			if ctx.Err() != nil {
				return t, ctx.Err()
			}
			t.Status[path] = delta.Worse(t.Status[path], o.status)
			t.Items[path] = append(t.Items[path], o.items...)
			if n := o.name(); !slices.Contains(t.Names, n) {
				t.Names = append(t.Names, n)
			}
		}
	}
	return t, nil
}

// elsewhereOwn is what companion's own servers tell of other files.
func (s *Service) elsewhereOwn(ctx context.Context, paths []string) []tools.Diagnostic {
	for _, c := range s.allClients() {
		cctx, cancel := context.WithTimeout(ctx, 3*time.Second)
		for _, path := range paths {
			c.AwaitPublish(cctx, path) // gopls pulls before it has told of the other packages
		}
		c.Spread(cctx, paths)
		cancel()
	}
	return s.untold(paths)
}

// refresh has the servers see what another program did to the file on disk.
func (s *Service) refresh(ctx context.Context, path string) error {
	snap, err := s.ws.Read(ctx, path)
	if err != nil {
		return err
	}
	if !snap.Exists {
		return fmt.Errorf("%s: there is no such file", path)
	}
	return nil
}

// everything are the files that servers hold. A project of a root that no
// server holds a file of gets one by a sample, so that servers that look at
// whole projects (gopls) do.
func (s *Service) everything() []string {
	var out []string
	for _, c := range s.allClients() {
		for _, path := range c.Files() {
			if c.IsOpen(path) && !slices.Contains(out, path) {
				out = append(out, path)
			}
		}
	}
	for _, root := range s.ws.Roots() {
		for _, p := range s.table() {
			held := slices.ContainsFunc(out, func(path string) bool { return p.Language(path) != "" && preset.Within(path, root) })
			if !held && len(p.Marks(root)) > 0 {
				if path := p.Sample(root); path != "" {
					out = append(out, path)
				}
			}
		}
	}
	return out
}

// rescan has the workspace look at what other programs may have done to the
// files that servers depend on: those they hold, and project files.
func (s *Service) rescan() {
	s.mu.Lock()
	var paths []string
	for path := range s.held {
		paths = append(paths, path)
	}
	for _, in := range s.instances {
		paths = append(paths, in.Preset().Marks(in.Root())...)
	}
	s.mu.Unlock()
	s.ws.DiskChanged(s.stamps.Moved(paths)...)
}

// untold are problems of files that are not open at any server.
func (s *Service) untold(skip []string) []tools.Diagnostic {
	var out []tools.Diagnostic
	for _, c := range s.allClients() {
		for _, path := range c.Files() {
			if slices.Contains(skip, path) || c.IsOpen(path) {
				continue
			}
			items, _ := c.Present(path)
			out = append(out, items...)
		}
	}
	return out
}

func (s *Service) allClients() []*lspclient.Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*lspclient.Client
	for _, in := range s.instances {
		if c := in.Now(); c != nil {
			out = append(out, c)
		}
	}
	return out
}

// each asks the file's servers one after another, the file's present text in
// their hands. It waits for one that is starting to the query bound.
func (s *Service) each(ctx context.Context, path string, f func(*lspclient.Client) error) error {
	if !s.HasServer(path) {
		return fmt.Errorf("%s: %w is known for files of this kind", s.rel(path), ErrNoServer)
	}
	s.hold(path)
	var errs []error
	for _, in := range s.servers(path) {
		cctx, cancel := context.WithTimeout(ctx, s.fixed(in.Preset()).Query)
		c, err := in.Wait(cctx)
		cancel()
		if err == nil {
			s.present(c, path)
			err = f(c)
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
