package offline

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"companion/agent/model"
	"companion/text"
)

// world is a toolbox over files in memory. A line that contains ERR(message)
// or WARN(message) has that problem.
type world struct {
	t     *testing.T
	files map[string]string
	// offers gives what the server offers for a line (1-based) and kinds.
	offers func(w *world, path string, line int, only []string) []offer
	// pending is how many of the next answers are not known yet, by tool.
	pending map[string]int
	// feedbackForm: "" = as the contract says, "terse" = zeros left out.
	feedbackForm string
	noServer     bool
	denied       string  // what every apply is refused with, "" = it is not
	last         []offer // of the last code_actions
	lastPath     string
	calls        []string
	also         func(w *world) // runs after each applied action
}

type offer struct {
	action
	apply func(text string) string
}

var marked = regexp.MustCompile(`(ERR|WARN|HINT)\(([^)]*)\)`)

func (w *world) problems(path string) []problem {
	var out []problem
	for i, line := range strings.Split(w.files[path], "\n") {
		for _, m := range marked.FindAllStringSubmatch(line, -1) {
			out = append(out, problem{
				path: path, line: i + 1, message: m[2],
				severity: map[string]string{"ERR": "error", "WARN": "warning", "HINT": "hint"}[m[1]],
			})
		}
	}
	return out
}

func (w *world) all() []problem {
	var out []problem
	for _, path := range w.names() {
		out = append(out, w.problems(path)...)
	}
	return out
}

func (w *world) names() []string {
	var out []string
	for path := range w.files {
		out = append(out, path)
	}
	slices.Sort(out)
	return out
}

func (p problem) print() string {
	return fmt.Sprintf("%s:%d:3: %s: %s [compiler Code]", p.path, p.line, p.severity, p.message)
}

func (w *world) run(name, args string) result {
	w.calls = append(w.calls, name+" "+args)
	switch name {
	case "diagnostics":
		return w.diagnostics(args)
	case "lsp":
		return w.lsp(args)
	case "edit":
		return w.edit(args)
	case "read":
		return w.read(args)
	}
	return result{"There is no tool " + name, true}
}

func (w *world) diagnostics(args string) result {
	var a diagnosticsArgs
	w.decode(args, &a)
	for _, path := range a.Paths {
		if _, ok := w.files[path]; !ok {
			return result{"There is no file " + path + ".", true}
		}
	}
	if w.noServer {
		return result{"Diagnostics: no language server handles these files.", false}
	}
	if w.pending["diagnostics"] > 0 {
		w.pending["diagnostics"]--
		return result{"Diagnostics (fake, pending, 5000 ms): not known yet.", false}
	}
	list := w.all()
	if len(a.Paths) > 0 {
		list = slices.DeleteFunc(list, func(p problem) bool { return !slices.Contains(a.Paths, p.path) })
	}
	if a.Severity != "hint" {
		list = slices.DeleteFunc(list, func(p problem) bool { return p.severity == "hint" })
	}
	errs, warns := 0, 0
	var b strings.Builder
	for _, p := range list {
		switch p.severity {
		case "error":
			errs++
		case "warning":
			warns++
		}
		b.WriteString("\n" + p.print())
	}
	return result{fmt.Sprintf("Diagnostics (fake, complete, 12 ms): %d errors, %d warnings.%s", errs, warns, b.String()), false}
}

func (w *world) lsp(args string) result {
	var a lspArgs
	w.decode(args, &a)
	if a.Action == "code_actions" {
		w.last, w.lastPath = w.offers(w, a.Path, a.Line, a.Only), a.Path
		var b strings.Builder
		for i := range w.last {
			o := &w.last[i]
			o.id = fmt.Sprint(i + 1)
			fmt.Fprintf(&b, "\n%s. %s [%s]", o.id, o.title, o.kind)
			if o.preferred {
				b.WriteString(" preferred")
			}
			if o.disabled != "" {
				b.WriteString(" disabled: " + o.disabled)
			}
			for _, f := range o.fixes {
				b.WriteString("\n   fixes: " + f)
			}
		}
		return result{fmt.Sprintf("%d code actions for %s:%d.%s", len(w.last), a.Path, a.Line, b.String()), false}
	}
	if w.denied != "" {
		return result{w.denied, true}
	}
	i := slices.IndexFunc(w.last, func(o offer) bool { return o.id == a.ID })
	if i < 0 || w.lastPath != a.Path {
		return result{"no such offer; ask for code_actions again", true}
	}
	o := w.last[i]
	w.last = nil
	return w.change(a.Path, o.apply(w.files[a.Path]), fmt.Sprintf("Applied %q to 1 files.\n\n", o.title), true)
}

// change writes a file and gives diff and feedback.
func (w *world) change(path, after, head string, applied bool) result {
	was, before := w.all(), w.files[path]
	w.files[path] = after
	if applied && w.also != nil {
		w.also(w)
	}
	gone, came := compare(was, w.all())
	out := head + text.Unified("a/"+path, "b/"+path, before, after, 3) + "\n"
	if w.pending["feedback"] > 0 {
		w.pending["feedback"]--
		return result{out + "Edit applied. Diagnostics (fake, not known yet after 9 ms): the server has not answered for this text; problems are not known yet.", false}
	}
	errs := 0
	var items strings.Builder
	for _, p := range came {
		if p.isError() {
			errs++
		}
		prefix := "new: "
		if w.feedbackForm == "terse" {
			prefix = ""
		}
		items.WriteString("\n" + prefix + p.print())
	}
	if w.feedbackForm == "terse" {
		var parts []string
		if errs > 0 {
			parts = append(parts, fmt.Sprintf("%d new errors", errs))
		}
		if len(gone) > 0 {
			parts = append(parts, fmt.Sprintf("%d fixed", len(gone)))
		}
		if len(parts) == 0 {
			parts = append(parts, "no problems")
		}
		return result{out + "Edit applied. Diagnostics (fake, complete, 9 ms): " + strings.Join(parts, ", ") + "." + items.String(), false}
	}
	for _, m := range gone {
		items.WriteString("\nfixed: " + problem{path: path, line: 1, severity: "error", message: m}.print())
	}
	for _, p := range w.problems(path) {
		items.WriteString("\nremaining: " + p.print())
	}
	return result{fmt.Sprintf("%sEdit applied. Diagnostics (fake, complete, 9 ms): %d new errors, %d fixed, %d remaining.%s",
		out, errs, len(gone), len(w.problems(path)), items.String()), false}
}

func (w *world) edit(args string) result {
	var a editArgs
	w.decode(args, &a)
	after := w.files[a.Path]
	for i, e := range a.Edits {
		switch n := strings.Count(after, e.Old); {
		case e.Old == "" || n == 0:
			return result{fmt.Sprintf("edit %d: old was not found", i+1), true}
		case n > 1:
			return result{fmt.Sprintf("edit %d: old is not unique: %d places", i+1, n), true}
		}
		after = strings.Replace(after, e.Old, e.New, 1)
	}
	return w.change(a.Path, after, "Edited "+a.Path+".\n\n", false)
}

func (w *world) read(args string) result {
	var a readArgs
	w.decode(args, &a)
	var b strings.Builder
	for i, line := range strings.Split(w.files[a.Path], "\n") {
		if n := i + 1; n >= a.Offset && n < a.Offset+a.Limit {
			fmt.Fprintf(&b, "%d\t%s\n", n, line)
		}
	}
	return result{b.String(), false}
}

func (w *world) decode(args string, into any) {
	w.t.Helper()
	if err := json.Unmarshal([]byte(args), into); err != nil {
		w.t.Fatalf("arguments %s: %v", args, err)
	}
}

// talk runs a turn: the provider asks, the world answers.
func (w *world) talk(said string) (final string, items []model.Item) {
	w.t.Helper()
	items = []model.Item{
		{Kind: model.Message, Role: model.Developer, Text: "<environment>\nlinux\n</environment>"},
		{Kind: model.Message, Role: model.User, Text: said},
	}
	return w.goOn(items)
}

func (w *world) goOn(items []model.Item) (string, []model.Item) {
	w.t.Helper()
	for range 120 {
		got := ask(w.t, items)
		items = append(items, got)
		if got.Kind == model.Message {
			return got.Text, items
		}
		res := w.run(got.Name, got.Arguments)
		items = append(items, model.Item{
			Kind: model.ToolReply, CallID: got.CallID, Name: got.Name, Text: res.text, IsError: res.failed,
		})
	}
	w.t.Fatalf("no end after 120 steps; the last calls:\n%s", strings.Join(w.calls[len(w.calls)-10:], "\n"))
	return "", nil
}

func ask(t *testing.T, items []model.Item) model.Item {
	t.Helper()
	var got *model.Item
	ended := false
	for ev, err := range New().Stream(context.Background(), model.Request{Model: "quickfix", Items: items}) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Kind == model.ItemDone {
			got = ev.Item
		}
		ended = ev.Kind == model.Done
	}
	if got == nil || !ended {
		t.Fatal("the stream gave no item or no end")
	}
	return *got
}

// drop is an offer that removes the first occurrence of s.
func drop(title, s string, preferred bool) offer {
	return offer{action{title: title, kind: "quickfix", preferred: preferred}, func(t string) string { return strings.Replace(t, s, "", 1) }}
}
