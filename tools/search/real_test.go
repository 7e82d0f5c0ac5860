package search

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// goRoot is a large tree that every machine with this repository has.
func goRoot(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Over Go's own tree and this repository, ripgrep and our walk give one answer,
// byte for byte.
func TestRealTreesGiveTheSameWithAndWithoutRipgrep(t *testing.T) {
	if !hasRipgrep() {
		t.Skip("NOT RUN: ripgrep is not installed (scripts/need.sh search)")
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	src := filepath.Join(goRoot(t), "src")
	for i, dir := range []string{filepath.Join(src, "net"), filepath.Dir(filepath.Dir(here)), src} {
		r := open1(t, dir)
		r.o.Getenv = nil
		for _, a := range []args{
			{"pattern": "ErrUnexpectedEOF"},
			{"pattern": "func .*Reader\\) Read\\(", "glob": "*.go", "context": 2},
			{"pattern": "TODO\\(\\w+\\)", "mode": "files", "limit": 1000},
			{"pattern": "utf-?16", "ignore_case": true, "mode": "count", "limit": 1000},
			{"pattern": `return nil\n\}\n\nfunc`, "multiline": true, "type": "go", "limit": 200},
			{"pattern": "é", "hidden": true, "ignored": true, "limit": 1000},
			{"pattern": `\bsync\.(Mutex|RWMutex)\b`, "offset": 300},
			{"pattern": "[^\\x00-\\x7f]{3}", "mode": "files", "type": "go", "limit": 1000},
			{"pattern": "no such thing anywhere, it is cut " + "in two"},
		} {
			if p, _ := a["pattern"].(string); dir == src && strings.ContainsAny(p, `\[^`) {
				continue // the race detector makes expressions over all of it minutes
			}
			got := r.grep(a)
			if i == 0 && strings.HasPrefix(got, "No hits") != strings.HasPrefix(a["pattern"].(string), "no such") {
				t.Errorf("%v in %s: %s", a, dir, got)
			}
		}
	}
}
