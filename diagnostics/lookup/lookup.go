package lookup

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"companion/diagnostics/ask"
	"companion/diagnostics/lspclient"
	"companion/text"
	"companion/tools"
	"companion/workspace"
)

// Options of New. All fields are required.
type Options struct {
	Workspace *workspace.Workspace
	// Each calls f for the file's servers one after another, the file's present
	// text in their hands, and joins the errors.
	Each func(ctx context.Context, path string, f func(*lspclient.Client) error) error
	// Running are the servers that run; Rel is a path as a person reads it.
	Running func() []*lspclient.Client
	Rel     func(path string) string
}

// Lookup asks the servers of files. Paths are canonical, positions utf-16.
type Lookup struct {
	o Options

	mu     sync.Mutex
	offers map[string]offer
}

// offer is what was last offered for a file.
type offer struct {
	client  []*lspclient.Client
	actions []ask.Action
}

// New gives a Lookup that remembers offers of code actions.
func New(o Options) *Lookup { return &Lookup{o: o, offers: map[string]offer{}} }

// CodeActions asks the file's servers what they offer for the range.
func (l *Lookup) CodeActions(ctx context.Context, path string, r text.Range, only []string) ([]tools.CodeAction, error) {
	var o offer
	var out []tools.CodeAction
	err := l.o.Each(ctx, path, func(c *lspclient.Client) error {
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
	l.mu.Lock()
	l.offers[path] = o
	l.mu.Unlock()
	if len(out) > 0 {
		err = nil
	}
	return out, err
}

// ResolveAction gives the edits of an action of the last offer for the file.
func (l *Lookup) ResolveAction(ctx context.Context, path, id string) ([]tools.FileEdit, error) {
	l.mu.Lock()
	o := l.offers[path]
	l.mu.Unlock()
	n, err := strconv.Atoi(id)
	if err != nil || n < 1 || n > len(o.actions) {
		return nil, fmt.Errorf("%s: there is no code action %q; ask for the code actions again", l.o.Rel(path), id)
	}
	edits, err := ask.Edits(ctx, o.client[n-1], o.actions[n-1])
	if err != nil {
		return nil, err
	}
	return l.canonical(edits)
}

// canonical spells the paths of edits as the workspace does.
func (l *Lookup) canonical(edits []tools.FileEdit) ([]tools.FileEdit, error) {
	for i := range edits {
		for _, p := range []*string{&edits[i].Path, &edits[i].From} {
			if *p == "" {
				continue
			}
			f, err := l.o.Workspace.Resolve(*p)
			if err != nil {
				return nil, err
			}
			*p = f.Path
		}
	}
	return edits, nil
}

// Locations looks up what stands at a position: definition, type_definition,
// implementation, references, callers or symbols (of the file).
func (l *Lookup) Locations(ctx context.Context, what, path string, pos text.Position) ([]tools.Symbol, error) {
	return l.places(ctx, path, func(c *lspclient.Client) ([]tools.Symbol, error) {
		if what == "callers" {
			return ask.Callers(ctx, c, path, pos)
		}
		return ask.Locations(ctx, c, what, path, pos, "")
	})
}

// Find looks for symbols by a part of their name in the projects of the servers
// of path, "" = of all that run.
func (l *Lookup) Find(ctx context.Context, query, path string) ([]tools.Symbol, error) {
	find := func(c *lspclient.Client) ([]tools.Symbol, error) {
		return ask.Locations(ctx, c, "workspace_symbols", path, text.Position{}, query)
	}
	if path != "" {
		return l.places(ctx, path, find)
	}
	var out []tools.Symbol
	var failed error
	for _, c := range l.o.Running() {
		got, err := find(c)
		out = append(out, got...)
		if err != nil {
			failed = fmt.Errorf("%s: %w", c.Name(), err)
		}
	}
	if len(out) > 0 {
		failed = nil
	}
	return out, failed
}

func (l *Lookup) places(ctx context.Context, path string, f func(*lspclient.Client) ([]tools.Symbol, error)) ([]tools.Symbol, error) {
	var out []tools.Symbol
	err := l.o.Each(ctx, path, func(c *lspclient.Client) error {
		got, err := f(c)
		out = append(out, got...)
		return err
	})
	if len(out) > 0 {
		err = nil
	}
	for i := range out {
		if out[i].Name == "" {
			out[i].Name = l.named(ctx, out[i])
		}
	}
	return out, err
}

// named is the text of a symbol's range on its first line.
func (l *Lookup) named(ctx context.Context, sym tools.Symbol) string {
	snap, err := l.o.Workspace.Read(ctx, sym.Path)
	if err != nil {
		return ""
	}
	x := text.NewIndex(snap.Text)
	start := x.Offset(sym.Range.Start, text.UTF16)
	line, _, _ := strings.Cut(snap.Text[start:max(start, x.Offset(sym.Range.End, text.UTF16))], "\n")
	return line
}

// Hover gives what the servers say of a position, "" = nothing.
func (l *Lookup) Hover(ctx context.Context, path string, pos text.Position) (string, error) {
	var parts []string
	err := l.o.Each(ctx, path, func(c *lspclient.Client) error {
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

// Rename gives the edits that rename what stands at a position, of the first
// server that can.
func (l *Lookup) Rename(ctx context.Context, path string, pos text.Position, name string) ([]tools.FileEdit, error) {
	return l.first(ctx, path, func(c *lspclient.Client) ([]tools.FileEdit, error) { return ask.Rename(ctx, c, path, pos, name) })
}

// Format gives the edits of the first server that formats the file; none = it
// stands as the server would have it.
func (l *Lookup) Format(ctx context.Context, path string) ([]tools.FileEdit, error) {
	return l.first(ctx, path, func(c *lspclient.Client) ([]tools.FileEdit, error) { return ask.Format(ctx, c, path) })
}

// first gives the edits of the first server that does not fail.
func (l *Lookup) first(ctx context.Context, path string, f func(*lspclient.Client) ([]tools.FileEdit, error)) ([]tools.FileEdit, error) {
	var out []tools.FileEdit
	done := false
	err := l.o.Each(ctx, path, func(c *lspclient.Client) error {
		if done {
			return nil
		}
		edits, err := f(c)
		if err == nil {
			out, done = edits, true
		}
		return err
	})
	if !done {
		return nil, err
	}
	return l.canonical(out)
}
