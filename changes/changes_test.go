package changes

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"companion/text"
	"companion/tools"
	"companion/workspace"
)

// bench is a workspace, its store and an agent that changes files.
type bench struct {
	t     *testing.T
	dir   string
	state string
	ws    *workspace.Workspace
	s     *Store
}

func newBench(t *testing.T, files map[string]string) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir(), state: t.TempDir()}
	for name, content := range files {
		b.user(name, content)
	}
	b.start()
	t.Cleanup(func() { b.s.Close() })
	return b
}

// start is a new process.
func (b *bench) start() {
	b.t.Helper()
	ws, err := workspace.New(workspace.Options{Roots: []string{b.dir}})
	if err != nil {
		b.t.Fatal(err)
	}
	if b.s != nil {
		if err := b.s.Close(); err != nil {
			b.t.Fatal(err)
		}
	}
	b.ws, b.s = ws, Open(b.state, ws)
	b.dir = ws.Roots()[0]
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

func (b *bench) user(name, content string) {
	b.t.Helper()
	if err := os.WriteFile(b.path(name), []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
	if b.ws != nil {
		b.ws.DiskChanged(b.path(name))
	}
}

func (b *bench) disk(name string) string {
	b.t.Helper()
	data, err := os.ReadFile(b.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return "(nothing)"
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

func (b *bench) apply(turn string, c workspace.Change) {
	b.t.Helper()
	if c.Kind != workspace.Create && c.Base == "" {
		from := c.Path
		if c.From != "" {
			from = c.From
		}
		now, err := b.ws.Read(context.Background(), from)
		if err != nil {
			b.t.Fatal(err)
		}
		c.Base, c.Before = now.Hash, now.Text
	}
	done, err := b.ws.Apply(context.Background(), "agent", []workspace.Change{c})
	if err != nil {
		b.t.Fatal(err)
	}
	a := done[0]
	err = b.s.Record("thread1", turn, "call", []tools.Change{{
		Path: a.Path, From: a.From, Before: a.Before, After: a.After, Format: a.Format,
		Created: a.Kind == workspace.Create, Deleted: a.Kind == workspace.Delete,
	}})
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) edit(turn, name, old, fresh string) {
	b.t.Helper()
	now, err := b.ws.Read(context.Background(), b.path(name))
	if err != nil || strings.Count(now.Text, old) != 1 {
		b.t.Fatalf("%q in %q: %v", old, now.Text, err)
	}
	b.apply(turn, workspace.Change{
		Kind: workspace.Modify, Path: b.path(name), Base: now.Hash, Before: now.Text,
		After: strings.Replace(now.Text, old, fresh, 1), Merge: true,
	})
}

// create, remove and move are changes of the agent's.
func (b *bench) create(turn, name, content string) {
	b.t.Helper()
	b.apply(turn, workspace.Change{Kind: workspace.Create, Path: b.path(name), After: content})
}

func (b *bench) remove(turn, name string) {
	b.t.Helper()
	b.apply(turn, workspace.Change{Kind: workspace.Delete, Path: b.path(name)})
}

func (b *bench) move(turn, from, to, after string) {
	b.t.Helper()
	b.apply(turn, workspace.Change{Kind: workspace.Rename, From: b.path(from), Path: b.path(to), After: after})
}

func (b *bench) list(turn string) []FileChange {
	b.t.Helper()
	out, err := b.s.List("thread1", turn)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

func (b *bench) pending(name string) []Hunk { return b.s.Pending(b.path(name)) }

func (b *bench) undo(sel Selector) string {
	b.t.Helper()
	sel.Thread = "thread1"
	out, err := b.s.Undo(context.Background(), sel)
	return b.outcomes(out, err)
}

func (b *bench) keep(sel Selector) string {
	b.t.Helper()
	sel.Thread = "thread1"
	out, err := b.s.Keep(context.Background(), sel)
	return b.outcomes(out, err)
}

func (b *bench) outcomes(out []HunkOutcome, err error) string {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
	var words []string
	for _, o := range out {
		words = append(words, string(o.Outcome))
		if (o.Message == "") != (o.Outcome == OutcomeKept || o.Outcome == OutcomeUndone) {
			b.t.Errorf("%+v", o)
		}
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

const five = "1\n2\n3\n4\n5\n"

func TestHunksAreKeptAndUndoneOneByOne(t *testing.T) {
	b := newBench(t, map[string]string{"a": five})
	b.edit("t1", "a", "2\n", "two\n")
	b.edit("t1", "a", "4\n", "4\nfour and a half\n")
	hunks := b.pending("a")
	if len(hunks) != 2 || hunks[0].NewRange != lines(1, 2) || hunks[0].OldRange != lines(1, 2) || hunks[1].NewRange != lines(4, 5) || hunks[1].OldRange != lines(4, 4) {
		t.Fatalf("%+v", hunks)
	}
	b.user("a", "0\n"+b.disk("a"))
	moved := b.pending("a")
	if len(moved) != 2 || moved[0].ID != hunks[0].ID || moved[0].NewRange != lines(2, 3) || moved[1].NewRange != lines(5, 6) {
		t.Fatalf("after typing above: %+v", moved)
	}
	if at := b.s.PendingAt(b.path("a"), lines(2, 2)); len(at) != 1 || at[0].ID != hunks[0].ID {
		t.Errorf("%+v", at)
	}
	if at := b.s.PendingAt(b.path("a"), lines(3, 4)); len(at) != 0 {
		t.Errorf("%+v", at)
	}
	if got := b.keep(Selector{Hunks: []string{hunks[0].ID}}); got != "kept" {
		t.Error(got)
	}
	if got := b.undo(Selector{Path: b.path("a")}); got != "undone" {
		t.Error(got)
	}
	if got, want := b.disk("a"), "0\n1\ntwo\n3\n4\n5\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := b.undo(Selector{Hunks: []string{hunks[0].ID, "h99"}}); got != "stale stale" {
		t.Error(got)
	}
	f := b.list("")
	if len(f) != 1 || len(f[0].Hunks) != 2 || f[0].Hunks[0].State != StateKept || f[0].Hunks[1].State != StateUndone || f[0].Hash != f[0].BaseHash {
		t.Errorf("%+v", f)
	}
	if b.s.Newest() != "" || len(b.pending("a")) != 0 {
		t.Error("something is pending")
	}
}

func lines(from, to int) text.Range {
	return text.Range{Start: text.Position{Line: from}, End: text.Position{Line: to}}
}

func TestBytesThatNoHunkNamesStayAcrossARestart(t *testing.T) {
	// HB-075, HB-076: nothing is written when a thread is loaded, listed or closed.
	for _, tc := range []struct{ name, before, old, fresh, user, after string }{
		{"CRLF and BOM", "\xEF\xBB\xBFa\r\nb\r\nc", "b\r\n", "B\r\nBB\r\n", "\xEF\xBB\xBFA\r\nB\r\nBB\r\nc", "\xEF\xBB\xBFA\r\nb\r\nc"},
		{"no last line ending", "a\nb", "b", "c\nd\n", "x\na\nc\nd\n", "x\na\nb"},
		{"mixed endings", "a\r\nb\nc\rd", "c\r", "", "a\r\nb\nd", "a\r\nb\nc\rd"},
		{"UTF-16", "\xFF\xFEa\x00\n\x00b\x00\n\x00", "b\n", "", "\xFF\xFEx\x00\n\x00", "\xFF\xFEx\x00\n\x00b\x00\n\x00"},
		{"Latin-1", "\xE9\nb\n", "b\n", "\xE9", "\xE8\n\xE9", "\xE8\nb\n"},
		{"a long text", strings.Repeat("line\n", 1000) + "b\n", "b\n", "c\n", "x\n" + strings.Repeat("line\n", 1000) + "c\n", "x\n" + strings.Repeat("line\n", 1000) + "b\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newBench(t, map[string]string{"a": tc.before})
			fresh := tc.fresh
			if tc.name == "Latin-1" {
				fresh = "é"
			}
			b.edit("t1", "a", tc.old, fresh)
			if err := os.WriteFile(b.path("a"), []byte(tc.user), 0o644); err != nil {
				t.Fatal(err)
			}
			b.start()
			if n := len(b.list("t1")); n != 1 || b.disk("a") != tc.user || b.s.Newest() != "thread1" {
				t.Errorf("%d files, %q", n, b.disk("a"))
			}
			if got := b.undo(Selector{Turn: "t1"}); got != "undone" || b.disk("a") != tc.after {
				t.Errorf("%s, %q, want %q", got, b.disk("a"), tc.after)
			}
			b.start()
			if f := b.list(""); len(f) != 1 || f[0].Hunks[0].State != StateUndone || b.s.Newest() != "" {
				t.Errorf("%+v", f)
			}
		})
	}
}

func TestWhatTheUserChangedInAHunkIsAConflict(t *testing.T) {
	b := newBench(t, map[string]string{"a": five})
	b.edit("t1", "a", "2\n", "two\n")
	b.edit("t1", "a", "5\n", "five\n")
	b.user("a", "1\ntwo, mine\n3\n4\nfive\n")
	if h := b.pending("a"); len(h) != 2 || !h[0].Conflict || h[1].Conflict {
		t.Errorf("%+v", h)
	}
	if got := b.undo(Selector{}); got != "conflict undone" || b.disk("a") != "1\ntwo, mine\n3\n4\n5\n" {
		t.Errorf("%s, %q", got, b.disk("a"))
	}
	if base, err := b.s.Content("thread1", b.path("a"), Base, ""); err != nil || base != five {
		t.Errorf("%q, %v", base, err)
	}
	if got := b.keep(Selector{}); got != "kept" || len(b.pending("a")) != 0 || b.disk("a") != "1\ntwo, mine\n3\n4\n5\n" {
		t.Errorf("%s, %q", got, b.disk("a"))
	}
}

func TestATurnThatALaterOneOverlaidIsUndoneAroundIt(t *testing.T) {
	b := newBench(t, map[string]string{"a": five})
	b.edit("t1", "a", "2\n", "two\n")
	b.edit("t1", "a", "4\n", "four\n")
	b.edit("t2", "a", "four\n", "FOUR\n")
	h := b.pending("a")
	if len(h) != 2 || !strings.Contains(h[1].ID, "+") || h[1].Turn != "t2" || h[1].OldRange != lines(3, 4) {
		t.Errorf("%+v", h)
	}
	if got := b.undo(Selector{Turn: "t1"}); got != "conflict undone" || b.disk("a") != "1\n2\n3\nFOUR\n5\n" {
		t.Errorf("%s, %q", got, b.disk("a"))
	}
	if got := b.undo(Selector{Hunks: []string{h[1].ID}}); got != "undone undone" || b.disk("a") != five {
		t.Errorf("%s, %q", got, b.disk("a"))
	}
}

func TestWholeFiles(t *testing.T) {
	for _, tc := range []struct {
		name, status string
		do           func(b *bench)
		since        func(b *bench)
		want         string // outcomes
		a, c         string // what the files hold then
	}{
		{"created", "created", func(b *bench) { b.create("t1", "c", "c\n") }, nil, "undone", five, "(nothing)"},
		{"created empty", "created", func(b *bench) { b.create("t1", "c", "") }, nil, "undone", five, "(nothing)"},
		{"created, then edited in the turn", "created", func(b *bench) { b.create("t1", "c", "c\n"); b.edit("t1", "c", "c", "d") }, nil, "undone", five, "(nothing)"},
		{"created, then edited in another turn", "created", func(b *bench) { b.create("t1", "c", "c\n"); b.edit("t2", "c", "c", "d") }, nil, "undone undone", five, "(nothing)"},
		{"created, then changed by the user", "created", func(b *bench) { b.create("t1", "c", "c\n") }, func(b *bench) { b.user("c", "mine\n") }, "conflict", five, "mine\n"},
		{"created, then removed by the user", "created", func(b *bench) { b.create("t1", "c", "c\n") }, func(b *bench) { b.rm("c") }, "undone", five, "(nothing)"},
		{"deleted", "deleted", func(b *bench) { b.remove("t1", "a") }, nil, "undone", five, "(nothing)"},
		{"edited, then deleted", "deleted", func(b *bench) { b.edit("t1", "a", "2", "two"); b.remove("t1", "a") }, nil, "undone", five, "(nothing)"},
		{"edited, then deleted in another turn", "deleted", func(b *bench) { b.edit("t1", "a", "2", "two"); b.remove("t2", "a") }, nil, "undone undone", five, "(nothing)"},
		{"deleted, then made by the user", "deleted", func(b *bench) { b.remove("t1", "a") }, func(b *bench) { b.user("a", "mine") }, "conflict", "mine", "(nothing)"},
		{"deleted and made again", "modified", func(b *bench) { b.remove("t1", "a"); b.create("t1", "a", "1\nnew\n") }, nil, "undone", five, "(nothing)"},
		{"renamed", "renamed", func(b *bench) { b.move("t1", "a", "c", five) }, nil, "undone", five, "(nothing)"},
		{"HB-067 renamed with an edit", "renamed", func(b *bench) { b.move("t1", "a", "c", "1\n2\n3\n") }, nil, "undone undone", five, "(nothing)"},
		{"renamed, then changed by the user", "renamed", func(b *bench) { b.move("t1", "a", "c", five) }, func(b *bench) { b.user("c", "0\n"+five) }, "undone", "0\n" + five, "(nothing)"},
		{"renamed, and the name taken", "renamed", func(b *bench) { b.move("t1", "a", "c", five) }, func(b *bench) { b.user("a", "mine") }, "conflict", "mine", five},
		{"edited, then gone", "modified", func(b *bench) { b.edit("t1", "a", "2", "two") }, func(b *bench) { b.rm("a") }, "stale", "(nothing)", "(nothing)"},
	} {
		for _, again := range []bool{false, true} {
			name := tc.name
			if again {
				name += ", after a restart"
			}
			t.Run(name, func(t *testing.T) {
				b := newBench(t, map[string]string{"a": five})
				tc.do(b)
				if tc.since != nil {
					tc.since(b)
				}
				if again {
					b.start()
				}
				if f := b.list(""); len(f) != 1 || string(f[0].Status) != tc.status {
					t.Errorf("%+v", f)
				}
				if got := b.undo(Selector{}); got != tc.want || b.disk("a") != tc.a || b.disk("c") != tc.c {
					t.Errorf("%s; a holds %q, c %q", got, b.disk("a"), b.disk("c"))
				}
			})
		}
	}
}

func (b *bench) rm(name string) {
	b.t.Helper()
	if err := os.Remove(b.path(name)); err != nil {
		b.t.Fatal(err)
	}
	b.ws.DiskChanged(b.path(name))
}

func TestARenameUndoneGivesTheNameBackBeforeADeletedOneComesAgain(t *testing.T) {
	b := newBench(t, map[string]string{"a": "a\n", "c": "c\n"})
	b.remove("t1", "c")
	b.move("t1", "a", "c", "a\n")
	b.create("t1", "a", "new\n")
	if got := b.undo(Selector{}); got != "undone undone undone" || b.disk("a") != "a\n" || b.disk("c") != "c\n" {
		t.Errorf("%s; a %q, c %q", got, b.disk("a"), b.disk("c"))
	}
}

func TestListenersHearOfWhatIsRecordedKeptAndUndone(t *testing.T) {
	b := newBench(t, map[string]string{"a": five})
	var heard []string
	cancel := b.s.OnChange(func(thread string, paths []string) {
		heard = append(heard, thread+" "+filepath.Base(paths[0]))
		if len(b.s.Pending(paths[0])) > 1 {
			t.Error("a listener may look")
		}
	})
	b.edit("t1", "a", "2", "two")
	b.undo(Selector{})
	b.undo(Selector{})
	cancel()
	b.edit("t2", "a", "2", "two")
	if !slices.Equal(heard, []string{"thread1 a", "thread1 a"}) {
		t.Errorf("%q", heard)
	}
}

func TestStateIsPrivateAndATornTailIsCut(t *testing.T) {
	b := newBench(t, map[string]string{"a": strings.Repeat("line\n", 100) + "b\n"})
	b.edit("t1", "a", "b\n", "c\n")
	if err := b.s.Sync("thread1"); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(b.state, "changes", "thread1")
	if runtime.GOOS != "windows" {
		err := filepath.WalkDir(filepath.Join(b.state, "changes"), func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if info, err := d.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s: %v, %v", p, info.Mode(), err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Join(dir, "journal.jsonl")
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(`{"v":1,"path":"` + b.path("a"))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	b.start()
	b.edit("t2", "a", "c\n", "d\n")
	b.start()
	if f := b.list(""); len(f) != 1 || len(f[0].Hunks) != 1 || !strings.Contains(f[0].Hunks[0].ID, "+") {
		t.Errorf("%+v", f)
	}
	if err := b.s.Forget("thread1"); err != nil || len(b.list("")) != 0 {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("left: %v", err)
	}
}

func TestADamagedTextIsNotUsed(t *testing.T) {
	b := newBench(t, map[string]string{"a": strings.Repeat("line\n", 100) + "b\n", "c": five})
	b.edit("t1", "a", "b\n", "c\n")
	b.edit("t1", "c", "2\n", "two\n")
	blobs, err := filepath.Glob(filepath.Join(b.state, "changes", "thread1", strings.Repeat("[0-9a-f]", 64)))
	if err != nil || len(blobs) == 0 {
		t.Fatal(blobs, err)
	}
	for _, p := range blobs {
		if err := os.WriteFile(p, []byte("damaged"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.start()
	if f := b.list(""); len(f) != 1 || filepath.Base(f[0].Path) != "c" {
		t.Errorf("%+v", f)
	}
}

func TestIdsThatAreNoThreadsAreRefused(t *testing.T) {
	b := newBench(t, nil)
	for _, id := range []string{"", "..", "a/b", "."} {
		if _, err := b.s.List(id, ""); !errors.Is(err, ErrThread) {
			t.Errorf("%q: %v", id, err)
		}
		if err := b.s.Forget(id); !errors.Is(err, ErrThread) {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := b.s.Content("thread1", b.path("a"), Base, ""); !errors.Is(err, ErrNotChanged) {
		t.Errorf("%v", err)
	}
}

func TestTextsThatAreNotNeededGoAndAnotherProcessIsHeard(t *testing.T) {
	long := strings.Repeat("line\n", 100)
	b := newBench(t, map[string]string{"a": long + "b\n"})
	reader := Open(b.state, b.ws)
	defer reader.Close()
	if f, err := reader.List("thread1", ""); err != nil || len(f) != 0 {
		t.Fatalf("%+v, %v", f, err)
	}
	b.edit("t1", "a", "b\n", "c\n")
	b.edit("t1", "a", "c\n", "d\n")
	if err := b.s.Sync("thread1"); err != nil {
		t.Fatal(err)
	}
	blobs, err := filepath.Glob(filepath.Join(b.state, "changes", "thread1", strings.Repeat("[0-9a-f]", 64)))
	if err != nil || len(blobs) != 1 {
		t.Errorf("%d texts are kept, %v", len(blobs), err)
	}
	if f, err := reader.List("thread1", ""); err != nil || len(f) != 1 {
		t.Errorf("%+v, %v", f, err)
	}
	b.start()
	if got := b.undo(Selector{}); got != "undone" || b.disk("a") != long+"b\n" {
		t.Errorf("%s, %q", got, b.disk("a"))
	}
}
