package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"companion/diagnostics"
	"companion/diagnostics/syntax"

	"companion/internal/app/demo"
	"companion/lspbridge/wire"
	"companion/session"
)

// Demo shows the main job.
func Demo(ctx context.Context, o Options, keep bool) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	return demo.Run(ctx, demo.Options{Exe: exe, Out: o.Out, Keep: keep})
}

// Tools lists what a model is given.
func Tools(o Options, asJSON bool) error {
	c, err := here(o)
	if err != nil {
		return err
	}
	specs := c.specs()
	if !asJSON {
		for _, s := range specs {
			fmt.Fprintf(o.Out, "%s\n%s\n\n", s.Full(), indented(s.Description))
		}
		return nil
	}
	type tool struct {
		Name        string          `json:"name"`
		Source      string          `json:"source"`
		ReadOnly    bool            `json:"readOnly"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	list := []tool{}
	for _, s := range specs {
		list = append(list, tool{s.Full(), cmp.Or(string(s.Source), "builtin"), s.ReadOnly, s.Description, s.Input})
	}
	return writeJSON(o.Out, list)
}

func indented(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n    ")
}

// Threads lists the threads, newest first. Logs that cannot be listed are named
// on the error output.
func Threads(o Options, asJSON bool) error {
	state, err := stateDir(o.Env)
	if err != nil {
		return err
	}
	store := session.NewStore(state)
	list, err := store.List()
	if err != nil {
		return err
	}
	unlisted, err := store.Unlisted()
	if err != nil {
		return err
	}
	for _, u := range unlisted {
		fmt.Fprintf(o.Err, "companion: thread %s is not listed: %s (%s)\n", u.ID, whyUnlisted(u.Err), u.File)
	}
	slices.SortStableFunc(list, func(a, b session.Info) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	if asJSON {
		if list == nil {
			list = []session.Info{}
		}
		return writeJSON(o.Out, list)
	}
	switch {
	case len(list) == 0 && len(unlisted) > 0:
		_, err := fmt.Fprintf(o.Out, "no thread in %s can be listed\n", state)
		return err
	case len(list) == 0:
		_, err := fmt.Fprintf(o.Out, "no threads yet in %s\n", state)
		return err
	}
	w := tabwriter.NewWriter(o.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "THREAD\tUPDATED\tTURNS\tSTATUS\tFOLDER\tTITLE")
	for _, t := range list {
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\n", t.ID, t.UpdatedAt.Local().Format(time.DateTime), t.Turns, t.Status, t.Cwd, t.Title)
	}
	return w.Flush()
}

func whyUnlisted(err error) string {
	switch {
	case errors.Is(err, session.ErrNewer):
		return err.Error() + "; update companion to read it"
	case errors.Is(err, session.ErrNoHeader), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "its log is damaged at the beginning"
	}
	return err.Error()
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// here is a core for the current folder that starts nothing.
func here(o Options) (*core, error) {
	root, err := folder("")
	if err != nil {
		return nil, err
	}
	log, _ := logger(nil, io.Discard)
	c, _, err := newCore(setup{Options: o, roots: []string{root}, log: log})
	return c, err
}

// Doctor says what was found; false when something that is needed is wrong.
func Doctor(ctx context.Context, o Options) (bool, error) {
	root, err := folder("")
	if err != nil {
		return false, err
	}
	log, _ := logger(nil, io.Discard)
	c, problems, err := newCore(setup{Options: o, roots: []string{root}, log: log})
	if err != nil {
		return false, err
	}
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
		defer cancel()
		_ = c.close(end)
	}()
	ok := true
	say := func(good bool, what, text string) {
		mark := "ok  "
		if !good {
			mark, ok = "FAIL", false
		}
		fmt.Fprintf(o.Out, "%s  %-12s %s\n", mark, what, text)
	}
	say(true, "version", Version())
	say(writable(c.state), "state", c.state)
	file := configFile(c.env)
	say(len(problems) == 0, "settings", cmp.Or(strings.Join(sentences(problems), "; "), file+present(file)))
	for _, r := range c.skipped {
		fmt.Fprintf(o.Out, "note  %-12s %s is ignored until you trust this folder\n", "project", filepath.Join(r, ".companion"))
	}
	name := c.models.Standard()
	if _, card, err := c.models.Find(name); err != nil {
		say(false, "model", err.Error())
	} else {
		say(true, "model", card.ID+modelNote(card.Offline))
	}
	if !syntax.Available() {
		fmt.Fprintf(o.Out, "note  %-12s absent: this build is without cgo\n", "tree-sitter")
	}
	found := 0
	for _, f := range c.diag.Doctor(ctx, root) {
		if f.OK {
			found++
		}
		fmt.Fprintln(o.Out, finding(f))
	}
	if found == 0 {
		say(false, "servers", "no language server answers: edits will say \"no language server\" instead of diagnostics")
	}
	return ok, nil
}

func modelNote(offline bool) string {
	if offline {
		return " (no model: takes quick fixes of language servers; set companion.model and a key for one)"
	}
	return ""
}

func present(file string) string {
	if _, err := os.Stat(file); err != nil {
		return " (not there: defaults)"
	}
	return ""
}

func writable(dir string) bool {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return false
	}
	f, err := os.CreateTemp(dir, ".doctor")
	if err != nil {
		return false
	}
	_ = f.Close()
	return os.Remove(f.Name()) == nil
}

// finding is one language server's line.
func finding(f diagnostics.Finding) string {
	mark := "ok  "
	if !f.OK {
		mark = "none"
	}
	return fmt.Sprintf("%s  %-12s %s", mark, f.Name, f.Text)
}

// status is the result of companion/status.
func (c *core) status() wire.Status {
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	out := wire.Status{
		Version: number(), Model: c.models.Standard(), Mode: string(c.mode()), Running: len(c.agent.Running()),
		Memory: wire.Memory{HeapBytes: mem.HeapAlloc, SysBytes: mem.Sys},
	}
	for _, r := range c.ws.Roots() {
		out.Roots = append(out.Roots, wire.FileURI(r))
	}
	for _, s := range c.diag.Status() {
		out.Servers = append(out.Servers, wire.ServerStatus{
			Name: s.Name, Root: wire.FileURI(s.Root), State: string(s.State), Version: wire.ShortVersion(s.Version),
			Starts: s.Starts, Open: s.Open, Error: s.Err,
		})
	}
	return out
}
