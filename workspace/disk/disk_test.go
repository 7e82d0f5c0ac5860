package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"companion/workspace/place"
)

func setup(t *testing.T, content string) (root string, s Spot) {
	t.Helper()
	root = place.Canonical(t.TempDir())
	s = Spot{Path: filepath.Join(root, "sub", "f.txt"), Root: root, Rel: "sub/f.txt"}
	if err := os.Mkdir(filepath.Join(root, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.Path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return root, s
}

func mustRead(t *testing.T, path string) File {
	t.Helper()
	f, err := Read(context.Background(), path, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func with(t *testing.T, f File, s string) File {
	t.Helper()
	next, err := f.With(s)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// names are the entries of dir: nothing temporary may be left.
func names(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range list {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}

func TestReadSaysWhatIsThere(t *testing.T) {
	root, s := setup(t, "abc")
	if err := os.WriteFile(filepath.Join(root, "bin"), []byte("a\x00"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, path string
		limit      int64
		want       error
		exists     bool
	}{
		{"a file", s.Path, 3, nil, true},
		{"nothing", filepath.Join(root, "no", "way"), 3, nil, false},
		{"below a file", filepath.Join(s.Path, "x"), 3, nil, false},
		{"a folder", root, 3, ErrNotFile, false},
		{"too large", s.Path, 2, ErrTooLarge, false},
		{"binary", filepath.Join(root, "bin"), 9, ErrBinary, true},
		{"a device", os.DevNull, 9, ErrNotFile, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f, err := Read(context.Background(), tc.path, tc.limit)
			if !errors.Is(err, tc.want) || (err == nil) != (tc.want == nil) || f.Exists != tc.exists {
				t.Errorf("%+v, %v", f, err)
			}
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Read(ctx, s.Path, 9); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestPutMakesFoldersAndRestoreTakesThemAway(t *testing.T) {
	root, _ := setup(t, "abc")
	s := Spot{Path: filepath.Join(root, "a", "b", "new"), Root: root, Rel: "a/b/new"}
	wrote, err := Put(s, File{}, with(t, File{}, "hello"))
	if err != nil {
		t.Fatal(err)
	}
	if got := mustRead(t, s.Path); got.Text != "hello" || names(t, filepath.Dir(s.Path)) != "new" {
		t.Errorf("%+v among %s", got, names(t, filepath.Dir(s.Path)))
	}
	if _, err := Put(s, File{}, with(t, File{}, "again")); !errors.Is(err, ErrExists) {
		t.Errorf("over an existing file: %v", err)
	}
	if err := Restore(s, wrote, File{}); err != nil {
		t.Fatal(err)
	}
	if got := names(t, root); got != "sub" {
		t.Errorf("left: %s", got)
	}
}

func TestRestoreKeepsWhatAnotherHandWrote(t *testing.T) {
	root, s := setup(t, "old")
	old := mustRead(t, s.Path)
	wrote, err := Put(s, old, with(t, old, "new"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.Path, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Restore(s, wrote, old); !errors.Is(err, ErrStale) || mustRead(t, s.Path).Text != "mine" {
		t.Errorf("%v, disk holds %q", err, mustRead(t, s.Path).Text)
	}
	if got := names(t, filepath.Join(root, "sub")); got != "f.txt" {
		t.Errorf("left: %s", got)
	}
}

func TestWritesOfAFileThatMovedOnAreRefused(t *testing.T) {
	for _, tc := range []struct {
		name string
		turn func(t *testing.T, path string) // what another hand does
		want error
	}{
		{"rewritten", func(t *testing.T, p string) { rewrite(t, p, "other") }, ErrStale},
		{"gone", func(t *testing.T, p string) { must(t, os.Remove(p)) }, ErrStale},
		{"replaced by a twin", func(t *testing.T, p string) {
			rewrite(t, p+"2", "old")
			must(t, os.Rename(p+"2", p))
		}, ErrStale},
		{"replaced by a link", func(t *testing.T, p string) {
			must(t, os.Rename(p, p+"2"))
			must(t, os.Symlink(p+"2", p))
		}, ErrStale},
		{"read-only", func(t *testing.T, p string) { must(t, os.Chmod(p, 0o444)) }, fs.ErrPermission},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, s := setup(t, "old")
			old := mustRead(t, s.Path)
			tc.turn(t, s.Path)
			if tc.want == fs.ErrPermission {
				old = mustRead(t, s.Path)
			}
			before, _ := os.ReadFile(s.Path)
			if _, err := Put(s, old, with(t, old, "new")); !errors.Is(err, tc.want) {
				t.Errorf("put: %v", err)
			}
			if tc.want == ErrStale {
				if err := Remove(s, old); !errors.Is(err, tc.want) {
					t.Errorf("remove: %v", err)
				}
			}
			if after, _ := os.ReadFile(s.Path); string(after) != string(before) {
				t.Errorf("%q became %q", before, after)
			}
			if got := names(t, filepath.Dir(s.Path)); strings.Contains(got, ".f.txt") {
				t.Errorf("left: %s", got)
			}
		})
	}
}

func rewrite(t *testing.T, path, content string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(content), 0o644))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAFolderSwappedForALinkLeadsNoWriteElsewhere(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making links needs a privilege there")
	}
	for _, tc := range []struct {
		name    string
		outside bool // where the link leads
		want    error
	}{
		{"outside", true, ErrOutside},
		{"within the root", false, ErrStale},
	} {
		for _, kind := range []string{"put", "create", "create below", "remove"} {
			t.Run(tc.name+" "+kind, func(t *testing.T) {
				root, s := setup(t, "old")
				old := mustRead(t, s.Path)
				target := filepath.Join(root, "target")
				if tc.outside {
					target = filepath.Join(place.Canonical(t.TempDir()), "target")
				}
				must(t, os.Rename(filepath.Join(root, "sub"), target))
				must(t, os.Symlink(target, filepath.Join(root, "sub")))
				var err error
				switch kind {
				case "put":
					_, err = Put(s, old, with(t, old, "new"))
				case "create":
					s.Path, s.Rel = filepath.Join(root, "sub", "g"), "sub/g"
					_, err = Put(s, File{}, with(t, File{}, "new"))
				case "create below":
					s.Path, s.Rel = filepath.Join(root, "sub", "x", "g"), "sub/x/g"
					_, err = Put(s, File{}, with(t, File{}, "new"))
				case "remove":
					err = Remove(s, old)
				}
				if !errors.Is(err, tc.want) {
					t.Errorf("%v, want %v", err, tc.want)
				}
				if got := names(t, target); got != "f.txt" {
					t.Errorf("the target holds %s", got)
				}
				if got := mustRead(t, filepath.Join(target, "f.txt")); got.Text != "old" {
					t.Errorf("the target's file holds %q", got.Text)
				}
			})
		}
	}
}

func TestAFolderFurtherUpSwappedForALink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making links needs a privilege there")
	}
	root := place.Canonical(t.TempDir())
	s := Spot{Path: filepath.Join(root, "a", "sub", "f.txt"), Root: root, Rel: "a/sub/f.txt"}
	must(t, os.MkdirAll(filepath.Dir(s.Path), 0o755))
	rewrite(t, s.Path, "old")
	old := mustRead(t, s.Path)
	must(t, os.Rename(filepath.Join(root, "a"), filepath.Join(root, "b")))
	must(t, os.Symlink("b", filepath.Join(root, "a")))
	if _, err := Put(s, old, with(t, old, "new")); !errors.Is(err, ErrStale) || mustRead(t, s.Path).Text != "old" {
		t.Errorf("%v", err)
	}
}

func TestASwapBetweenOpenAndWriteStaysInTheOpenedFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open folder cannot be renamed there")
	}
	root, s := setup(t, "old")
	outside := place.Canonical(t.TempDir())
	rewrite(t, filepath.Join(outside, "f.txt"), "secret")
	old := mustRead(t, s.Path)
	dir, _, err := s.open(false)
	must(t, err)
	defer dir.Close()
	must(t, replaceFile(dir, "f.txt", replacement{data: []byte("new"), like: old.Info, last: func() error {
		must(t, os.Rename(filepath.Join(root, "sub"), filepath.Join(root, "moved")))
		return os.Symlink(outside, filepath.Join(root, "sub"))
	}}))
	if got := mustRead(t, filepath.Join(outside, "f.txt")).Text; got != "secret" {
		t.Errorf("the file outside holds %q", got)
	}
	if got := mustRead(t, filepath.Join(root, "moved", "f.txt")).Text; got != "new" {
		t.Errorf("the file holds %q", got)
	}
}

func TestAFileThatCameMeanwhileIsNotReplacedByANewOne(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("replaceFile asks for the last time just before the rename there")
	}
	root, s := setup(t, "old")
	dir, _, err := s.open(false)
	must(t, err)
	defer dir.Close()
	err = replaceFile(dir, "g", replacement{data: []byte("ours"), fresh: true, last: func() error {
		rewrite(t, filepath.Join(root, "sub", "g"), "theirs")
		return nil
	}})
	if got := mustRead(t, filepath.Join(root, "sub", "g")).Text; !errors.Is(err, ErrExists) || got != "theirs" {
		t.Errorf("%v, the file holds %q", err, got)
	}
}

func TestLocksAreTakenInOneOrderAndGivenUpWithTheContext(t *testing.T) {
	var l Locks
	unlock, err := l.Lock(context.Background(), []string{"b", "a", "b"})
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.Lock(ctx, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	free, err := l.Lock(context.Background(), []string{"c"})
	must(t, err)
	free()
	unlock()
	if len(l.held) != 0 {
		t.Errorf("%d locks are remembered", len(l.held))
	}
}
