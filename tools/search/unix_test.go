//go:build unix

package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestNothingBlocksOrLeadsAstray(t *testing.T) {
	r, other := build(t, map[string]string{"a": "x", "new\nline": "x", "sub/b": "x", "e\u0301": "x", "caf\xe9": "x"}), build(t, map[string]string{"secret": "x"})
	for name, to := range map[string]string{"loop": ".", "sub/up": "..", "dead": "nowhere", "out": other.dir, "outfile": filepath.Join(other.dir, "secret"), "link": "a"} {
		if err := os.Symlink(to, filepath.Join(r.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(r.dir, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	want := "a\n\"caf\\xe9\"\ne\u0301\n\"new\\nline\"\nsub/b\n(5 files.)\n"
	if got := r.grep(args{"pattern": "x", "mode": "files"}); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	got := r.glob(args{"pattern": "**"})
	if strings.Contains(got, "pipe") || strings.Contains(got, "secret") || !strings.Contains(got, "link\n") || !strings.Contains(got, "dead\n") {
		t.Error(got)
	}
	if got := r.grep(args{"pattern": "x", "path": "pipe"}); !strings.Contains(got, "not a regular file") {
		t.Error(got)
	}
	if got := r.grep(args{"pattern": "x", "path": "/dev/zero"}); !strings.Contains(got, "not a regular file") {
		t.Error(got)
	}
	action, err := r.ask(Grep(r.o), args{"pattern": "x", "path": "out"})
	if err != nil || !action.Effects[0].Outside {
		t.Errorf("a link that leads out is searched unasked: %+v, %v", action.Effects, err)
	}
}

func TestWhatMayNotBeReadIsTold(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("NOT RUN: root may read everything")
	}
	r := build(t, map[string]string{"a/f": "x", "b/f": "x", "c": "x"})
	for _, name := range []string{"a", "c"} {
		if err := os.Chmod(filepath.Join(r.dir, name), 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(filepath.Join(r.dir, name), 0o755) })
	}
	if got, want := r.grep(args{"pattern": "x"}), "b/f:1:x\n(1 hit in 1 file.)\n(Not searched, cannot be read (permission denied): a, c.)\n"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := r.glob(args{"pattern": "*"}); !strings.Contains(got, "(Not listed, cannot be read (permission denied): a.)") {
		t.Error(got)
	}
}

func TestRipgrepsComplaintsAreUnderstood(t *testing.T) {
	denied, sound := complaints("rg: ./a b: Permission denied (os error 13)\n./c: Permission denied (os error 13)\nrg: ./gone: No such file or directory (os error 2)\n")
	if !sound || fmt.Sprint(denied) != "[a b c]" {
		t.Errorf("%q, %v", denied, sound)
	}
	if _, sound := complaints("regex parse error:\n"); sound {
		t.Error("an error of another kind is taken for nothing")
	}
}

func TestLargeFilesAreSearchedInPieces(t *testing.T) {
	r := build(t, map[string]string{"small": "needle\n"})
	path := filepath.Join(r.dir, "large.log")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Repeat("z", 1023) + "\n"
	block := strings.Repeat(line, 1024)
	for range mostWhole>>20 + 3 {
		if _, err := f.WriteString(block); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.WriteString("needle at the end\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("large.log:%d:needle at the end\nsmall:1:needle\n(2 hits in 2 files.)\n", 1024*(mostWhole>>20+3)+1)
	if got := r.grep(args{"pattern": "needle"}); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := r.grep(args{"pattern": "needle at", "multiline": true}); !strings.Contains(got, "too large to be searched across lines") {
		t.Error(got)
	}
}

func TestAStopEndsASearchAtOnce(t *testing.T) {
	r := build(t, map[string]string{"slow": strings.Repeat("abcdefghij ", 1<<20)})
	r.o.NoRipgrep = true
	action, err := r.ask(Grep(r.o), args{"pattern": `(\w+ \w+){40}[^a-z ]\d`})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	begin := time.Now()
	if _, err := action.Run(ctx, nil); err == nil || time.Since(begin) > 5*time.Second {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
}

// Random trees with random ignore files and contents: one answer by either way.
func TestRandomTreesGiveTheSameWithAndWithoutRipgrep(t *testing.T) {
	if !hasRipgrep() {
		t.Skip("NOT RUN: ripgrep is not installed (scripts/need.sh search)")
	}
	rnd := rand.New(rand.NewPCG(7, 8))
	pick := func(list ...string) string { return list[rnd.IntN(len(list))] }
	name := func() string { return pick("a", "b", "c.go", "d.log", ".h", "e f", "[x]", "-n", "build") }
	for round := range 12 {
		files := map[string]string{"keep/": ""}
		if round%5 > 0 {
			files[".git/HEAD"] = ""
		}
		for range 40 {
			path := name()
			for range rnd.IntN(4) {
				path = "d" + path + "/" + name()
			}
			files[path+pick("", "1", "2")] = pick("hit\n", "miss\n", "hit\r\nhit", "\xff\xfeh\x00i\x00t\x00", "hit\x00", "caf\xe9 hit")
		}
		for range 1 + rnd.IntN(3) {
			var rules strings.Builder
			for range 1 + rnd.IntN(4) {
				rules.WriteString(pick("", "", "!", "/") + pick("*.log", "da", "da/", "**/b*", "d*/c.go", "*", "build", "[[]x*", "-n", "e\\ f", "d?/**", "keep/**", "db/**/c.go1", "*1") + "\n")
			}
			files[pick("", "da/", "db/", "dc.go/")+".gitignore"] = rules.String()
		}
		if round%7 == 0 {
			files["da/.git/HEAD"], files["da/.git/info/exclude"] = "", "c.go*\n"
		}
		r := build(t, files)
		for range 3 {
			a := args{"pattern": pick("hit", "h.t$", "é hit", "i", "^hit"), "mode": pick("content", "files", "count"), "hidden": rnd.IntN(3) == 0, "ignored": rnd.IntN(4) == 0, "glob": pick("", "", "*.go*", "d*/**", "!*.log")}
			if sub := filepath.Join(r.dir, "da"); rnd.IntN(4) == 0 && isDir(sub) {
				a["path"] = "da"
			}
			r.grep(a)
			if t.Failed() {
				t.Fatalf("round %d: %q", round, files)
			}
		}
	}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
