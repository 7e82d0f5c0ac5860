package delta

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"companion/text"
	"companion/tools"
)

// maxFiles is how many other files are listed before counts take over.
const maxFiles = 5

// Summary is one sentence on an edited file. unknown: there was no list to
// compare with; silent: the server published
// nothing for the text, or cannot judge it.
func Summary(status tools.Status, d Delta, unknown, silent bool) string {
	switch status {
	case tools.Pending:
		if silent {
			return "problems of this text are not known yet."
		}
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
	errs, warns := Split(d.Fresh)
	if errs > 0 {
		parts = append(parts, Plural(errs, word+"error"))
	}
	if warns > 0 {
		parts = append(parts, Plural(warns, word+"warning"))
	}
	add(len(d.Fixed), "%d fixed")
	add(d.Remaining, "%d that were there before not shown")
	if d.Remaining == 1 {
		parts[len(parts)-1] = "1 that was there before not shown"
	}
	if d.Milder > 0 {
		parts = append(parts, fmt.Sprintf("%d %smilder not shown", d.Milder, word))
	}
	out := strings.Join(parts, ", ")
	switch {
	case out == "" && status == tools.Partial:
		out = "no problems told so far, but not all have answered"
	case out == "" && silent:
		out = "the server told nothing of this text, which may mean that it has no problems"
	case out == "" && status == tools.Unconfirmed:
		out = "no problems told, but the server does not say for which text"
	case out == "":
		out = "no problems"
	}
	if unknown && len(d.Fresh) > 0 {
		out += " (which of them were there before is not known)"
	}
	return out + "."
}

// Split counts errors and the rest.
func Split(items []tools.Diagnostic) (errs, warns int) {
	for _, d := range items {
		if d.Severity <= tools.Error {
			errs++
		} else {
			warns++
		}
	}
	return errs, warns
}

// Plural is "1 word" or "n words".
func Plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// Listing groups by file and bounds files and lines.
func Listing(items []tools.Diagnostic, each int, rel func(path string) string) string {
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
		if i == maxFiles {
			n := 0
			for _, rest := range order[i:] {
				n += len(by[rest])
			}
			out = append(out, fmt.Sprintf("… and %s in %s", Plural(n, "problem"), Plural(len(order)-i, "more file")))
			break
		}
		out = append(out, Lines(by[path], each, rel)...)
	}
	return strings.Join(out, "\n")
}

// Lines renders at most so many, then how many more.
func Lines(items []tools.Diagnostic, most int, rel func(path string) string) []string {
	var out []string
	for i, d := range items {
		if i == most {
			out = append(out, fmt.Sprintf("… and %d more in %s", len(items)-most, rel(d.Path)))
			break
		}
		out = append(out, d.Line(rel(d.Path)))
	}
	return out
}

// Counted leaves what is no milder than worst, the gravest first.
func Counted(items []tools.Diagnostic, worst tools.Severity) []tools.Diagnostic {
	var out []tools.Diagnostic
	for _, d := range items {
		if d.Severity <= worst {
			out = append(out, d)
		}
	}
	slices.SortStableFunc(out, func(a, b tools.Diagnostic) int {
		if a.Severity != b.Severity {
			return int(a.Severity) - int(b.Severity)
		}
		return order(a.Range.Start, b.Range.Start)
	})
	return out
}

func order(a, b text.Position) int {
	switch {
	case a.Less(b):
		return -1
	case b.Less(a):
		return 1
	}
	return 0
}

// Milder counts what is milder than worst.
func Milder(items []tools.Diagnostic, worst tools.Severity) (n int) {
	for _, d := range items {
		if d.Severity > worst {
			n++
		}
	}
	return n
}

// Query answers a question for the present problems of files; milder are those
// that are not told.
func Query(rep tools.Report, items []tools.Diagnostic, milder int, names []string, rel func(path string) string) string {
	head := "Diagnostics"
	if len(names) > 0 {
		head += " (" + strings.Join(names, "; ") + ")"
	}
	switch rep.Status {
	case tools.NoServer:
		return head + ": no language server serves these files; nothing is known of problems in them."
	case tools.ServerDown:
		return head + ": nothing is known of problems in these files."
	case tools.Pending:
		head += fmt.Sprintf(": %d of %d files checked, the rest is not known yet", rep.Checked, rep.Candidates)
		if len(items) == 0 {
			return head + "."
		}
		return head + ".\n" + Listing(items, 1<<20, rel)
	}
	rest := ""
	if milder > 0 {
		rest = fmt.Sprintf(", %d milder not shown", milder)
	}
	switch {
	case len(items) > 0:
	case rep.Status == tools.Unconfirmed:
		return head + ": no problems told, but the server does not say for which text" + rest + "."
	case rep.Status == tools.Partial:
		return head + ": no problems told so far, but not all have answered" + rest + "."
	default:
		return head + ": no problems" + rest + "."
	}
	errs, warns := Split(items)
	return fmt.Sprintf("%s: %s, %s%s.\n%s", head, Plural(errs, "error"), Plural(warns, "other"), rest, strings.Join(Lines(items, 1<<20, rel), "\n"))
}

// Others is the line on files that were not edited, with a line ending before
// it, "" = nothing to say. partial says how many were checked, "" = all.
func Others(fresh, fixed []tools.Diagnostic, partial string) string {
	errs, warns := Split(fresh)
	var parts []string
	if errs > 0 {
		parts = append(parts, Plural(errs, "new error"))
	}
	if warns > 0 {
		parts = append(parts, Plural(warns, "new warning"))
	}
	if len(fixed) > 0 {
		parts = append(parts, fmt.Sprintf("%d fixed", len(fixed)))
	}
	switch {
	case len(parts) == 0 && partial == "":
		return ""
	case len(parts) == 0:
		return "\nOther files: " + partial + "."
	case partial != "":
		partial = " (" + partial + ")"
	}
	return "\nOther files: " + strings.Join(parts, ", ") + partial + "."
}

// Server says which server answered, how sure it is and how long it took, or
// why it cannot judge the file.
func Server(name string, status tools.Status, took time.Duration, err error, why string) string {
	switch status {
	case tools.Complete, tools.Unconfirmed:
		return fmt.Sprintf("%s, %s, %d ms", name, status, took.Milliseconds())
	case tools.Pending:
		if why != "" {
			return fmt.Sprintf("%s cannot judge this file: %s", name, tools.OneLine(why))
		}
		return fmt.Sprintf("%s, not known yet after %d ms", name, took.Milliseconds())
	}
	if err != nil {
		return "unavailable: " + err.Error()
	}
	return name + ", down"
}

// Worse gives the less certain of two statuses.
func Worse(a, b tools.Status) tools.Status {
	rank := map[tools.Status]int{
		"": -1, tools.Complete: 0, tools.Partial: 1, tools.Unconfirmed: 2, tools.Pending: 3, tools.NoServer: 4, tools.ServerDown: 5,
	}
	if rank[b] > rank[a] {
		return b
	}
	return a
}
