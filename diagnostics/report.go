package diagnostics

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"companion/diagnostics/delta"
	"companion/diagnostics/lspclient"
	"companion/diagnostics/preset"
	"companion/tools"
)

// How much is listed before counts take over.
const (
	ownLines   = 10
	otherLines = 3
)

// report fills in one writer's report and appends its text to the result.
func (s *Service) report(r *tools.Result, th *thread, own []*target, cross *crossDelta, took time.Duration) {
	rep := &tools.Report{SettleMs: took.Milliseconds()}
	var b strings.Builder
	if len(own) == 0 {
		b.WriteString("Edit applied. A later edit of this step changed the same file; its diagnostics follow there.")
		rep.Status = tools.Complete
	}
	for _, t := range own {
		s.ownText(&b, rep, th, t)
	}
	if cross != nil && rep.Status != tools.NoServer && rep.Status != "" {
		s.crossText(&b, rep, th, cross)
	}
	if rep.Status == "" {
		rep.Status = tools.NoServer
	}
	rep.Text = b.String()
	r.Report = rep
	if rep.Text != "" {
		r.Text = strings.TrimRight(r.Text, "\n") + "\n\n" + rep.Text
	}
}

// ownText tells of one edited file.
func (s *Service) ownText(b *strings.Builder, rep *tools.Report, th *thread, t *target) {
	if len(t.outcomes) == 0 {
		return
	}
	var all delta.Delta
	unknown, silent := false, false
	status := tools.Status("")
	var names []string
	for i, o := range t.outcomes {
		rep.Candidates++
		status = delta.Worse(status, o.status)
		names, silent = append(names, o.name()), silent || o.why != ""
		if o.status != tools.Complete && o.status != tools.Unconfirmed {
			continue
		}
		rep.Checked++
		unknown, silent = unknown || !t.base[i].OK, silent || o.method == lspclient.Silence
		d := delta.Compare(delta.Known{Items: delta.Counted(t.base[i].Items), Text: t.base[i].Text, OK: true},
			delta.Known{Items: delta.Counted(o.items), Text: t.after, OK: true})
		all.Fresh, all.Fixed, all.Remaining = append(all.Fresh, d.Fresh...), append(all.Fixed, d.Fixed...), all.Remaining+d.Remaining
	}
	rep.Status = delta.Worse(rep.Status, status)
	all.Fresh = delta.Counted(all.Fresh)
	rep.New, rep.Fixed, rep.Remaining = append(rep.New, all.Fresh...), append(rep.Fixed, all.Fixed...), rep.Remaining+all.Remaining
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "Edit applied. Diagnostics (%s): %s", strings.Join(names, "; "), delta.Summary(status, all, unknown, silent))
	s.forget(th, all.Fixed)
	for _, d := range all.Fresh {
		s.tell(th, d)
	}
	for _, line := range delta.Lines(all.Fresh, ownLines, s.rel) {
		b.WriteString("\n" + line)
	}
}

func (s *Service) crossText(b *strings.Builder, rep *tools.Report, th *thread, c *crossDelta) {
	rep.Checked, rep.Candidates = rep.Checked+c.checked, rep.Candidates+c.candidates
	if c.status == tools.Partial && rep.Status == tools.Complete {
		rep.Status = tools.Partial
	}
	fresh, fixed := delta.Counted(c.fresh), delta.Counted(c.fixed)
	s.forget(th, fixed)
	for _, d := range fresh {
		s.tell(th, d)
	}
	rep.New, rep.Fixed = append(rep.New, fresh...), append(rep.Fixed, fixed...)
	partial := ""
	if c.status == tools.Partial {
		partial = fmt.Sprintf("%d of %d other files checked", c.checked, c.candidates)
	}
	if c.unknown && len(fresh) > 0 {
		partial = strings.TrimPrefix(partial+"; which of them were there before is not known", "; ")
	}
	b.WriteString(delta.Others(fresh, fixed, partial))
	if text := delta.Listing(fresh, otherLines, s.rel); text != "" {
		b.WriteString("\n" + text)
	}
}

// rel is the path as the model reads it: from the root that holds it.
func (s *Service) rel(path string) string {
	best := path
	for _, root := range s.ws.Roots() {
		if preset.Within(path, root) {
			if r, err := filepath.Rel(root, path); err == nil && len(r) < len(best) {
				best = filepath.ToSlash(r)
			}
		}
	}
	return best
}

func addLate(r *tools.Result, listing string) {
	if r == nil {
		return
	}
	r.Text = strings.TrimRight(r.Text, "\n") + "\n\nNew since the last result, by an earlier edit or another program:\n" + listing
}
