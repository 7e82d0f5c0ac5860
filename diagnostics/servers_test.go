package diagnostics

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"companion/text"
	"companion/tools"
	"companion/workspace"
)

// env is the environment for servers: tools of the developer cache first, no
// module downloads.
func env(t testing.TB) []string {
	t.Helper()
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			t.Fatal(err)
		}
		cache = filepath.Join(home, ".cache")
	}
	dev := filepath.Join(cache, "companion-dev")
	path := strings.Join([]string{filepath.Join(dev, "bin"), filepath.Join(dev, "npm", "node_modules", ".bin"), os.Getenv("PATH")}, string(os.PathListSeparator))
	return append(os.Environ(), "PATH="+path, "GOFLAGS=-mod=mod", "GOPROXY=off", "GOTOOLCHAIN=local")
}

// need skips, loudly, when a server is not installed.
func need(t testing.TB, command string) {
	t.Helper()
	if _, err := lookPath(command, env(t)); err != nil {
		t.Skipf("SKIPPED: %s is not installed: the real server was not tested", command)
	}
}

// project writes files into a temporary folder that is the only root, headless.
func project(t testing.TB, files map[string]string) (*workspace.Workspace, func(name string) string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.New(workspace.Options{Roots: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	return ws, func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
}

// start gives a service that ends with the test.
func start(t testing.TB, o Options) *Service {
	t.Helper()
	s := New(o)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = s.Close(ctx)
	})
	return s
}

// write changes a file as the edit tools do and gives the call as the barrier
// sees it.
func write(t testing.TB, ws *workspace.Workspace, path, after string) tools.Finished {
	t.Helper()
	snap, err := ws.Read(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	ch := workspace.Change{Kind: workspace.Modify, Path: path, Base: snap.Hash, Before: snap.Text, After: after}
	if !snap.Exists {
		ch = workspace.Change{Kind: workspace.Create, Path: path, After: after}
	}
	if _, err := ws.Apply(t.Context(), "test", []workspace.Change{ch}); err != nil {
		t.Fatal(err)
	}
	return tools.Finished{
		Inv: &tools.Invocation{Call: tools.Call{Thread: "t1", ID: path}},
		Result: &tools.Result{Outcome: tools.OK, Text: "Wrote it.", Changed: []tools.Change{
			{Path: path, Before: snap.Text, After: after, Created: !snap.Exists},
		}},
	}
}

// step runs one edit through the barrier.
func step(t testing.TB, s *Service, path, after string) *tools.Result {
	t.Helper()
	f := write(t, s.ws, path, after)
	s.AfterStep(t.Context(), []tools.Finished{f})
	if f.Result.Report == nil {
		t.Fatalf("the edit of %s got no report", path)
	}
	return f.Result
}

const (
	goodGo = "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(double(2))\n}\n\nfunc double(n int) int { return 2 * n }\n"
	badGo  = "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(double(2))\n\tx := 1\n}\n\nfunc double(n int) int { return 2 * n }\n"
)

func TestServersGoplsTellsWhatAnEditBrokeAndFixed(t *testing.T) {
	need(t, "gopls")
	ws, at := project(t, map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n", "main.go": goodGo})
	s := start(t, Options{Workspace: ws, Env: env(t)})
	s.Open(at("main.go"))
	rep, items, err := s.Diagnostics(t.Context(), []string{at("main.go")}, tools.Warning)
	if err != nil || rep.Status != tools.Complete || len(items) != 0 {
		t.Fatalf("before: %+v %v %v", rep, items, err)
	}
	r := step(t, s, at("main.go"), badGo)
	if r.Report.Status != tools.Complete || len(r.Report.New) != 1 || r.Report.New[0].Range.Start != (text.Position{Line: 6, Character: 1}) {
		t.Fatalf("after breaking: %+v\n%s", r.Report, r.Text)
	}
	if !strings.Contains(r.Text, "main.go:7:2: error: declared and not used: x [compiler UnusedVar]") {
		t.Fatalf("the text does not say it:\n%s", r.Text)
	}
	r = step(t, s, at("main.go"), goodGo)
	if r.Report.Status != tools.Complete || len(r.Report.New) != 0 || len(r.Report.Fixed) != 1 {
		t.Fatalf("after repair: %+v\n%s", r.Report, r.Text)
	}
	if runtime.GOOS == "linux" {
		t.Log(r.Text)
	}
}
