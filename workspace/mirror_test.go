package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"companion/text"
	"companion/workspace/mirror"
)

func at(l1, c1, l2, c2 int, s string) ContentChange {
	return ContentChange{Range: &text.Range{Start: text.Position{Line: l1, Character: c1}, End: text.Position{Line: l2, Character: c2}}, Text: s}
}

func TestIncrementalChanges(t *testing.T) {
	for _, tc := range []struct {
		name, open string
		sent       [][]ContentChange // one didChange each
		want       string
	}{
		{"HB-017 one after the other", "L1\nL2\nL3\n", [][]ContentChange{{at(0, 0, 1, 0, ""), at(1, 0, 1, 0, "X")}}, "L2\nXL3\n"},
		{"HB-018 a line that is not there", "a\nb\n", [][]ContentChange{{at(0, 0, 2, 0, "")}, {at(1, 0, 1, 0, "\n")}}, "\n"},
		{"HB-019 all out and in again", "1\n2\n3\n4\n5", [][]ContentChange{{at(0, 0, 5, 0, "")}, {at(0, 0, 0, 0, "1\n2\n3\n4\n5")}}, "1\n2\n3\n4\n5"},
		{"HB-021 endings of every kind", "a\r\nb\rc\nd", [][]ContentChange{{at(1, 0, 1, 1, "B"), at(2, 0, 2, 1, "C"), at(3, 0, 3, 1, "D")}}, "a\r\nB\rC\nD"},
		{"HB-021 a range over endings", "a\r\nb\rc\nd", [][]ContentChange{{at(0, 1, 2, 0, "")}}, "ac\nd"},
		{"HB-023 after an emoji", "log(\"hey😀\", a, b)", [][]ContentChange{{at(0, 12, 0, 13, "\n    ")}}, "log(\"hey😀\",\n    a, b)"},
		{"HB-202 inside a pair", "a😀b", [][]ContentChange{{at(0, 2, 0, 3, "x")}}, "axb"},
		{"past the end of a line", "ab\ncd", [][]ContentChange{{at(0, 9, 0, 99, "!")}}, "ab!\ncd"},
		{"the whole text, then a part", "a", [][]ContentChange{{{Text: "new\ntext"}, at(1, 0, 1, 4, "TEXT")}}, "new\nTEXT"},
		{"nothing", "a", [][]ContentChange{{}}, "a"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, _ := newAt(t, nil)
			w.DidOpen("file:///x/a", "fake", 1, tc.open)
			for i, changes := range tc.sent {
				if err := w.DidChange("file:///x/a", int32(i+2), changes, text.UTF16); err != nil {
					t.Fatal(err)
				}
			}
			if s, ok := w.Document("file:///x/a"); !ok || s.Text != tc.want || s.Hash != mirror.Hash(tc.want) || *s.Version != int32(len(tc.sent)+1) {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestChangesThatCannotBeChangeNothing(t *testing.T) {
	w, _ := newAt(t, map[string]string{"a": "a\nb\n"})
	var events []Event
	w.Observe(func(e Event) { events = append(events, e) })
	if err := w.DidChange("file:///nowhere", 2, []ContentChange{{Text: "x"}}, text.UTF16); !errors.Is(err, ErrNotOpen) {
		t.Errorf("not open: %v", err)
	}
	w.DidSave("file:///nowhere", nil)
	w.DidClose("file:///nowhere")
	if len(w.Documents()) != 0 || len(events) != 0 {
		t.Errorf("%+v, %+v", w.Documents(), events)
	}
	f, _ := w.Resolve("a")
	w.DidOpen(f.URI, "fake", 1, "a\nb\n")
	err := w.DidChange(f.URI, 2, []ContentChange{{Text: "x"}, at(1, 0, 0, 0, "y")}, text.UTF16)
	var e *RangeError
	if !errors.As(err, &e) || e.Index != 1 || !strings.Contains(err.Error(), "2:1-1:1") {
		t.Errorf("reversed: %v", err)
	}
	if s, _ := w.Document(f.URI); s.Text != "a\nb\n" || *s.Version != 1 || len(events) != 1 {
		t.Errorf("%+v after %d events", s, len(events))
	}
}

func TestLifeOfADocument(t *testing.T) {
	w, dir := newAt(t, map[string]string{"a": "one\n"})
	var seen []string
	cancel := w.Observe(func(e Event) {
		seen = append(seen, fmt.Sprintf("%s %s dirty=%v open=%v", e.Kind, strings.TrimSpace(e.Text), e.Dirty, e.Open))
	})
	f, _ := w.Resolve("a")
	w.DidOpen(f.URI, "fake", 7, "one\n")
	if err := w.DidChange(f.URI, 8, []ContentChange{at(0, 0, 0, 3, "two")}, text.UTF8); err != nil {
		t.Fatal(err)
	}
	put(t, f.Path, "two\n")
	w.DidSave(f.URI, nil)
	if err := w.DidChange(f.URI, 9, []ContentChange{at(0, 0, 0, 0, "x")}, text.UTF8); err != nil {
		t.Fatal(err)
	}
	if err := w.DidChange(f.URI, 10, []ContentChange{at(0, 0, 0, 1, "")}, text.UTF8); err != nil {
		t.Fatal(err)
	}
	if docs := w.Documents(); len(docs) != 1 || docs[0].Rel != "a" || docs[0].Outside {
		t.Errorf("%+v", docs)
	}
	w.DidClose(f.URI)
	put(t, filepath.Join(dir, "a"), "three\n")
	w.DiskChanged(filepath.Join(dir, "a"))
	if err := os.Remove(f.Path); err != nil {
		t.Fatal(err)
	}
	w.DiskChanged("a", dir)
	cancel()
	w.DiskChanged("a")
	want := []string{
		"opened one dirty=false open=true", "changed two dirty=true open=true", "saved two dirty=false open=true",
		"changed xtwo dirty=true open=true", "changed two dirty=false open=true", "closed two dirty=false open=false",
		"disk three dirty=false open=false", "disk  dirty=false open=false",
	}
	if strings.Join(seen, "\n") != strings.Join(want, "\n") {
		t.Errorf("heard\n%s\nwant\n%s", strings.Join(seen, "\n"), strings.Join(want, "\n"))
	}
	if s := read(t, w, "a"); s.Exists || s.Open {
		t.Errorf("%+v", s)
	}
}

func TestDirtyIsToDifferFromTheDisk(t *testing.T) {
	w, dir := newAt(t, map[string]string{"a": "disk\n", "b": "b\r\n"})
	open := func(name, content string) string {
		f, _ := w.Resolve(name)
		w.DidOpen(f.URI, "fake", 1, content)
		return f.URI
	}
	uri := open("a", "restored from a backup\n")
	if s, _ := w.Document(uri); !s.Dirty {
		t.Error("a buffer that is not the disk's is clean")
	}
	if s, _ := w.Document(open("b", "b\n")); s.Dirty {
		t.Error("other endings make it dirty")
	}
	if s, _ := w.Document(open("new", "")); !s.Dirty || !s.Exists {
		t.Error("a buffer without a file is clean")
	}
	put(t, filepath.Join(dir, "a"), "restored from a backup\n")
	w.DiskChanged("a")
	if s, _ := w.Document(uri); s.Dirty {
		t.Error("the disk has it now")
	}
	put(t, filepath.Join(dir, "a"), "by git\n")
	w.DiskChanged("a")
	if s := read(t, w, "a"); s.Text != "restored from a backup\n" || !s.Dirty {
		t.Errorf("the open buffer goes before the disk: %+v", s)
	}
}

func TestSpellingsOfAnOpenFile(t *testing.T) {
	w, dir := newAt(t, map[string]string{"(auth)/[id]/a b.fk": "x\n", "real": "r\n"})
	uri := "file://" + filepath.ToSlash(dir) + "/%28auth%29/%5Bid%5D/a%20b.fk" // HB-050
	w.DidOpen(uri, "fake", 1, "open\n")
	f, err := w.Resolve("(auth)/[id]/a b.fk")
	if err != nil || f.URI != uri {
		t.Fatalf("%+v, %v", f, err)
	}
	raw := "file://" + filepath.ToSlash(dir) + "/(auth)/[id]/a b.fk"
	if s, ok := w.Document(raw); !ok || s.URI != uri || s.Text != "open\n" {
		t.Errorf("%+v", s)
	}
	if err := w.DidChange(raw, 2, []ContentChange{{Text: "2\n"}}, text.UTF16); err != nil {
		t.Error(err)
	}
	if s := read(t, w, "(auth)/[id]/a b.fk"); s.Text != "2\n" {
		t.Errorf("%+v", s)
	}
	if err := os.Symlink(filepath.Join(dir, "real"), filepath.Join(dir, "link")); err != nil {
		t.Skipf("this system lets us make no links: %v", err)
	}
	byLink := "file://" + filepath.ToSlash(dir) + "/link"
	w.DidOpen(byLink, "fake", 1, "r\n")
	if err := w.DidChange(byLink, 2, []ContentChange{{Text: "by link\n"}}, text.UTF16); err != nil {
		t.Fatal(err)
	}
	real, _ := w.Resolve("real")
	if real.URI != byLink || read(t, w, "real").Text != "by link\n" {
		t.Errorf("%+v", real)
	}
	w.DidOpen("file://"+filepath.ToSlash(dir)+"/real", "fake", 1, "r\n")
	if s := read(t, w, "real"); s.Text != "by link\n" || !s.Dirty {
		t.Errorf("of two buffers the one with unsaved changes counts: %+v", s)
	}
	w.DidClose(byLink)
	if s := read(t, w, "link"); s.Text != "r\n" || s.Dirty {
		t.Errorf("%+v", s)
	}
}

// model is a buffer as a list of UTF-16 units, changed by offsets alone.
type model []uint16

func (m model) position(off int) text.Position {
	var p text.Position
	for i := 0; i < off; i++ {
		switch {
		case m[i] == '\n', m[i] == '\r' && (i+1 >= len(m) || m[i+1] != '\n'):
			p = text.Position{Line: p.Line + 1}
		case m[i] == '\r':
		default:
			p.Character++
		}
	}
	return p
}

// nameable: between two characters, not inside "\r\n" or a surrogate pair.
func (m model) nameable(off int) bool {
	if off == 0 || off == len(m) {
		return true
	}
	return !(m[off-1] == '\r' && m[off] == '\n') && !(utf16.IsSurrogate(rune(m[off])) && m[off] >= 0xDC00)
}

func FuzzDidChange(f *testing.F) {
	f.Add("a\r\nb\rc\nd", []byte{3, 2, 0, 9, 1, 4}, "x\n|é😀|\r")
	f.Add("1\n2\n3\n4\n5", []byte{0, 255, 0, 0, 0, 1}, "1\n2\r\n3")
	f.Add("log(\"hey😀\", a, b)", []byte{9, 1, 0}, "\n    ")
	f.Fuzz(func(t *testing.T, start string, script []byte, texts string) {
		w, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		start = strings.ToValidUTF8(start, "?")
		inserts := strings.Split(strings.ToValidUTF8(texts, "?"), "|")
		w.DidOpen("untitled:1", "fake", 1, start)
		m := model(utf16.Encode([]rune(start)))
		version := int32(1)
		var batch []ContentChange
		for ; len(script) >= 3 && version < 40; script = script[3:] {
			a := int(script[0]) % (len(m) + 1)
			b := a + int(script[1])%(len(m)-a+1)
			ins := inserts[int(script[2]>>1)%len(inserts)]
			if !m.nameable(a) || !m.nameable(b) {
				continue
			}
			pa, pb := m.position(a), m.position(b)
			batch = append(batch, at(pa.Line, pa.Character, pb.Line, pb.Character, ins))
			m = append(append(append(model{}, m[:a]...), utf16.Encode([]rune(ins))...), m[b:]...)
			if script[2]&1 == 0 {
				continue // the next change goes into the same didChange
			}
			version++
			if err := w.DidChange("untitled:1", version, batch, text.UTF16); err != nil {
				t.Fatal(err)
			}
			batch = nil
			want := string(utf16.Decode(m))
			if s, _ := w.Document("untitled:1"); s.Text != want || *s.Version != version {
				t.Fatalf("version %d of the mirror holds %q, want %q", *s.Version, s.Text, want)
			}
		}
	})
}
