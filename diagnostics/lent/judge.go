package lent

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"companion/diagnostics/delta"
	"companion/diagnostics/wire"
	"companion/text"
	"companion/tools"
)

// round is one answer of the editor being judged.
type round struct {
	s     *Source
	w     Want
	texts map[string]string // what was asked about
	took  time.Duration
}

// judge gives what is believed; changed are files whose text is another by now.
func (r round) judge(ctx context.Context, asked []File, items []Item, late bool, err error) (own, others []Answer, changed []string) {
	byPath := map[string]Item{}
	for _, it := range items {
		if _, twice := byPath[it.Path]; twice {
			it.Wrong = "it told of the file twice"
		}
		byPath[it.Path] = it
	}
	for _, f := range asked {
		it, told := byPath[f.Path]
		delete(byPath, f.Path)
		switch {
		case late:
			own = append(own, r.pending(f.Path, "it did not answer"))
		case errors.Is(err, ErrNotOffered):
		case err != nil:
			own = append(own, r.pending(f.Path, tools.OneLine(wire.Visible(err.Error()))))
		case !told:
			own = append(own, r.pending(f.Path, "its answer leaves the file out"))
		case !r.present(ctx, f.Path):
			changed = append(changed, f.Path)
		default:
			own = append(own, r.file(f, it))
		}
	}
	if err != nil || late || !r.w.Others {
		return own, nil, changed
	}
	return own, r.others(ctx, byPath), changed
}

// present says whether the file still is what was asked about.
func (r round) present(ctx context.Context, path string) bool {
	snap, err := r.s.ws.Read(ctx, path)
	return err == nil && snap.Exists && snap.Text == r.texts[path]
}

// file judges what was told of a file that was asked about.
func (r round) file(f File, it Item) Answer {
	src := r.texts[f.Path]
	why := doubt(f.Version, it, src)
	nothing := len(it.Sources) == 0 && len(it.Diagnostics) == 0
	served := r.s.served(f.Path, nothing) || r.w.Served != nil && r.w.Served(f.Path)
	switch {
	case nothing && !served:
		return Answer{Path: f.Path, Status: tools.NoServer}
	case why != "":
		return r.pending(f.Path, why)
	case it.Freshness == Timeout:
		return r.pending(f.Path, "")
	}
	a := Answer{Path: f.Path, Status: tools.Unconfirmed, Items: placed(it.Diagnostics, src), Text: src}
	// Silence is no answer, and who names no version vouches for none.
	if it.Freshness == Fresh && len(it.Sources) > 0 && (f.Version == nil || it.Version != nil) {
		a.Status = tools.Complete
	}
	a.Base = r.s.roll(f.Path, a, nothing, true)
	a.Name = fmt.Sprintf("%s, %s, %d ms", name(it.Sources), a.Status, r.took.Milliseconds())
	return a
}

// doubt says why an item is not of the text, "" = it may be.
func doubt(version *int32, it Item, src string) string {
	switch {
	case it.Wrong != "":
		return it.Wrong
	case it.Freshness == Stale:
		return "what it has is of an older text"
	case version != nil && it.Version != nil && *version != *it.Version:
		return fmt.Sprintf("what it has is of version %d, the text is at %d", *it.Version, *version)
	}
	lines := text.NewIndex(src).Lines()
	for _, d := range it.Diagnostics {
		if d.Range.Start.Line >= lines || d.Range.Start.Line < 0 {
			return fmt.Sprintf("it told of line %d of %d", d.Range.Start.Line+1, lines)
		}
	}
	return ""
}

// others are files that were not asked about. In the first answer they have no
// Base.
func (r round) others(ctx context.Context, told map[string]Item) []Answer {
	s := r.s
	s.mu.Lock()
	first := !s.whole
	s.whole = true
	var gone []string
	for path, l := range s.lists {
		if _, asked := r.texts[path]; !asked && len(l) > 0 && len(l[len(l)-1].Items) > 0 {
			if _, ok := told[path]; !ok {
				gone = append(gone, path)
			}
		}
	}
	s.mu.Unlock()
	for _, path := range gone {
		told[path] = Item{Path: path, Freshness: Settled}
	}
	var out []Answer
	for path, it := range told {
		snap, err := s.ws.Read(ctx, path)
		if err != nil || !snap.Exists || it.Freshness == Timeout || doubt(snap.Version, it, snap.Text) != "" {
			continue
		}
		a := Answer{Path: path, Status: tools.Unconfirmed, Items: placed(it.Diagnostics, snap.Text), Text: snap.Text}
		a.Base = s.roll(path, a, false, false)
		if !a.Base.OK && !first {
			a.Base = delta.Known{Text: snap.Text, OK: true} // it told of none before
		}
		out = append(out, a)
	}
	return out
}

// roll notes what is believed now and gives what was believed before; of a file
// that was edited, what was believed of another text. Silence begins no list.
func (s *Source) roll(path string, a Answer, silence, edited bool) delta.Known {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.lists[path]
	base := delta.Known{}
	for _, l := range old {
		if !edited || l.Text != a.Text {
			base = l
		}
	}
	if len(old) > 0 || !silence {
		old = append(old, delta.Known{Items: a.Items, Text: a.Text, OK: true})
	}
	s.lists[path] = old[max(0, len(old)-kept):]
	return base
}

// served counts how often nothing was told of such files.
func (s *Source) served(path string, nothing bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	ext := filepath.Ext(path)
	switch {
	case !nothing:
		s.seen[ext] = 1
	case s.seen[ext] <= 0:
		s.seen[ext]--
	}
	return s.seen[ext] > 0
}

// Last is what was last believed of a file, for the editor's own code actions.
func (s *Source) Last(path string) []tools.Diagnostic {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.lists[path]; len(l) > 0 {
		return l[len(l)-1].Items
	}
	return nil
}

func (r round) pending(path, why string) Answer {
	name := fmt.Sprintf("editor, not known yet after %d ms", r.took.Milliseconds())
	if why != "" {
		name += ": " + why
	}
	return Answer{Path: path, Status: tools.Pending, Name: name}
}

func placed(items []tools.Diagnostic, src string) []tools.Diagnostic {
	x := text.NewIndex(src)
	out := make([]tools.Diagnostic, 0, len(items))
	for _, d := range items {
		d.Server, d.Range = Server, wire.Clamp(d.Range, x)
		out = append(out, d)
	}
	return out
}

// name is which of the editor's servers told it.
func name(sources []string) string {
	const most = 60
	joined := tools.OneLine(wire.Visible(strings.Join(sources, "+")))
	if r := []rune(joined); len(r) > most {
		joined = string(r[:most]) + "…"
	}
	if joined == "" {
		return "editor"
	}
	return "editor's " + joined
}
