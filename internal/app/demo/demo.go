// Package demo shows the main job with no key and no network: it opens a small
// Go module that does not build in an editor, runs the code action "Fix all N
// with Companion" of the server that it starts from the same binary, and
// prints what went over the wire.
//
// Never: touch a file outside its temporary folder.
package demo

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"companion/internal/editortest/fake"
	"companion/text"

	"golang.org/x/tools/txtar"
)

//go:embed module.txtar
var module []byte

// minErrors is the least number of errors that the language server must have
// published before the action is run.
const minErrors = 3

// Options of Run.
type Options struct {
	Exe  string // the companion binary to start
	Out  io.Writer
	Keep bool // leave the folder
}

// Run shows the demo. It is an error unless the module did not build before,
// builds after, and has no diagnostics left.
func Run(ctx context.Context, o Options) error {
	start := time.Now()
	dir, err := os.MkdirTemp("", "companion-demo")
	if err != nil {
		return err
	}
	if !o.Keep {
		defer os.RemoveAll(dir)
	}
	root := filepath.Join(dir, "greeter")
	for _, f := range txtar.Parse(module).Files {
		if err := os.MkdirAll(root, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(root, f.Name), f.Data, 0o644); err != nil {
			return err
		}
	}
	fmt.Fprintf(o.Out, "A module that does not build: %s\n\n$ go build ./...\n", root)
	out, err := build(ctx, root)
	fmt.Fprintf(o.Out, "%s\n", out)
	if err == nil {
		return errors.New("the module builds before anything was fixed: the demo shows nothing")
	}
	d := &demo{Options: o, root: root, file: filepath.Join(root, "main.go"), state: filepath.Join(dir, "state")}
	if err := d.session(ctx); err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "\n$ go build ./...\n")
	if out, err = build(ctx, root); err != nil {
		fmt.Fprintf(o.Out, "%s\n", out)
		return errors.New("the module still does not build")
	}
	fmt.Fprintf(o.Out, "ok\n\nFrom a broken module to a clean build in %.1f s, with no model and no key.\n", time.Since(start).Seconds())
	return nil
}

func build(ctx context.Context, dir string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "build", "-o", os.DevNull, "-gcflags=-e", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off")
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// demo is one session of the editor.
type demo struct {
	Options
	root, file, state string
}

func (d *demo) session(ctx context.Context) (err error) {
	srv, err := d.start(ctx)
	if err != nil {
		return err
	}
	ed := fake.Connect(srv, fake.Options{
		Name: "companion-demo", Roots: []string{d.root}, Refactoring: true, Timeout: time.Minute,
		Companion: json.RawMessage(`{"version":1,"events":true}`), Heard: d.heard,
	})
	defer func() {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		err = errors.Join(err, ed.Shutdown(stop), srv.wait(stop))
	}()
	if _, err := ed.Initialize(ctx); err != nil {
		return err
	}
	uri, err := ed.Open(d.file)
	if err != nil {
		return err
	}
	before, _ := ed.Buffer(uri)
	fix, err := d.fixAll(ctx, ed, uri)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.Out, "\nThe language server published %d problems:\n", len(fix.Diagnostics))
	for _, g := range fix.Diagnostics {
		fmt.Fprintf(d.Out, "  main.go:%d:%d: %s\n", g.Range.Start.Line+1, g.Range.Start.Character+1, g.Message)
	}
	fmt.Fprintf(d.Out, "\nThe user runs the code action %q.\n\n", fix.Title)
	if _, err := ed.Execute(ctx, *fix.Command); err != nil {
		return err
	}
	if err := ed.WaitFor("the turn ends", func(v *fake.View) bool {
		return len(v.Events) > 0 && v.Events[len(v.Events)-1].Type == "turn.completed"
	}); err != nil {
		return err
	}
	after, _ := ed.Buffer(uri)
	fmt.Fprintf(d.Out, "\nWhat changed in the buffer (undo takes it back):\n\n%s", text.Unified("a/main.go", "b/main.go", before.Text, after.Text, 2))
	if left, err := ed.CodeActions(ctx, uri, whole(), "quickfix"); err != nil {
		return err
	} else if f, err := fake.Find(left, "Fix"); err == nil && len(f.Diagnostics) > 0 {
		return fmt.Errorf("problems are left: %v", f.Diagnostics)
	}
	fmt.Fprintln(d.Out, "\nDiagnostics after: none.")
	if p := ed.Problems(); len(p) > 0 {
		return fmt.Errorf("breaches of the protocol: %s", strings.Join(p, "; "))
	}
	if after.Dirty {
		return ed.Save(uri)
	}
	return nil
}

// fixAll waits until the action that repairs the whole file is offered for at
// least minErrors problems.
func (d *demo) fixAll(ctx context.Context, ed *fake.Editor, uri string) (fake.Action, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		list, err := ed.CodeActions(ctx, uri, whole(), "quickfix")
		if err != nil {
			return fake.Action{}, err
		}
		if a, err := fake.Find(list, "Fix all "); err == nil && len(a.Diagnostics) >= minErrors && a.Command != nil {
			return a, nil
		}
		select {
		case <-ctx.Done():
			return fake.Action{}, fmt.Errorf("no action \"Fix all N with Companion\" for at least %d problems within a minute; is gopls installed? (companion doctor)", minErrors)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func whole() fake.Range { return fake.Range{End: fake.Position{Line: 1 << 20}} }

// heard prints the messages that matter as they pass.
func (d *demo) heard(x fake.Entry) {
	switch x.Method {
	case "workspace/applyEdit", "textDocument/didOpen":
		fmt.Fprintf(d.Out, "%6d ms  %s\n", x.At.Milliseconds(), x)
	case "companion/event":
		d.event(x)
	}
	if x.Problem != "" {
		fmt.Fprintf(d.Out, "%6d ms  %s\n", x.At.Milliseconds(), x)
	}
}

func (d *demo) event(x fake.Entry) {
	var m struct {
		Params struct {
			Type, Name, Activity, Outcome, Text, Status, Error string
		}
	}
	if json.Unmarshal(x.Body, &m) != nil {
		return
	}
	say := func(format string, args ...any) {
		fmt.Fprintf(d.Out, "%6d ms  %s\n", x.At.Milliseconds(), fmt.Sprintf(format, args...))
	}
	switch p := m.Params; p.Type {
	case "tool.started":
		say("call    %s: %s", p.Name, p.Activity)
	case "tool.completed":
		say("result  %s\n%s", p.Outcome, indent(p.Text, 24))
	case "message.completed":
		say("says    %s", strings.ReplaceAll(strings.TrimSpace(p.Text), "\n", "\n                   "))
	case "turn.completed":
		say("turn    %s %s", p.Status, p.Error)
	}
}

// indent shows at most so many lines.
func indent(s string, most int) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	if len(lines) > most {
		lines = append(lines[:most:most], fmt.Sprintf("… %d more lines", len(lines)-most))
	}
	return "                   " + strings.Join(lines, "\n                   ")
}

// server is the started binary.
type server struct {
	io.Reader
	io.WriteCloser
	cmd    *exec.Cmd
	stderr *bytes.Buffer
}

func (d *demo) start(ctx context.Context) (*server, error) {
	cmd := exec.CommandContext(ctx, d.Exe, "serve")
	cmd.Dir = d.root
	cmd.Env = append(os.Environ(), "COMPANION_STATE_DIR="+d.state, "COMPANION_CONFIG="+os.DevNull, "COMPANION_MODEL=offline/quickfix", "GOWORK=off")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s := &server{Reader: out, WriteCloser: in, cmd: cmd, stderr: &bytes.Buffer{}}
	cmd.Stderr = s.stderr
	return s, cmd.Start()
}

func (s *server) wait(ctx context.Context) error {
	if err := s.cmd.Wait(); err != nil {
		return fmt.Errorf("companion serve: %w\n%s", err, s.stderr)
	}
	return ctx.Err()
}
