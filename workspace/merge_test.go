package workspace

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"companion/text"
)

const three = "one\ntwo\nthree\n"

func merging(s Snapshot, after string) Change {
	c := modify(s, after)
	c.Merge = true
	return c
}

func TestWhatWasChangedSinceSurvivesAChangeWithMerge(t *testing.T) {
	// HB-066, HB-070: before the change is made; on disk and in a buffer.
	for _, tc := range []struct {
		name, since, want string
		conflict          []text.Range
	}{
		{"nothing", three, "one\nTWO\nthree\n", nil},
		{"another line", "ONE\ntwo\nthree\n", "ONE\nTWO\nthree\n", nil},
		{"lines around it", "ONE\nmore\ntwo\nTHREE", "ONE\nmore\nTWO\nTHREE", nil},
		{"the same change", "one\nTWO\nthree\n", "one\nTWO\nthree\n", nil},
		{"the same line", "0\none\ntwo!\nthree\n", "0\none\ntwo!\nthree\n", []text.Range{{Start: text.Position{Line: 2}, End: text.Position{Line: 3}}}},
	} {
		for _, open := range []bool{false, true} {
			where := " on disk"
			if open {
				where = " in a buffer"
			}
			t.Run(tc.name+where, func(t *testing.T) {
				w, dir := newAt(t, map[string]string{"a": three})
				path := filepath.Join(dir, "a")
				ed := newEditor(t, w)
				var uri string
				if open {
					uri = ed.open("a", three)
				}
				c := merging(read(t, w, "a"), "one\nTWO\nthree\n")
				if open {
					b := ed.buffer(uri)
					b.mu.Lock()
					ed.change(uri, b, text.Diff(three, tc.since))
					b.mu.Unlock()
				} else {
					put(t, path, tc.since)
				}
				got, err := apply(w, c)
				now := read(t, w, "a").Text
				if now != tc.want {
					t.Errorf("the file holds %q, want %q", now, tc.want)
				}
				var conflict *ConflictError
				if tc.conflict != nil {
					if !errors.As(err, &conflict) || !errors.Is(err, ErrConflict) || !errors.Is(err, ErrStale) {
						t.Fatalf("%v", err)
					}
					if conflict.Text != tc.since || len(conflict.Ranges) != 1 || conflict.Ranges[0] != tc.conflict[0] {
						t.Errorf("%+v", conflict)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if a := got[0]; a.Before != tc.since || a.After != tc.want || a.Merged != (tc.since != three) {
					t.Errorf("%+v", a)
				}
			})
		}
	}
}

func TestWhatTheUserTypesWhileTheEditorIsAskedSurvives(t *testing.T) {
	// HB-063: the first request finds a newer version and is refused.
	for _, tc := range []struct {
		name  string
		at    int
		typed string
		want  string
		err   error
	}{
		{"elsewhere", 0, "0\n", "0\none\nTWO\nthree\n", nil},
		{"in the same line", 4, "!", "one\n!two\nthree\n", ErrConflict},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, _ := newAt(t, map[string]string{"a": three})
			ed := newEditor(t, w)
			uri := ed.open("a", three)
			typed := false
			ed.before = func(FileEdit) (EditAnswer, bool) {
				if !typed {
					typed = true
					ed.typeText(uri, tc.at, tc.typed)
				}
				return EditAnswer{}, false
			}
			_, err := apply(w, merging(read(t, w, "a"), "one\nTWO\nthree\n"))
			if !errors.Is(err, tc.err) || ed.text(uri) != tc.want {
				t.Errorf("%q, %v", ed.text(uri), err)
			}
		})
	}
}

func TestTypingToldTogetherWithTheEditIsNotTakenForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _ := newAt(t, map[string]string{"a": three})
		ed := newEditor(t, w)
		uri := ed.open("a", three)
		ed.before = func(e FileEdit) (EditAnswer, bool) {
			b := ed.buffer(uri)
			b.mu.Lock()
			defer b.mu.Unlock()
			// The editor sends its changes late, and the user was quick.
			ed.change(uri, b, []text.Edit{{Start: 0, End: 0, New: "0\n"}, e.Edits[0]})
			return EditAnswer{Applied: true}, true
		}
		start := time.Now()
		got, err := apply(w, modify(read(t, w, "a"), "one\nTWO\nthree\n"))
		if err != nil {
			t.Fatal(err)
		}
		if a := got[0]; a.Before != three || a.After != "one\nTWO\nthree\n" || ed.text(uri) != "0\none\nTWO\nthree\n" {
			t.Errorf("%+v", a)
		}
		if d := time.Since(start); d > changeWait/2 {
			t.Errorf("it took %v", d)
		}
	})
}

func TestSavePolicy(t *testing.T) {
	for _, tc := range []struct {
		policy SavePolicy
		dirty  bool
		save   bool
	}{
		{"", false, true},
		{"", true, false},
		{SaveIfWasClean, false, true},
		{SaveIfWasClean, true, false},
		{SaveAlways, true, true},
		{SaveNever, false, false},
	} {
		w, _ := newAt(t, map[string]string{"a": three})
		ed := newEditor(t, w)
		uri := ed.open("a", three)
		if tc.dirty {
			ed.typeText(uri, 0, "0\n")
		}
		w.SetSavePolicy(tc.policy)
		now := read(t, w, "a")
		if _, err := apply(w, modify(now, now.Text+"four\n")); err != nil {
			t.Fatal(err)
		}
		if r := ed.requests()[0]; r.Save != tc.save {
			t.Errorf("policy %q, dirty %v: asked to save: %v", tc.policy, tc.dirty, r.Save)
		}
	}
}

func TestTakingBackNeverSavesWhatTheUserTyped(t *testing.T) {
	w, dir := newAt(t, map[string]string{"a": three})
	ed := newEditor(t, w)
	w.SetSavePolicy(SaveAlways)
	uri := ed.open("a", three)
	ed.after = func(string) {
		ed.after = nil
		b := ed.buffer(uri)
		ed.change(uri, b, []text.Edit{{Start: 0, End: 0, New: "0\n"}})
		put(t, filepath.Join(dir, "b"), "there")
	}
	_, err := apply(w, modify(read(t, w, "a"), "one\nTWO\nthree\n"), Change{Kind: Modify, Path: filepath.Join(dir, "b"), Base: "sha256:0", After: "x"})
	if err == nil {
		t.Fatal("a file that is not there was changed")
	}
	_, err = w.Apply(context.Background(), "test", []Change{
		modify(read(t, w, "a"), "one\nTWO\nthree\n"),
		{Kind: Create, Path: filepath.Join(dir, "a", "below"), After: "x"},
	})
	if err == nil {
		t.Fatal("a file was made below a file")
	}
	if got := ed.text(uri); got != "0\n"+three {
		t.Errorf("%q", got)
	}
	if r := ed.requests(); len(r) != 2 || !r[0].Save || r[1].Save {
		t.Errorf("%+v", r)
	}
}
