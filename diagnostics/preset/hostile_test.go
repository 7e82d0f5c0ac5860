package preset

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"companion/diagnostics/lspclient"
)

func touch(t *testing.T, parts ...string) string {
	t.Helper()
	path := filepath.Join(parts...)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTypeScriptOfTheWorkspaceIsNotRun(t *testing.T) {
	root, home, lone := t.TempDir(), t.TempDir(), t.TempDir()
	theirs := touch(t, root, "node_modules", "typescript", "lib", "tsserver.js")
	ours := touch(t, home, "node_modules", "typescript", "lib", "tsserver.js")
	server := touch(t, home, "node_modules", "typescript-language-server", "lib", "cli.mjs")
	alone := touch(t, lone, "typescript-language-server", "cli.mjs")
	yes := func(path string) bool { return path == theirs }
	for name, c := range map[string]struct {
		init, command string
		where         Where
		want, fails   string
	}{
		"the one beside the server instead": {`{"a":1}`, server, Where{Root: root, Roots: []string{root}}, ours, ""},
		"also from a folder below":          {``, server, Where{Root: filepath.Join(root, "pkg"), Roots: []string{root}}, ours, ""},
		"none but theirs":                   {`{}`, alone, Where{Root: root, Roots: []string{root}}, "", "install TypeScript outside"},
		"trusted":                           {`{}`, server, Where{Root: root, Roots: []string{root}, Trusted: yes}, "", ""},
		"the user's own choice":             {`{"tsserver":{"path":"/t"}}`, server, Where{Root: root, Roots: []string{root}}, "/t", ""},
		"none in the workspace":             {`{}`, server, Where{Root: lone, Roots: []string{lone}}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := Preset{Name: "typescript", Init: json.RawMessage(c.init), Profile: lspclient.Profile{Tsserver: true}}
			got, err := p.Options(c.where, c.command)
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("err %v, want one with %q", err, c.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var opt struct{ Tsserver struct{ Path string } }
			if err := json.Unmarshal(got, &opt); err != nil {
				t.Fatal(err)
			}
			if opt.Tsserver.Path != c.want {
				t.Errorf("tsserver.path %q in %s, want %q", opt.Tsserver.Path, got, c.want)
			}
		})
	}
}

func TestAServerDoesNotInheritRelativeFoldersOfPATH(t *testing.T) {
	bin, root := t.TempDir(), t.TempDir()
	touch(t, bin, "gopls")
	path := strings.Join([]string{".", "", "bin", bin}, string(filepath.ListSeparator))
	cmd, err := Preset{Name: "gopls", Command: "gopls"}.Find(Where{Root: root, Roots: []string{root}, Env: []string{"PATH=" + path, "HOME=/h"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(cmd.Env, " "); got != "PATH="+bin+" HOME=/h" {
		t.Errorf("environment %q", got)
	}
}
