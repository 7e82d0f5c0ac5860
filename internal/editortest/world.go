package editortest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"companion/internal/editortest/fake"
	"companion/internal/editortest/fake/buffer"
	"companion/internal/editortest/talk"
)

// Config says how scenarios run.
type Config struct {
	// Start runs companion's server for a world and gives its stdio; wait
	// returns the exit code once it has ended.
	Start func(t testing.TB, sv Server) (rwc io.ReadWriteCloser, wait func() (exit int, err error))
	// FakeLS is the command line of the fake language server for settings; the
	// file with its rules is appended.
	FakeLS []string
	Update bool
	// Timeout of every wait.
	Timeout time.Duration
}

// Server is what Start needs to know.
type Server struct {
	StateDir, ConfigFile string
	Workspace            string
	Home                 string // an empty home folder
	Rules                string // file of the fake language server, "" = none
	Env                  []string
}

// world is one run of a scenario.
type world struct {
	t         testing.TB
	s         *Scenario
	cfg       Config
	dir       string // holds all of the below
	ws, state string
	e         *fake.Editor
	thread    string
	turn      string
	turns     int               // how many were started
	quiet     bool              // the editor shows no progress
	crashed   bool              // the editor went away
	got       map[string]string // goldens seen
	exit      func() (int, error)
	result    json.RawMessage   // of the last request
	vars      map[string]string // by keep-as
	sv        Server
	opt       fake.Options
}

// Run runs one scenario in the empty folder dir. In virtual time it must be
// called in a testing/synctest bubble, with a dir made outside of it.
func Run(t testing.TB, s *Scenario, dir string, cfg Config) {
	t.Helper()
	w := &world{t: t, s: s, cfg: cfg, dir: dir, got: map[string]string{}, vars: map[string]string{}}
	if err := w.run(); err != nil {
		t.Error(err)
		if w.e != nil {
			var b strings.Builder
			_ = w.e.Transcript(&b)
			t.Logf("on the wire:\n%s", b.String())
		}
		if l := talk.Render(w.events()); l != "" {
			t.Logf("thread:\n%s", l)
		}
	}
}

func (w *world) run() (err error) {
	sv, err := w.prepare()
	if err != nil {
		return err
	}
	opt, err := editorOptions(w.s.Editor)
	if err != nil {
		return err
	}
	opt.Roots, w.quiet = []string{w.ws}, opt.NoProgress || strings.Contains(string(opt.Companion), `"progress": true`)
	opt.Timeout = w.cfg.Timeout
	opt.InitializationOptions = json.RawMessage(w.expandNil(opt.InitializationOptions))
	w.sv, w.opt = sv, opt
	defer func() {
		if w.e == nil {
			return
		}
		if cerr := w.e.Close(); err == nil && cerr != nil {
			err = cerr
		}
	}()
	if err := w.start(); err != nil {
		return err
	}
	for _, l := range w.s.Script {
		if err := w.do(l); err != nil {
			_ = w.e.Close()
			_, _ = w.exit()
			return fmt.Errorf("%s: script line %d, %s: %w", filepath.Base(w.s.File), l.Number, l.Text, err)
		}
	}
	return w.finish()
}

// start runs a server and shakes hands.
func (w *world) start() error {
	rwc, wait := w.cfg.Start(w.t, w.sv)
	w.exit = wait
	w.e = fake.Connect(rwc, w.opt)
	if _, err := w.e.Initialize(context.Background()); err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	return nil
}

// stopServer ends the server in the orderly way.
func (w *world) stopServer() error {
	if err := w.e.Shutdown(context.Background()); err != nil {
		return fmt.Errorf("shutdown: %w", err)
	}
	if code, err := w.exit(); err != nil || code != 0 {
		return fmt.Errorf("the server ended with code %d, %w; want 0", code, err)
	}
	for _, p := range w.e.Problems() {
		w.t.Errorf("problem: %s", p)
	}
	return nil
}

// prepare writes the workspace, the settings, the model and the server's rules.
func (w *world) prepare() (Server, error) {
	w.ws, w.state = filepath.Join(w.dir, "w"), filepath.Join(w.dir, "state")
	sv := Server{
		StateDir: w.state, ConfigFile: filepath.Join(w.dir, "config.jsonc"),
		Workspace: w.ws, Home: filepath.Join(w.dir, "home"),
	}
	for _, d := range []string{w.ws, w.state, sv.Home} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return sv, err
		}
	}
	project := false // the project's own settings name the language server
	for name, text := range w.s.Files {
		project = project || strings.Contains(text, "$LSP")
		w.s.Files[name] = w.expand(text)
	}
	if err := w.s.write(w.ws); err != nil {
		return sv, err
	}
	settings := map[string]any{}
	if err := json.Unmarshal([]byte(w.expand(string(w.s.Settings))), &settings); err != nil {
		return sv, fmt.Errorf("settings: %w", err)
	}
	if len(w.s.Turns) > 0 {
		path := filepath.Join(w.dir, "model.json")
		var turns []json.RawMessage
		for _, turn := range w.s.Turns {
			turns = append(turns, json.RawMessage(w.expand(string(turn))))
		}
		script, err := json.Marshal(map[string]any{"turns": turns})
		if err != nil {
			return sv, err
		}
		if err := os.WriteFile(path, script, 0o644); err != nil {
			return sv, err
		}
		settings["companion.model"] = "script/" + path
	}
	if w.s.LSP != "" {
		sv.Rules = w.rules()
		if err := os.WriteFile(sv.Rules, []byte(w.expand(w.s.LSP)), 0o644); err != nil {
			return sv, err
		}
		if !project {
			settings["companion.lsp.fake"] = json.RawMessage(w.server())
		}
	}
	b, err := json.MarshalIndent(settings, "", "  ")
	if err != nil {
		return sv, err
	}
	return sv, os.WriteFile(sv.ConfigFile, b, 0o600)
}

// rules is where the rules of the fake language server are.
func (w *world) rules() string { return filepath.Join(w.dir, "rules") }

// server is the setting that names the fake language server, JSON.
func (w *world) server() string {
	command := append(append([]string(nil), w.cfg.FakeLS...), w.rules())
	b, err := json.Marshal(map[string]any{"command": command[0], "args": command[1:], "extensions": []string{".fk"}})
	if err != nil {
		panic(err) // strings are JSON
	}
	return string(b)
}

// expand replaces $W, $URI(FILE), $THREAD, $TURN, $LISTENER and $LSP.
func (w *world) expand(text string) string {
	for {
		before, rest, ok := strings.Cut(text, "$URI(")
		if !ok {
			break
		}
		file, after, ok := strings.Cut(rest, ")")
		if !ok {
			break
		}
		text = before + w.uri(file) + after
	}
	url := ""
	if w.s.listener != nil {
		url = w.s.listener.url
	}
	for name, v := range w.vars {
		text = strings.ReplaceAll(text, "$"+name, v)
	}
	return strings.NewReplacer("$W", w.ws, "$DIR", w.dir, "$THREAD", w.thread, "$TURN", w.turn, "$LISTENER", url, "$LSP", w.server()).Replace(text)
}

func (w *world) expandNil(raw json.RawMessage) []byte {
	if raw == nil {
		return nil
	}
	return []byte(w.expand(string(raw)))
}

func (w *world) path(file string) string { return filepath.Join(w.ws, filepath.FromSlash(file)) }

func (w *world) uri(file string) string {
	if strings.Contains(file, ":") {
		return file // untitled:…
	}
	return buffer.URI(w.path(file))
}

func (w *world) events() []talk.Logged {
	l, err := talk.Read(w.state)
	if err != nil {
		w.t.Errorf("thread log: %v", err)
	}
	return l
}

// until polls a condition on files; what came over the wire is waited for by
// fake.Editor.WaitFor instead.
func (w *world) until(what string, cond func() bool) error {
	deadline := time.Now().Add(w.cfg.Timeout)
	for pause := time.Millisecond; !cond(); pause = min(2*pause, 50*time.Millisecond) {
		if time.Now().After(deadline) {
			return fmt.Errorf("%s: not within %v", what, w.cfg.Timeout)
		}
		select {
		case <-w.e.Done():
			return fmt.Errorf("%s: the server ended first", what)
		case <-time.After(pause):
		}
	}
	return nil
}

// finish ends the server in the orderly way and holds what came against what
// was wanted.
func (w *world) finish() error {
	if !w.s.Head.NoTalk {
		w.got["talk"] = show(w.steady(talk.Render(w.events())))
	}
	w.checkTurns()
	if !w.crashed {
		if err := w.stopServer(); err != nil {
			return err
		}
	}
	if w.cfg.Update {
		return w.s.update(w.got)
	}
	for name := range maps.Keys(w.s.Want) {
		got, ok := w.got[name]
		switch {
		case !ok:
			w.t.Errorf("want/%s is used by nothing in the script", name)
		case got != w.s.Want[name]:
			w.t.Errorf("want/%s differs:\n--- want\n%s--- got\n%s", name, w.s.Want[name], got)
		}
	}
	for name := range w.got {
		if _, ok := w.s.Want[name]; !ok {
			w.t.Errorf("want/%s is missing; run the test with -update and read what it writes", name)
		}
	}
	return nil
}

// checkTurns holds that the whole script of the model was used: each request
// that it answered reports its usage, but perhaps not the one in which a turn
// was stopped.
func (w *world) checkTurns() {
	used, stopped := 0, 0
	for _, l := range w.events() {
		switch {
		case l.Event.Type == "usage":
			used++
		case l.Event.Type == "turn.completed" && l.Event.Status == "stopped":
			stopped++
		}
	}
	if n := len(w.s.Turns); n > 0 && !w.s.Head.NoCount && (used > n || used+stopped < n) {
		w.t.Errorf("%d of the %d model turns were used", used, n)
	}
}
