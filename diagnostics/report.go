package diagnostics

import (
	"fmt"
	"strings"
	"time"

	"companion/diagnostics/delta"
	"companion/diagnostics/lent"
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
	var all delta.Delta
	unknown, silent, checked := false, false, 0
	status := tools.Status("")
	var names []string
	var own, was []tools.Diagnostic
	for i, o := range t.outcomes {
		status = delta.Worse(status, o.status)
		names, silent = append(names, o.name()), silent || o.why != ""
		if o.status != tools.Complete && o.status != tools.Unconfirmed {
			continue
		}
		checked++
		own, was = append(own, o.items...), append(was, t.base[i].Items...)
		unknown, silent = unknown || !t.base[i].OK, silent || o.method == lspclient.Silence
		all = all.Add(delta.Between(s.worst(), delta.Known{Items: t.base[i].Items, Text: t.base[i].Text, OK: true}, delta.Known{Items: o.items, Text: t.After, OK: true}))
	}
	if x, ok := t.editor.Of(t.Path, own); ok {
		names, status = append(names, x.Name), lent.Joined(status, x.Status)
		if x.Known() {
			checked++
			d := lent.Compare(x, own, was).Told(s.worst())
			unknown = unknown || !x.Base.OK && len(x.Items) > 0
			all = all.Add(d)
		}
	}
	if len(names) == 0 {
		return
	}
	rep.Candidates, rep.Checked = rep.Candidates+len(names), rep.Checked+checked
	rep.Status = delta.Worse(rep.Status, status)
	all.Fresh = delta.Counted(all.Fresh, s.worst())
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
	fresh, fixed := delta.Counted(c.fresh, s.worst()), delta.Counted(c.fixed, s.worst())
	milder := delta.Milder(c.fresh, s.worst())
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
	if milder > 0 {
		partial = strings.TrimPrefix(partial+fmt.Sprintf("; %d milder not shown", milder), "; ")
	}
	b.WriteString(delta.Others(fresh, fixed, partial))
	if text := delta.Listing(fresh, otherLines, s.rel); text != "" {
		b.WriteString("\n" + text)
	}
}

// rel is the path as the model reads it: from the root that holds it.
func (s *Service) rel(path string) string { return preset.Rel(path, s.ws.Roots()) }
