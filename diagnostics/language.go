package diagnostics

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"companion/diagnostics/ask"
	"companion/diagnostics/delta"
	"companion/diagnostics/lspclient"
	"companion/diagnostics/preset"
	"companion/text"
	"companion/tools"
)

// offer is what was last offered for a file.
type offer struct {
	client  []*lspclient.Client
	actions []ask.Action
}

// ErrNoServer: no language server serves the file, or none works.
var ErrNoServer = errors.New("no language server")

// Diagnostics gives what is known of the files for their present text, waiting
// to the bound where it is not known yet; without paths, of every file that a
// running server has told of.
func (s *Service) Diagnostics(ctx context.Context, paths []string, worst tools.Severity) (tools.Report, []tools.Diagnostic, error) {
	start := time.Now()
	if worst == 0 {
		worst = tools.Warning
	}
	whole := len(paths) == 0
	s.rescan()
	if whole {
		paths = s.everything()
	}
	rep := tools.Report{}
	var items []tools.Diagnostic
	var names []string
	for _, path := range paths {
		if err := s.refresh(ctx, path); err != nil {
			return tools.Report{}, nil, err
		}
		s.hold(path)
		servers := s.servers(path)
		rep.Candidates++
		status := tools.Status("")
		for _, in := range servers {
			o := s.own(ctx, in, path, s.fixed(in.Preset()).Query)
			if ctx.Err() != nil {
				return tools.Report{}, nil, ctx.Err()
			}
			status = delta.Worse(status, o.status)
			items = append(items, o.items...)
			if n := o.name(); !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
		if status == "" {
			status = tools.NoServer
		}
		if status == tools.Complete || status == tools.Unconfirmed {
			rep.Checked++
		}
		rep.Status = delta.Worse(rep.Status, status)
	}
	if whole {
		for _, c := range s.allClients() {
			cctx, cancel := context.WithTimeout(ctx, 3*time.Second)
			for _, path := range paths {
				c.AwaitPublish(cctx, path) // gopls pulls before it has told of the other packages
			}
			c.Spread(cctx, paths)
			cancel()
		}
		items = append(items, s.untold(paths)...)
	}
	if rep.Status == "" {
		rep.Status = tools.NoServer
	}
	var out []tools.Diagnostic
	for _, d := range items {
		if d.Severity <= worst {
			out = append(out, d)
		}
	}
	rep.Remaining, rep.SettleMs = len(out), time.Since(start).Milliseconds()
	rep.Text = delta.Query(rep, out, names, s.rel)
	return rep, out, nil
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
	var moved []string
	for _, path := range paths {
		info, err := os.Stat(path)
		stamp := ""
		if err == nil {
			stamp = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		}
		s.mu.Lock()
		if s.stamps[path] != stamp {
			s.stamps[path] = stamp
			moved = append(moved, path)
		}
		s.mu.Unlock()
	}
	s.ws.DiskChanged(moved...)
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

// CodeActions asks the file's servers what they offer for the range.
func (s *Service) CodeActions(ctx context.Context, path string, r text.Range, only []string) ([]tools.CodeAction, error) {
	var o offer
	var out []tools.CodeAction
	err := s.each(ctx, path, func(c *lspclient.Client) error {
		got, err := ask.CodeActions(ctx, c, path, r, only)
		for _, a := range got {
			if !ask.Below(a.Kind, only) {
				continue
			}
			a.ID = strconv.Itoa(len(out) + 1)
			o.client, o.actions = append(o.client, c), append(o.actions, a)
			out = append(out, a.CodeAction)
		}
		return err
	})
	s.mu.Lock()
	s.offers[path] = o
	s.mu.Unlock()
	if len(out) > 0 {
		err = nil
	}
	return out, err
}

// ResolveAction gives the edits of an action of the last offer for the file.
func (s *Service) ResolveAction(ctx context.Context, path, id string) ([]tools.FileEdit, error) {
	s.mu.Lock()
	o := s.offers[path]
	s.mu.Unlock()
	n, err := strconv.Atoi(id)
	if err != nil || n < 1 || n > len(o.actions) {
		return nil, fmt.Errorf("%s: there is no code action %q; ask for the code actions again", s.rel(path), id)
	}
	edits, err := ask.Edits(ctx, o.client[n-1], o.actions[n-1])
	if err != nil {
		return nil, err
	}
	for i := range edits {
		for _, p := range []*string{&edits[i].Path, &edits[i].From} {
			if *p == "" {
				continue
			}
			f, err := s.ws.Resolve(*p)
			if err != nil {
				return nil, err
			}
			*p = f.Path
		}
	}
	return edits, nil
}

// Locations looks up what stands at a position: definition, type_definition,
// implementation, references or symbols (of the file).
func (s *Service) Locations(ctx context.Context, what string, path string, pos text.Position) ([]tools.Symbol, error) {
	var out []tools.Symbol
	err := s.each(ctx, path, func(c *lspclient.Client) error {
		got, err := ask.Locations(ctx, c, what, path, pos, "")
		out = append(out, got...)
		return err
	})
	if len(out) > 0 {
		err = nil
	}
	for i := range out {
		if out[i].Name == "" {
			out[i].Name = s.named(ctx, out[i])
		}
	}
	return out, err
}

// named is the text of a symbol's range on its first line.
func (s *Service) named(ctx context.Context, sym tools.Symbol) string {
	snap, err := s.ws.Read(ctx, sym.Path)
	if err != nil {
		return ""
	}
	x := text.NewIndex(snap.Text)
	line, _, _ := strings.Cut(snap.Text[x.Offset(sym.Range.Start, text.UTF16):x.Offset(sym.Range.End, text.UTF16)], "\n")
	return line
}

// Hover gives what the servers say of a position, "" = nothing.
func (s *Service) Hover(ctx context.Context, path string, pos text.Position) (string, error) {
	var parts []string
	err := s.each(ctx, path, func(c *lspclient.Client) error {
		h, err := ask.Hover(ctx, c, path, pos)
		if h != "" {
			parts = append(parts, h)
		}
		return err
	})
	if len(parts) > 0 {
		err = nil
	}
	return strings.Join(parts, "\n\n"), err
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
