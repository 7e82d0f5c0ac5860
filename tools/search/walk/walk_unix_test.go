//go:build unix

package walk

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestLinksAreNamedAndNotFollowedAndPipesLeftOut(t *testing.T) {
	dir := tree(t, map[string]string{"real/f": "", "new\nline": "", "e\u0301": "", "caf\xe9": ""})
	for name, to := range map[string]string{"loop": ".", "real/up": "..", "dead": "nowhere", "link": "real/f"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("pipe", filepath.Join(dir, ".gitignore")); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(list(dir, Options{}), "|")
	if want := "caf\xe9|dead|e\u0301|link|loop|new\nline|real/f|real/up"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestFoldersThatCannotBeListedAreTold(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("NOT RUN: root may list every folder")
	}
	dir := tree(t, map[string]string{"a/f": "", "b/f": ""})
	if err := os.Chmod(filepath.Join(dir, "a"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "a"), 0o755) })
	tr := Open(dir, Options{})
	n := 0
	for range tr.Files(context.Background()) {
		n++
	}
	if got := tr.Unreadable(); n != 1 || len(got) != 1 || got[0] != "a" {
		t.Errorf("%d files, %q", n, got)
	}
}
