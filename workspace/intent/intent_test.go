package intent

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"companion/workspace/place"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, s string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(s), 0o644))
}

// dead is a log with one entry whose process is gone.
func dead(t *testing.T, files ...File) *Log {
	t.Helper()
	l := Open(filepath.Join(t.TempDir(), "state", "intents"))
	e, err := l.Begin("Patching", files, true)
	must(t, err)
	must(t, e.f.Close()) // as the end of its process does
	return l
}

func repaired(t *testing.T, l *Log) Report {
	t.Helper()
	r, err := l.Repair(context.Background())
	must(t, err)
	if len(r) != 1 {
		t.Fatalf("%+v", r)
	}
	if again, err := l.Repair(context.Background()); err != nil || len(again) != 0 {
		t.Errorf("a second repair: %+v, %v", again, err)
	}
	return r[0]
}

func TestADeadSetIsTakenBack(t *testing.T) {
	top := place.Canonical(t.TempDir())
	at := func(name string) string { return filepath.Join(top, name) }
	write(t, at("modified"), "new")
	must(t, os.Chmod(at("modified"), 0o600))
	write(t, at("untouched"), "old")
	write(t, at("made/sub/added"), "fresh")
	write(t, at("made/sub/.added.x.tmp"), "fr")
	write(t, at("users"), "typed since")
	l := dead(t,
		File{Path: at("modified"), Existed: true, Mode: 0o640, Old: []byte("o\xffld"), New: Hash([]byte("new"))},
		File{Path: at("untouched"), Existed: true, Old: []byte("old"), New: Hash([]byte("later"))},
		File{Path: at("made/sub/added"), New: Hash([]byte("fresh")), Temp: ".added.x.tmp", Made: []string{at("made"), at("made/sub")}},
		File{Path: at("deleted"), Existed: true, Mode: 0o755, Old: []byte("gone")},
		File{Path: at("users"), Existed: true, Old: []byte("before"), New: Hash([]byte("after"))},
		File{Path: at("buffer"), Existed: true, New: Hash(nil), Buffer: true},
	)
	r := repaired(t, l)
	if want := []string{at("deleted"), at("made/sub/added"), at("modified")}; !slices.Equal(r.Back, want) || r.Same != 1 {
		t.Errorf("%+v", r)
	}
	if !slices.Equal(r.Changed, []string{at("users")}) || !slices.Equal(r.Buffers, []string{at("buffer")}) || len(r.Failed) != 0 {
		t.Errorf("%+v", r)
	}
	for name, want := range map[string]string{"modified": "o\xffld", "untouched": "old", "deleted": "gone", "users": "typed since"} {
		if got, err := os.ReadFile(at(name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if info, err := os.Stat(at("deleted")); err != nil || info.Mode().Perm() != 0o755 && os.PathSeparator == '/' {
		t.Errorf("%v, %v", info, err)
	}
	if _, err := os.Stat(at("made")); !os.IsNotExist(err) {
		t.Errorf("a folder stays: %v", err)
	}
	for _, w := range []string{"Patching", "Taken back", "changed afterwards", "Open in an editor", at("users")} {
		if !strings.Contains(r.String(), w) {
			t.Errorf("%q lacks %q", r, w)
		}
	}
}

func TestAnEntryOfALivingProcessIsLeftAlone(t *testing.T) {
	top := place.Canonical(t.TempDir())
	write(t, filepath.Join(top, "f"), "new")
	l := Open(filepath.Join(top, "intents"))
	e, err := l.Begin("x", []File{{Path: filepath.Join(top, "f"), Existed: true, Old: []byte("old"), New: Hash([]byte("new"))}}, false)
	must(t, err)
	if r, err := l.Repair(context.Background()); err != nil || len(r) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	must(t, e.End())
	if got, err := os.ReadFile(filepath.Join(top, "f")); err != nil || string(got) != "new" {
		t.Errorf("%q, %v", got, err)
	}
	if list, err := os.ReadDir(filepath.Join(top, "intents")); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

func TestWhatWasNotWrittenToItsEndDidNothing(t *testing.T) {
	l := dead(t, File{Path: filepath.Join(t.TempDir(), "f"), Existed: true, Old: []byte("old")})
	list, err := os.ReadDir(l.dir)
	must(t, err)
	name := filepath.Join(l.dir, list[0].Name())
	whole, err := os.ReadFile(name)
	must(t, err)
	for _, content := range [][]byte{nil, whole[:10], whole[:len(whole)-1], append([]byte{closed}, whole[1:]...)} {
		must(t, os.WriteFile(name, content, 0o600))
		if r, err := l.Repair(context.Background()); err != nil || len(r) != 0 {
			t.Errorf("%q: %+v, %v", content, r, err)
		}
		if _, err := os.Stat(name); !os.IsNotExist(err) {
			t.Errorf("%q stays: %v", content, err)
		}
	}
	later := strings.Replace(string(whole), `"version":1`, `"version":9`, 1)
	must(t, os.WriteFile(name, []byte(later), 0o600))
	if _, err := l.Repair(context.Background()); err == nil {
		t.Error("an entry of a later version was taken for ours")
	}
	if _, err := os.Stat(name); err != nil {
		t.Error("and removed")
	}
}

func TestAFileThatCannotBeTakenBackIsTriedAgain(t *testing.T) {
	top := place.Canonical(t.TempDir())
	path := filepath.Join(top, "sub", "f")
	write(t, path, "new")
	must(t, os.Chmod(path, 0o444)) // not writable: it is refused, also to root
	l := dead(t, File{Path: path, Existed: true, Mode: 0o644, Old: []byte("old"), New: Hash([]byte("new"))})
	r, err := l.Repair(context.Background())
	if err != nil || len(r) != 1 || len(r[0].Failed) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	must(t, os.Chmod(path, 0o644))
	if r := repaired(t, l); len(r.Back) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestNoLogKeepsNothing(t *testing.T) {
	e, err := Open("").Begin("x", []File{{Path: "/x"}}, true)
	if e != nil || err != nil || e.End() != nil {
		t.Errorf("%v, %v", e, err)
	}
	if r, err := Open("").Repair(context.Background()); r != nil || err != nil {
		t.Errorf("%v, %v", r, err)
	}
	if r, err := Open(filepath.Join(t.TempDir(), "none")).Repair(context.Background()); r != nil || err != nil {
		t.Errorf("%v, %v", r, err)
	}
}
