package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"companion/permission/program"
)

func TestTheBuiltInListOnlyReads(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	elsewhere, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(dir, "link")); err != nil {
		t.Skip("no symlinks here: ", err)
	}
	for line, want := range map[string]bool{
		"ls -la": true, "ls": true, "pwd": true, "cat a.go": true, "cat ./sub/a.go": true, "head -n 5 a.go | wc -l": true,
		"git log --oneline -5": true, "git --no-pager diff HEAD~1 -- a.go": false, "git show HEAD:a.go": true, "grep -n x a.go": true,
		"ls && pwd; git status": true, "go version": true, "echo hi": true, "git branch": true, "git remote -v": true, "tail -n 3 a": true,
		"cat /etc/passwd": false, "cat ../x": false, "cat ~/.ssh/id_rsa": false, "cat .env": false, "git show HEAD:.env": false,
		"cat sub/server.key": false, "cat link/x": false, "ls link": false, "grep -r x .": false, "grep -Rn x": false, "grep --recursive x": false,
		"tail -f a": false, "cat *": false, "cat .e*": false, "ls $HOME": false, "git branch -D x": false, "git remote add o u": false,
		"git tag v1": false, "git stash": false, "go env -w A=b": false, "go list ./...": false, "sort -o x y": false, "sed -i s/a/b/ x": false,
		"find . -delete": false, "./ls": false, "/tmp/ls": false, "ls -I/etc/x": false, "diff -r a b": false, "git diff --no-index /etc/passwd a": false,
		"printf -v PATH x": false, "printf %s x": true, "cat <(ls)": false, "rg x": false, "ls > x": false, "cat a\x00b": false,
	} {
		l := Parse(line, dir, "")
		ok := l.Understood() && len(l.Touches) == 0 || l.Understood() && !strings.Contains(line, ">")
		for _, s := range l.Commands {
			ok = ok && (s.Unclear == "guessed" || s.ReadOnly([]string{dir}))
		}
		if ok != want {
			t.Errorf("%q: %v, want %v (%+v)", line, ok, want, l)
		}
	}
}

func TestGitIsNotReadOnlyWhereAPlainFolderMayBeItsRepository(t *testing.T) {
	dir := t.TempDir()
	bare := filepath.Join(dir, "docs", "bare")
	if err := os.MkdirAll(filepath.Join(bare, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bare, "HEAD"), []byte("ref: refs/heads/main\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]bool{dir: true, filepath.Join(dir, "docs"): true, bare: false, filepath.Join(bare, "sub"): false} {
		if got := program.ReadOnly([]string{"git", "status"}, in, []string{dir}); got != want {
			t.Errorf("git status in %s: read-only %v, want %v", in, got, want)
		}
	}
}
