package diagnostics

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"companion/tools"
)

// How much is listed before counts take over.
const (
	ownLines   = 10
	otherFiles = 5
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
	var fresh, fixed []tools.Diagnostic
	unknown := false // there was no list to compare with
	remaining := 0
	status := tools.Status("")
	var names []string
	for i, o := range t.outcomes {
		rep.Candidates++
		status = worse(status, o.status)
		names = append(names, o.name())
		if o.status != tools.Complete && o.status != tools.Unconfirmed {
			continue
		}
		rep.Checked++
		if !t.base[i].ok {
			unknown = true
		}
		d := compare(known{counted(t.base[i].items), t.base[i].text, true}, known{counted(o.items), t.after, true})
		fresh, fixed, remaining = append(fresh, d.fresh...), append(fixed, d.fixed...), remaining+d.remaining
	}
	rep.Status = worse(rep.Status, status)
	fresh = counted(fresh)
	rep.New, rep.Fixed, rep.Remaining = append(rep.New, fresh...), append(rep.Fixed, fixed...), rep.Remaining+remaining
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "Edit applied. Diagnostics (%s): ", strings.Join(names, "; "))
	b.WriteString(s.summary(t, status, fresh, fixed, remaining, unknown))
	s.forget(th, fixed)
	for _, d := range fresh {
		s.tell(th, d)
	}
	for _, line := range s.lines(fresh, ownLines) {
		b.WriteString("\n" + line)
	}
}

// name says which server, how sure and how fast.
func (o outcome) name() string {
	name := o.in.preset.Name
	switch o.status {
	case tools.Complete:
		return fmt.Sprintf("%s, complete, %d ms", name, o.took.Milliseconds())
	case tools.Unconfirmed:
		return fmt.Sprintf("%s, unconfirmed, %d ms", name, o.took.Milliseconds())
	case tools.Pending:
		return fmt.Sprintf("%s, not known yet after %d ms", name, o.took.Milliseconds())
	}
	if o.err != nil {
		return "unavailable: " + o.err.Error()
	}
	return name + ", down"
}

func (s *Service) summary(t *target, status tools.Status, fresh, fixed []tools.Diagnostic, remaining int, unknown bool) string {
	switch status {
	case tools.Pending:
		return "the server has not answered for this text; problems are not known yet."
	case tools.ServerDown, tools.NoServer:
		return "nothing is known of problems in this file."
	}
	var parts []string
	add := func(n int, format string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf(format, n))
		}
	}
	word := "new "
	if unknown {
		word = ""
	}
	errs, warns := split(fresh)
	if errs > 0 {
		parts = append(parts, plural(errs, word+"error"))
	}
	if warns > 0 {
		parts = append(parts, plural(warns, word+"warning"))
	}
	add(len(fixed), "%d fixed")
	add(remaining, "%d that were there before not shown")
	if remaining == 1 {
		parts[len(parts)-1] = "1 that was there before not shown"
	}
	out := strings.Join(parts, ", ")
	silent := false
	for _, o := range t.outcomes {
		silent = silent || o.method == "silence"
	}
	switch {
	case out == "" && silent:
		out = "the server told nothing of this text, which may mean that it has no problems"
	case out == "" && status == tools.Unconfirmed:
		out = "no problems told, but the server does not say for which text"
	case out == "":
		out = "no problems"
	}
	if unknown && len(fresh) > 0 {
		out += " (which of them were there before is not known)"
	}
	return out + "."
}

func split(items []tools.Diagnostic) (errs, warns int) {
	for _, d := range items {
		if d.Severity <= tools.Error {
			errs++
		} else {
			warns++
		}
	}
	return errs, warns
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func (s *Service) crossText(b *strings.Builder, rep *tools.Report, th *thread, c *crossDelta) {
	rep.Checked, rep.Candidates = rep.Checked+c.checked, rep.Candidates+c.candidates
	if c.status == tools.Partial && rep.Status == tools.Complete {
		rep.Status = tools.Partial
	}
	fresh, fixed := counted(c.fresh), counted(c.fixed)
	s.forget(th, fixed)
	for _, d := range fresh {
		s.tell(th, d)
	}
	rep.New, rep.Fixed = append(rep.New, fresh...), append(rep.Fixed, fixed...)
	errs, warns := split(fresh)
	var parts []string
	if errs > 0 {
		parts = append(parts, plural(errs, "new error"))
	}
	if warns > 0 {
		parts = append(parts, plural(warns, "new warning"))
	}
	if len(fixed) > 0 {
		parts = append(parts, fmt.Sprintf("%d fixed", len(fixed)))
	}
	partial := ""
	if c.status == tools.Partial {
		partial = fmt.Sprintf("%d of %d other files checked", c.checked, c.candidates)
	}
	switch {
	case len(parts) > 0:
		fmt.Fprintf(b, "\nOther files: %s", strings.Join(parts, ", "))
		if partial != "" {
			b.WriteString(" (" + partial + ")")
		}
		b.WriteString(".")
	case partial != "":
		b.WriteString("\nOther files: " + partial + ".")
	}
	if text := s.listing(fresh, otherLines); text != "" {
		b.WriteString("\n" + text)
	}
}

// listing groups by file and bounds files and lines.
func (s *Service) listing(items []tools.Diagnostic, each int) string {
	var order []string
	by := map[string][]tools.Diagnostic{}
	for _, d := range items {
		if by[d.Path] == nil {
			order = append(order, d.Path)
		}
		by[d.Path] = append(by[d.Path], d)
	}
	var out []string
	for i, path := range order {
		if i == otherFiles {
			n := 0
			for _, rest := range order[i:] {
				n += len(by[rest])
			}
			out = append(out, fmt.Sprintf("… and %s in %s", plural(n, "problem"), plural(len(order)-i, "more file")))
			break
		}
		out = append(out, s.lines(by[path], each)...)
	}
	return strings.Join(out, "\n")
}

func (s *Service) lines(items []tools.Diagnostic, most int) []string {
	var out []string
	for i, d := range items {
		if i == most {
			out = append(out, fmt.Sprintf("… and %d more in %s", len(items)-most, s.rel(d.Path)))
			break
		}
		out = append(out, d.Line(s.rel(d.Path)))
	}
	return out
}

// rel is the path as the model reads it: from the root that holds it.
func (s *Service) rel(path string) string {
	best := path
	for _, root := range s.ws.Roots() {
		if within(path, root) {
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
	r.Text = strings.TrimRight(r.Text, "\n") + "\n\nLate, caused by an earlier edit:\n" + listing
}
