package lspbridge

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"companion/agent"
	"companion/changes"
	"companion/dynamic"
	"companion/lspbridge/wire"
	"companion/session"
	"companion/tools"

	"github.com/rogpeppe/go-internal/txtar"
)

var binary = flag.String("binary", "", "run the talks against this program")

// start runs the program as an editor would.
func start(t *testing.T, program string) *peer {
	t.Helper()
	p := &peer{t: t, got: make(chan message, 1000), bodies: make(chan string, 1000), code: make(chan int, 1), log: &lockedBuffer{}}
	cmd := exec.Command(program, "serve", "--stdio")
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "COMPANION_STATE_DIR="+t.TempDir(), "COMPANION_CONFIG="+filepath.Join(t.TempDir(), "none.jsonc"))
	cmd.Stderr = p.log
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, out2 := io.Pipe()
	cmd.Stdout = out2
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.in = in
	go p.read(out)
	go func() {
		_ = cmd.Wait() // the exit code is what is asked for
		out2.Close()
		p.code <- cmd.ProcessState.ExitCode()
	}()
	t.Cleanup(func() {
		in.Close()
		p.exit()
	})
	return p
}

// The talks of testdata/wire: after a paragraph that states the rule, sections
// run in order. "send" is one frame a line, "raw" one Go string a line, written
// as it is; "want" is one message a line, in the order of the wire, where "*"
// stands for any value; "close" closes stdin; "exit" is the exit code.
//
// With -binary PATH the same talks run against the built program.
func TestWire(t *testing.T) {
	files, err := filepath.Glob("../testdata/wire/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no talks: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(strings.TrimSpace(string(a.Comment))) == 0 {
				t.Error("no rule is stated")
			}
			f := &fake{tune: func(b *Backend) { fewRooms(t, b) }}
			f.newTurn = fmt.Errorf("thread no-such-thread: %w", agent.ErrThreadNotFound)
			var p *peer
			if *binary == "" {
				p = serve(t, Options{Build: f.build, Version: "1.2.3"})
			} else {
				p = start(t, *binary)
			}
			for _, s := range a.Files {
				section(t, p, s.Name, string(s.Data))
			}
			if len(p.held) > 0 || len(p.got) > 0 {
				t.Errorf("more came: %+v and %d", p.held, len(p.got))
			}
		})
	}
}

// fewRooms are real rooms where they need nothing, and a store without threads.
func fewRooms(t *testing.T, b *Backend) {
	t.Helper()
	reg := tools.NewRegistry()
	b.Threads, b.Reader, b.Turns = noThreads{}, noThreads{}, noThreads{}
	b.EditorTools = dynamic.New(dynamic.Options{Registry: reg})
	store := changes.Open(t.TempDir(), b.Workspace)
	t.Cleanup(func() { store.Close() })
	b.Changes, b.Pending = store, store.Pending
	b.Tools, b.Revision = reg.Specs, reg.Revision
	b.Models = func() wire.ModelList { return wire.ModelList{} }
	b.RegisterModels = func([]wire.LentModel) int { return 1 }
}

// noThreads knows none.
type noThreads struct{}

func (noThreads) StartThread(agent.ThreadOptions) (session.Info, error) {
	return session.Info{}, agent.ErrClosed
}

func (noThreads) Resume(string) (session.Info, error) { return session.Info{}, agent.ErrThreadNotFound }

func (noThreads) Fork(string, string) (session.Info, error) {
	return session.Info{}, agent.ErrThreadNotFound
}
func (noThreads) Rename(string, string) error { return agent.ErrThreadNotFound }
func (noThreads) Delete(string) error         { return agent.ErrThreadNotFound }
func (noThreads) CloseThread(string) error    { return agent.ErrThreadNotFound }
func (noThreads) List(agent.ListQuery) ([]session.Info, string, error) {
	return nil, "", nil
}

func (noThreads) Read(string, int64, int) (agent.Transcript, error) {
	return agent.Transcript{}, agent.ErrThreadNotFound
}

func (noThreads) Steer(string, string, []session.Input) (bool, error) {
	return false, agent.ErrTurnNotFound
}

func (noThreads) Compact(context.Context, string) (int, int, error) {
	return 0, 0, agent.ErrThreadNotFound
}
func (noThreads) SetEditor(agent.EditorState) {}

func section(t *testing.T, p *peer, name, data string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(data, "\n"), "\n")
	switch name {
	case "send":
		for _, l := range lines {
			p.send(l)
		}
	case "raw":
		for _, l := range lines {
			s, err := strconv.Unquote(l)
			if err != nil {
				t.Fatalf("%s: %v", l, err)
			}
			p.raw(s)
		}
	case "want":
		for _, l := range lines {
			var got string
			select {
			case got = <-p.bodies:
			case <-time.After(patience):
				t.Fatalf("nothing came, want %s", l)
			}
			if !matches(t, l, got) {
				t.Errorf("got  %s\nwant %s", got, l)
			}
			<-p.got
		}
	case "close":
		p.in.Close()
	case "exit":
		if got := strconv.Itoa(p.exit()); got != strings.TrimSpace(data) {
			t.Errorf("exit code %s, want %s", got, data)
		}
	default:
		t.Fatalf("no section %q", name)
	}
}

// matches compares JSON; "*" in want stands for anything.
func matches(t *testing.T, want, got string) bool {
	t.Helper()
	var w, g any
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatalf("%s: %v", want, err)
	}
	if err := json.Unmarshal([]byte(got), &g); err != nil {
		t.Fatalf("%s: %v", got, err)
	}
	return same(w, g)
}

func same(w, g any) bool {
	if w == "*" {
		return true
	}
	if wl, ok := w.([]any); ok {
		gl, isList := g.([]any)
		if !isList || len(wl) != len(gl) {
			return false
		}
		for i := range wl {
			if !same(wl[i], gl[i]) {
				return false
			}
		}
		return true
	}
	wm, ok := w.(map[string]any)
	gm, isMap := g.(map[string]any)
	if !ok || !isMap {
		return reflect.DeepEqual(w, g)
	}
	if len(wm) != len(gm) {
		return false
	}
	for k, v := range wm {
		if got, has := gm[k]; !has || !same(v, got) {
			return false
		}
	}
	return true
}
