//go:build unix

package disk

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"companion/workspace/place"
)

func TestAFIFOIsNotOpened(t *testing.T) {
	p := filepath.Join(t.TempDir(), "pipe")
	must(t, syscall.Mkfifo(p, 0o644))
	if _, err := Read(context.Background(), p, 10); !errors.Is(err, ErrNotFile) {
		t.Errorf("%v", err)
	}
}

func TestModeBitsStay(t *testing.T) {
	for _, mode := range []os.FileMode{0o600, 0o755, 0o620, 0o755 | os.ModeSetuid | os.ModeSetgid, 0o222} {
		_, s := setup(t, "old")
		must(t, os.Chmod(s.Path, mode))
		old := mustRead(t, s.Path)
		_, err := Put(s, old, with(t, old, "new"))
		must(t, err)
		if info, err := os.Stat(s.Path); err != nil || info.Mode() != mode {
			t.Errorf("%v became %v, %v", mode, info.Mode(), err)
		}
	}
}

func TestANewFileHasTheRightsOfTheUmask(t *testing.T) {
	root, _ := setup(t, "old")
	s := Spot{Path: filepath.Join(root, "new"), Root: root, Rel: "new"}
	_, err := Put(s, File{}, with(t, File{}, "x"))
	must(t, err)
	want := filepath.Join(root, "plain")
	f, err := os.Create(want)
	must(t, err)
	must(t, f.Close())
	a, err := os.Stat(s.Path)
	must(t, err)
	b, err := os.Stat(want)
	must(t, err)
	if a.Mode() != b.Mode() {
		t.Errorf("%v, want %v", a.Mode(), b.Mode())
	}
}

// TestAFullDiskLeavesTheOldFile runs itself with a limit on the size of files.
func TestAFullDiskLeavesTheOldFile(t *testing.T) {
	const key = "COMPANION_TEST_SMALL_FILES"
	if dir := os.Getenv(key); dir != "" {
		signal.Ignore(syscall.SIGXFSZ)
		must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4096, Max: 4096}))
		s := Spot{Path: filepath.Join(dir, "f.txt"), Root: dir, Rel: "f.txt"}
		old := mustRead(t, s.Path)
		_, err := Put(s, old, with(t, old, strings.Repeat("x\n", 8192)))
		if !errors.Is(err, syscall.EFBIG) {
			t.Errorf("%v", err)
		}
		return
	}
	dir := place.Canonical(t.TempDir())
	rewrite(t, filepath.Join(dir, "f.txt"), "old")
	cmd := exec.Command(os.Args[0], "-test.run=^TestAFullDiskLeavesTheOldFile$")
	cmd.Env = append(os.Environ(), key+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := mustRead(t, filepath.Join(dir, "f.txt")).Text; got != "old" || names(t, dir) != "f.txt" {
		t.Errorf("%q among %s", got, names(t, dir))
	}
}
