package editortest_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"companion/diagnostics/lspclient"
	"companion/internal/app"
	"companion/internal/editortest"
	"companion/internal/editortest/fake/wire"
	"companion/internal/editortest/fakels"

	"github.com/sourcegraph/conc"
)

var (
	mode   = flag.String("mode", "memory", "run scenarios in this process in virtual time (memory) or against the built binary (process; COMPANION_BIN, else built)")
	update = flag.Bool("update", false, "rewrite the want/ files of scenarios")
)

// fakeLS is the argument that turns the test binary into the fake language
// server.
const fakeLS = "-fakels"

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == fakeLS {
		os.Exit(fakels.Main(os.Args[2]))
	}
	os.Exit(m.Run())
}

func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("../../testdata/scenarios/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("scenarios: %v, %v", files, err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cfg := editortest.Config{FakeLS: []string{self, fakeLS}, Update: *update}
	switch *mode {
	case "memory":
		cfg.Start, cfg.Timeout = inMemory, 10*time.Minute
	case "process":
		cfg.Start, cfg.Timeout = editortest.Binary(binary(t)), 30*time.Second
	default:
		t.Fatalf("-mode=%s: memory or process", *mode)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			s, err := editortest.Parse(file)
			if err != nil {
				t.Fatal(err)
			}
			if *mode == "process" && s.Head.Virtual {
				t.Skip("lasts for minutes in real time; it runs in virtual time")
			}
			if err := s.Listen(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			dir, cfg := t.TempDir(), cfg
			trace := filepath.Join(t.TempDir(), "requests.jsonl")
			cfg.Start = traced(cfg.Start, trace)
			t.Cleanup(func() { onlyGrows(t, trace, dir) })
			if *mode == "process" || s.Head.RealTime {
				cfg.Timeout = 30 * time.Second
				editortest.Run(t, s, dir, cfg)
				return
			}
			// jsonrpc2 keeps channels in a sync.Pool; one of another bubble must
			// not be found there. Two collections empty a pool.
			runtime.GC()
			runtime.GC()
			synctest.Test(t, func(t *testing.T) { editortest.Run(t, s, dir, cfg) })
		})
	}
}

// inMemory runs the server in this process; its language servers too, and any
// other program that it wants to start as one fails the test.
func inMemory(t testing.TB, sv editortest.Server) (io.ReadWriteCloser, func() (int, error)) {
	t.Helper()
	a, b := wire.Pipe()
	dial := func(_ context.Context, cmd lspclient.Command) (lspclient.Transport, error) {
		if len(cmd.Args) != 2 || cmd.Args[0] != fakeLS {
			t.Errorf("a language server was started: %s %q", cmd.Path, cmd.Args)
			return nil, fmt.Errorf("%s: not in this test", cmd.Path)
		}
		fakels.Touch(cmd.Env)
		text, err := os.ReadFile(cmd.Args[1])
		if err != nil {
			return nil, err
		}
		rules, err := fakels.Parse(string(text))
		if err != nil {
			return nil, err
		}
		return fakels.Start(rules), nil
	}
	exit := 0
	var log strings.Builder
	var wg conc.WaitGroup
	wg.Go(func() {
		exit = app.Serve(context.Background(), app.Options{Env: sv.Environment(), In: b, Out: b, Err: &log, Dial: dial})
		_ = b.Close()
	})
	return a, func() (int, error) {
		wg.Wait()
		if t.Failed() && log.Len() > 0 {
			t.Logf("log:\n%s", log.String())
		}
		return exit, nil
	}
}

// binary is COMPANION_BIN, or companion as built from this tree.
func binary(t *testing.T) string {
	t.Helper()
	if bin := os.Getenv("COMPANION_BIN"); bin != "" {
		return bin
	}
	bin := filepath.Join(t.TempDir(), "companion")
	cmd := exec.Command("go", "build", "-o", bin, "companion/cmd/companion")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return bin
}
