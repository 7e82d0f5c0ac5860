package diagnostics

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"companion/tools"
)

// script writes an executable shell script and gives its folder.
func script(t *testing.T, dir, name, body string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestServersInsideTheWorkspaceAreNotStarted(t *testing.T) {
	ws, at := project(t, map[string]string{"go.mod": "module m\n", "main.go": goodGo})
	bin := script(t, at("bin"), "gopls", "touch '"+at("started")+"'")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(bin, link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{bin, link, "bin", "."} {
		s := start(t, Options{Workspace: ws, Env: []string{"PATH=" + dir}})
		r := step(t, s, at("main.go"), goodGo+"// "+dir+"\n")
		if r.Report.Status != tools.ServerDown {
			t.Fatalf("PATH=%s: %+v\n%s", dir, r.Report, r.Text)
		}
	}
	if _, err := os.Stat(at("started")); err == nil {
		t.Fatal("the repository's program ran")
	}
	s := start(t, Options{Workspace: ws, Env: []string{"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")}, TrustedCommand: func(string) bool { return true }})
	step(t, s, at("main.go"), goodGo)
	if _, err := os.Stat(at("started")); err != nil {
		t.Fatal("a trusted program did not run")
	}
}

func TestServersThatFailAreToldWithHowToInstallThem(t *testing.T) {
	ws, at := project(t, map[string]string{"Cargo.toml": "", "main.rs": "fn main() {}\n"})
	bin := script(t, t.TempDir(), "rust-analyzer", "echo \"error: Unknown binary 'rust-analyzer' in official toolchain\" >&2; exit 1")
	s := start(t, Options{Workspace: ws, Env: []string{"PATH=" + bin}})
	r := step(t, s, at("main.rs"), "fn main() { }\n")
	for _, part := range []string{"does not work", "exit status 1: error: Unknown binary", "rustup component add rust-analyzer"} {
		if !strings.Contains(r.Text, part) {
			t.Fatalf("%q is missing in:\n%s", part, r.Text)
		}
	}
	var names []string
	for _, f := range s.Doctor(t.Context(), at(".")) {
		names = append(names, f.Name)
		switch {
		case f.OK:
			t.Errorf("%+v", f)
		case f.Name == "gopls" && !strings.Contains(f.Text, "not found in PATH; to install it: go install golang.org/x/tools/gopls@latest"):
			t.Errorf("%+v", f)
		case f.Name == "rust-analyzer" && (f.Path == "" || !strings.Contains(f.Text, "Unknown binary")):
			t.Errorf("%+v", f)
		}
	}
	if got := strings.Join(names, " "); got != "gopls typescript pyright clangd rust-analyzer" {
		t.Errorf("examined %s", got)
	}
}

// HB-007, with a real process
func TestServersThatSleepDoNotBlockEdits(t *testing.T) {
	ws, at := project(t, map[string]string{"x.fk": "x\n"})
	bin := script(t, t.TempDir(), "sleeper", "exec sleep 600")
	s := start(t, Options{
		Workspace: ws, Env: []string{"PATH=" + os.Getenv("PATH")}, Bounds: Bounds{Cold: time.Second, Initialize: 1500 * ms},
		Servers: map[string]Override{"sleeper": {Command: filepath.Join(bin, "sleeper"), Extensions: []string{".fk"}}},
	})
	begin := time.Now()
	r := step(t, s, at("x.fk"), "y\n")
	if took := time.Since(begin); took > 10*time.Second || r.Report.Status != tools.Pending {
		t.Fatalf("%s after %s\n%s", r.Report.Status, took, r.Text)
	}
	begin = time.Now()
	if r = step(t, s, at("x.fk"), "z\n"); r.Report.Status == tools.Complete || time.Since(begin) > time.Second {
		t.Fatalf("%s after %s\n%s", r.Report.Status, time.Since(begin), r.Text)
	}
}

func TestServersGoplsIsExamined(t *testing.T) {
	need(t, "gopls")
	ws, at := project(t, map[string]string{"go.mod": "module m\n"})
	s := start(t, Options{Workspace: ws, Env: env(t)})
	for _, f := range s.Doctor(t.Context(), at(".")) {
		t.Logf("%+v", f)
		if f.Name == "gopls" && (!f.OK || !strings.HasPrefix(f.Version, "v")) {
			t.Errorf("%+v", f)
		}
	}
}
