package search

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"companion/tools"
)

type args = map[string]any

func TestRipgrepIsThere(t *testing.T) {
	if !hasRipgrep() {
		t.Skip("NOT RUN: every comparison with ripgrep; it is not installed (scripts/need.sh search)")
	}
}

func TestHitsAreToldByPathLineAndText(t *testing.T) {
	r := build(t, map[string]string{"b.go": "package b\nfunc Foo() {}\n", "a/c.go": "// Foo\r\nx\r\n// Foo", "a.go": "no"})
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"pattern": "Foo"}, "a/c.go:1:// Foo\na/c.go:3:// Foo\nb.go:2:func Foo() {}\n(3 hits in 2 files.)\n"},
		{args{"pattern": "Foo", "path": "a"}, "a/c.go:1:// Foo\na/c.go:3:// Foo\n(2 hits in 1 file.)\n"},
		{args{"pattern": "Foo", "path": "b.go"}, "b.go:2:func Foo() {}\n(1 hit in 1 file.)\n"},
		{args{"pattern": "foo", "ignore_case": true, "mode": "files"}, "a/c.go\nb.go\n(2 files.)\n"},
		{args{"pattern": "Foo", "mode": "count"}, "a/c.go:2\nb.go:1\n(3 hits in 2 files.)\n"},
		{args{"pattern": "Foo$", "context": 1}, "a/c.go:1:// Foo\na/c.go-2-x\na/c.go:3:// Foo\n(2 hits in 1 file.)\n"},
		{args{"pattern": "^x", "context": 1}, "a/c.go-1-// Foo\na/c.go:2:x\na/c.go-3-// Foo\n(1 hit in 1 file.)\n"},
		{args{"pattern": "Foo() {", "literal": true}, "b.go:2:func Foo() {}\n(1 hit in 1 file.)\n"},
		{args{"pattern": `b\nfunc`, "multiline": true}, "b.go:1:package b\nb.go:2:func Foo() {}\n(1 hit in 1 file.)\n"},
		{args{"pattern": "Foo", "limit": 1}, "a/c.go:1:// Foo\n(Hits 1 to 1 of 3 hits in 2 files. Go on with offset 1, or narrow it by path, glob or type.)\n"},
		{args{"pattern": "Foo", "limit": 2, "offset": 1}, "a/c.go:3:// Foo\nb.go:2:func Foo() {}\n(Hits 2 to 3; that is all: 3 hits in 2 files.)\n"},
		{args{"pattern": "Foo", "offset": 9}, "(Nothing from offset 9 on: there are 3 hits in 2 files.)\n"},
		{args{"pattern": "Foo", "mode": "files", "limit": 1}, "a/c.go\n(Files 1 to 1 of 2 files. Go on with offset 1, or narrow it by path, glob or type.)\n"},
	} {
		if got := r.grep(c.args); got != c.want {
			t.Errorf("%v:\n%s\nwant\n%s", c.args, got, c.want)
		}
	}
}

func TestAMissSaysWhatWasNotSearched(t *testing.T) {
	r := build(t, map[string]string{"a": "x"})
	if got := r.grep(args{"pattern": "Nope"}); !strings.Contains(got, "No hits") || !strings.Contains(got, "git ignores") || !strings.Contains(got, "set ignored or hidden") || !strings.Contains(got, "ignore_case") {
		t.Error(got)
	}
	if got := r.grep(args{"pattern": "nope", "path": "a"}); got != "No hits for \"nope\" in a.\n" {
		t.Error(got)
	}
}

func TestFilesAreNarrowedByGlobAndType(t *testing.T) {
	r := build(t, map[string]string{"a.go": "x", "b.ts": "x", "src/c.tsx": "x", "src/d/e.go": "x", "Makefile": "x", "f.min.js": "x", "src/[id]/p.go": "x"})
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"type": "go"}, "a.go src/[id]/p.go src/d/e.go"},
		{args{"type": "make"}, "Makefile"},
		{args{"type": "tsx"}, "src/c.tsx"},
		{args{"type": "ts"}, "b.ts src/c.tsx"},
		{args{"glob": "*.go"}, "a.go src/[id]/p.go src/d/e.go"},
		{args{"glob": "./*.go"}, "a.go src/[id]/p.go src/d/e.go"},
		{args{"glob": "**/*.{ts,tsx}"}, "b.ts src/c.tsx"},
		{args{"glob": "src/**/*.go"}, "src/[id]/p.go src/d/e.go"},
		{args{"glob": "src/**", "path": "src"}, "src/[id]/p.go src/c.tsx src/d/e.go"}, // from the working folder too
		{args{"glob": "src"}, "src/[id]/p.go src/c.tsx src/d/e.go"},
		{args{"glob": "src/[id]/*"}, "src/[id]/p.go"},
		{args{"glob": "!*.go"}, "Makefile b.ts f.min.js src/c.tsx"},
		{args{"glob": "!src/**"}, "Makefile a.go b.ts f.min.js"},
		{args{"glob": "c.tsx"}, "src/c.tsx"},
		{args{"glob": "?.ts*"}, "b.ts src/c.tsx"},
		{args{"glob": "*.min.js", "type": "js"}, "f.min.js"},
		{args{"glob": "[ab].*"}, "a.go b.ts"},
		{args{"glob": "*.ts, *.tsx"}, "b.ts src/c.tsx"},
	} {
		c.args["pattern"], c.args["mode"] = "x", "files"
		got := r.grep(c.args)
		names, _, _ := strings.Cut(strings.ReplaceAll(got, "\n", " "), " (")
		if names != c.want {
			t.Errorf("%v: %s\nwant %s", c.args, got, c.want)
		}
	}
	if got := r.grep(args{"pattern": "x", "type": "cobolt"}); !strings.Contains(got, "no type") || !strings.Contains(got, "rust") {
		t.Error(got)
	}
}

// HB-121: neither a pattern nor a path is ever an option.
func TestHB121PatternsAndPathsThatBeginWithAHyphen(t *testing.T) {
	r := build(t, map[string]string{"-rf.txt": "a->b\n-1\n--help\n-e\n", "-x/-v": "-e --pre=touch\n", "--hidden": "p -l\n"})
	for pattern, want := range map[string]string{
		"->": "-rf.txt:1:a->b\n(1 hit in 1 file.)\n", "-1": "-rf.txt:2:-1\n(1 hit in 1 file.)\n", "--help": "-rf.txt:3:--help\n(1 hit in 1 file.)\n",
		"-e": "-rf.txt:4:-e\n-x/-v:1:-e --pre=touch\n(2 hits in 2 files.)\n", "--pre=touch": "-x/-v:1:-e --pre=touch\n(1 hit in 1 file.)\n", "-l": "--hidden:1:p -l\n(1 hit in 1 file.)\n",
	} {
		for _, literal := range []bool{false, true} {
			if got := r.grep(args{"pattern": pattern, "literal": literal}); got != want {
				t.Errorf("%s: %q, want %q", pattern, got, want)
			}
		}
	}
	for path, want := range map[string]string{"-x": "-x/-v:1:", "-rf.txt": "-rf.txt:4:", "-x/-v": "-x/-v:1:", "./-x": "-x/-v:1:"} {
		if got := r.grep(args{"pattern": "-e", "path": path}); !strings.HasPrefix(got, want) {
			t.Errorf("path %s: %q", path, got)
		}
	}
	for pattern, want := range map[string]string{"-*": "-rf.txt\n", "-x/*": "-x/-v\n", "--hidden": "--hidden\n", "-rf.txt": "-rf.txt\n"} {
		if got := r.glob(args{"pattern": pattern}); !strings.Contains(got, want) {
			t.Errorf("glob %s: %q", pattern, got)
		}
	}
	if got := r.grep(args{"pattern": "-e", "glob": "-*"}); !strings.HasPrefix(got, "-rf.txt:4:-e\n-x/-v:1:") {
		t.Errorf("glob: %q", got)
	}
}

// HB-105: a file in UTF-16 is searched as the text that it is.
func TestHB105TextInUTF16IsSearched(t *testing.T) {
	r := build(t, map[string]string{"w.txt": utf16(t, "one\r\nnaïve two\r\n"), "n.txt": "two", "odd.txt": "\xff\xfea"})
	if got := r.grep(args{"pattern": "two$"}); got != "n.txt:1:two\nw.txt:2:naïve two\n(2 hits in 2 files.)\n" {
		t.Error(got)
	}
	if got := r.glob(args{"pattern": "*.txt"}); !strings.Contains(got, "w.txt") || !strings.Contains(got, "(3 files.)") {
		t.Error(got)
	}
	if got := r.grep(args{"pattern": "a", "path": "odd.txt"}); !strings.Contains(got, "binary: odd.txt") {
		t.Error(got)
	}
}

func TestWhatOtherCharsetsAndBinaryFilesGive(t *testing.T) {
	r := build(t, map[string]string{"latin": "caf\xe9\n", "bom": "\xef\xbb\xbffirst\n", "bin": "caf\x00first", "late": strings.Repeat("first\n", 50_000) + "\x00", "nah": "first"})
	if got := r.grep(args{"pattern": "café"}); got != "latin:1:café\n(1 hit in 1 file.)\n" {
		t.Error(got)
	}
	if got := r.grep(args{"pattern": "^first"}); got != "bom:1:first\nnah:1:first\n(2 hits in 2 files.)\n" {
		t.Error(got)
	}
}

func TestBuffersWithUnsavedTextAreSearchedAsTheyStand(t *testing.T) {
	r := build(t, map[string]string{".gitignore": "ig.go\n", "a.go": "old\n", "b.go": "old\n", "ig.go": "old\n", "z.go": "old"})
	for name, content := range map[string]string{"a.go": "new\n", "ig.go": "new\n", "m.go": "new here\n", "z.go": "old", ".h.go": "new", "sub/x.go": "new"} {
		r.ws.DidOpen(r.uri(name), "go", 1, content)
	}
	r.ws.DidOpen("untitled:Untitled-1", "go", 1, "new")
	if got, want := r.grep(args{"pattern": "new"}), "a.go:1:new\nm.go:1:new here\nsub/x.go:1:new\n(3 hits in 3 files.)\n(As it stands in the editor, unsaved: a.go, m.go, sub/x.go.)\n"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := r.grep(args{"pattern": "old"}); got != "b.go:1:old\nz.go:1:old\n(2 hits in 2 files.)\n" {
		t.Error(got)
	}
	if got := r.grep(args{"pattern": "new", "path": "m.go"}); !strings.HasPrefix(got, "m.go:1:new here\n") {
		t.Error(got)
	}
	r.ws.Lose(r.uri("a.go"))
	if got := r.grep(args{"pattern": "zz"}); !strings.Contains(got, "a.go") {
		t.Error(got)
	}
}

func TestSecretsThatASearchComesByAreNotTold(t *testing.T) {
	r := build(t, map[string]string{".env": "KEY=v\n", "server.pem": "KEY\n", "a": "KEY\n"})
	r.o.Readable = func(_ tools.Call, s tools.Spec) func(string) bool {
		if s.Name != "grep" {
			t.Errorf("asked for %s", s.Name)
		}
		return func(path string) bool { return filepath.Base(path) == "a" }
	}
	for _, mode := range []string{"content", "files", "count"} {
		if got := r.grep(args{"pattern": "KEY", "hidden": true, "mode": mode}); strings.Contains(got, "env") || strings.Contains(got, "pem") || !strings.Contains(got, "a") {
			t.Errorf("%s: %s", mode, got)
		}
	}
	action, err := r.ask(Grep(r.o), args{"pattern": "KEY", "path": ".env"})
	if err != nil || len(action.Effects) != 1 || action.Effects[0].Path != filepath.Join(r.dir, ".env") {
		t.Errorf("a secret that is named is not put to the policy: %+v, %v", action.Effects, err)
	}
}

func TestWhatLiesOutsideIsPutToThePolicy(t *testing.T) {
	r, other := build(t, map[string]string{"a": "x"}), build(t, map[string]string{"b": "x"})
	for _, tool := range []tools.Tool{Grep(r.o), Glob(r.o)} {
		action, err := r.ask(tool, args{"pattern": "x", "path": other.dir})
		if err != nil || len(action.Effects) != 1 || !action.Effects[0].Outside {
			t.Errorf("%+v, %v", action.Effects, err)
		}
	}
	for _, pattern := range []string{filepath.ToSlash(other.dir) + "/*", "../" + filepath.Base(filepath.Dir(other.dir)) + "/*"} {
		action, err := r.ask(Glob(r.o), args{"pattern": pattern})
		if err != nil || len(action.Effects) != 1 || !action.Effects[0].Outside {
			t.Errorf("%s: %+v, %v", pattern, action.Effects, err)
		}
	}
	if got := r.grep(args{"pattern": "x", "path": other.dir}); got != filepath.Join(other.dir, "b")+":1:x\n(1 hit in 1 file.)\n" {
		t.Error(got)
	}
}

func TestMoreHitsThanAreShownAreCounted(t *testing.T) {
	files := map[string]string{}
	for i := range 60 {
		files[fmt.Sprintf("f%02d", i)] = strings.Repeat("hit\n", 50)
	}
	r := build(t, files)
	got := r.grep(args{"pattern": "hit"})
	if strings.Count(got, ":hit\n") != 100 || !strings.Contains(got, "(Hits 1 to 100 of at least 1,100 hits in 22 files. Go on with offset 100") {
		t.Error(got[strings.LastIndex(got, "("):])
	}
	got = r.grep(args{"pattern": "hit", "offset": 2950})
	if !strings.Contains(got, "(Hits 2951 to 3000; that is all: 3,000 hits in 60 files.)") {
		t.Error(got[strings.LastIndex(got, "("):])
	}
	if got := r.grep(args{"pattern": "hit", "mode": "count", "limit": 3}); !strings.Contains(got, "(Files 1 to 3 of 3,000 hits in 60 files.") {
		t.Error(got)
	}
}

func TestAResultStaysWithinItsBudget(t *testing.T) {
	r := build(t, map[string]string{"min.js": strings.Repeat(strings.Repeat("x", 9_000)+"hit"+strings.Repeat("y", 9_000)+"\n", 90)})
	got := r.grep(args{"pattern": "hit"})
	if len(got) > mostText+5_000 || !strings.Contains(got, "Go on with offset") || !strings.Contains(got, "xhity") {
		t.Errorf("%d bytes: %s", len(got), got[max(0, len(got)-200):])
	}
}

func TestSeveralRootsAreSearched(t *testing.T) {
	r, other := build(t, map[string]string{"a": "x", "in/b": "x"}), build(t, map[string]string{"c": "x"})
	r.call.Roots = []string{r.dir, filepath.Join(r.dir, "in"), other.dir}
	if err := r.ws.SetRoots(r.call.Roots); err != nil {
		t.Fatal(err)
	}
	if got, want := r.grep(args{"pattern": "x", "mode": "files"}), "a\nin/b\n"+filepath.Join(other.dir, "c")+"\n(3 files.)\n"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestPathsThatAreNotThereAreTold(t *testing.T) {
	r := build(t, map[string]string{"src/main.go": "x"})
	if got := r.grep(args{"pattern": "x", "path": "src/*.go"}); !strings.Contains(got, "no file src/*.go") || !strings.Contains(got, "`glob`") {
		t.Error(got)
	}
	if got := r.grep(args{"pattern": "x", "path": "main.go"}); !strings.Contains(got, "src/main.go") {
		t.Error(got)
	}
}

// A tree with an rg of its own in PATH, by name, by link or relative, does not
// get it run.
func TestAnRgInsideTheWorkspaceIsNeverRun(t *testing.T) {
	r := build(t, map[string]string{"bin/rg": "#!/bin/sh\ntouch \"$(dirname \"$0\")/../ran\"\necho ripgrep 99.0\n", "a": "x"})
	if err := os.Chmod(filepath.Join(r.dir, "bin", "rg"), 0o755); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	if err := os.Symlink(filepath.Join(r.dir, "bin", "rg"), filepath.Join(out, "rg")); err != nil {
		t.Skip("no symlinks here: ", err)
	}
	t.Chdir(r.dir)
	list := string(os.PathListSeparator)
	r.o.Getenv = func(k string) string {
		if k == "PATH" {
			return filepath.Join(r.dir, "bin") + list + "bin" + list + "." + list + out
		}
		return ""
	}
	if got := r.run(Grep(r.o), args{"pattern": "x"}); !strings.HasPrefix(got, "a:1:x\n") {
		t.Error(got)
	}
	if _, err := os.Stat(filepath.Join(r.dir, "ran")); err == nil {
		t.Error("it was run")
	}
}

// What read shows as the text of a PDF is not what is searched: "no hits" says so.
func TestAMissInAPDFIsNoProof(t *testing.T) {
	r := build(t, map[string]string{"a.pdf": "%PDF-1.4\nstream", "b.txt": "x\n"})
	if got := r.grep(args{"pattern": "quick", "path": "a.pdf"}); !strings.Contains(got, "Not searched, the text of its pages, which `read` gives: a.pdf") {
		t.Error(got)
	}
	if got := r.grep(args{"pattern": "X", "path": "b.txt"}); got != "No hits for \"X\" in b.txt. Case counted: ignore_case changes that.\n" {
		t.Error(got)
	}
}
