package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func at(s int) time.Time { return time.Date(2026, 1, 2, 3, 4, s, 0, time.UTC) }

func event(seq int64, typ EventType, more ...func(*Event)) Record {
	e := Event{Thread: "t1", Turn: "u1", Seq: seq, At: at(int(seq)), Type: typ}
	for _, f := range more {
		f(&e)
	}
	return Record{Kind: KindEvent, Event: &e}
}

func asked(text string) func(*Event) {
	return func(e *Event) { e.Input = []Input{{Type: "text", Text: text}} }
}

func create(t *testing.T, s *Store, id string) Log {
	t.Helper()
	l, err := s.Create(Info{ID: id, Cwd: "/w", CreatedAt: at(0), UpdatedAt: at(0), Status: StatusIdle})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func put(t *testing.T, l Log, recs ...Record) {
	t.Helper()
	if err := l.Append(recs...); err != nil {
		t.Fatal(err)
	}
}

func file(dir, id string) string { return filepath.Join(dir, "threads", id+".jsonl") }

func TestWhatWasAppendedIsReplayed(t *testing.T) {
	dir := t.TempDir()
	s := NewStore(dir)
	l := create(t, s, "t1")
	put(t, l, event(1, TurnStarted, asked("hello\nworld")), Record{Kind: KindItem, Item: json.RawMessage(`{"k":"message"}`)})
	put(t, l, event(2, TurnCompleted))
	if err := l.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(event(3, Warned)); err == nil {
		t.Error("a closed log takes records")
	}
	l2, recs, err := s.Open("t1")
	if err != nil {
		t.Fatal(err)
	}
	defer l2.Close()
	var got []string
	for _, r := range recs {
		s := r.Kind
		if r.Event != nil {
			s += fmt.Sprintf(" %s %d", r.Event.Type, r.Event.Seq)
		}
		got = append(got, s)
	}
	want := "header|event turn.started 1|item|event turn.completed 2"
	if strings.Join(got, "|") != want || recs[0].V != Version || string(recs[2].Item) != `{"k":"message"}` {
		t.Errorf("replayed %q, want %q", got, want)
	}
}

func TestFilesAreForTheUserOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are not kept by Windows")
	}
	dir := t.TempDir()
	create(t, NewStore(dir), "t1")
	for path, want := range map[string]os.FileMode{filepath.Join(dir, "threads"): 0o700, file(dir, "t1"): 0o600} {
		st, err := os.Stat(path)
		if err != nil || st.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", path, st.Mode(), err, want)
		}
	}
}

func TestAThreadBelongsToOneProcess(t *testing.T) {
	if dir := os.Getenv("SESSION_TEST_LOCK"); dir != "" { // the other process
		_, _, err := NewStore(dir).Open("t1")
		fmt.Printf("busy=%v\n", errors.Is(err, ErrBusy))
		return
	}
	dir := t.TempDir()
	s := NewStore(dir)
	l := create(t, s, "t1")
	put(t, l, event(1, TurnStarted))
	if _, _, err := s.Open("t1"); !errors.Is(err, ErrBusy) {
		t.Errorf("opened twice: %v", err)
	}
	if _, err := s.Create(Info{ID: "t1"}); err == nil {
		t.Error("created twice")
	}
	if recs, err := s.Read("t1"); err != nil || len(recs) != 2 {
		t.Errorf("a busy thread cannot be read: %d records, %v", len(recs), err)
	}
	other := func() string {
		cmd := exec.Command(os.Args[0], "-test.run=^TestAThreadBelongsToOneProcess$", "-test.v")
		cmd.Env = append(os.Environ(), "SESSION_TEST_LOCK="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	if out := other(); !strings.Contains(out, "busy=true") {
		t.Errorf("another process opened it: %s", out)
	}
	if infos, _ := s.List(); len(infos) != 1 || infos[0].Status != StatusRunning {
		t.Errorf("list while running: %+v", infos)
	}
	l.Close()
	if infos, _ := s.List(); len(infos) != 1 || infos[0].Status != StatusCrashed {
		t.Errorf("list after its end: %+v", infos)
	}
	if out := other(); !strings.Contains(out, "busy=false") {
		t.Errorf("the lock outlived the log: %s", out)
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	s := NewStore(dir)
	create(t, s, "t1").Close()
	write := func(id, text string) {
		if err := os.WriteFile(file(dir, id), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("newer", `{"kind":"header","v":99}`+"\n")
	write("none", `{"kind":"event"}`+"\n")
	write("empty", "")
	for id, want := range map[string]error{
		"absent": ErrNotFound, "../t1": ErrNotFound, "": ErrNotFound, "a/b": ErrNotFound,
		"newer": ErrNewer, "none": ErrNoHeader, "empty": ErrNoHeader,
	} {
		if _, _, err := s.Open(id); !errors.Is(err, want) {
			t.Errorf("Open(%q): %v, want %v", id, err, want)
		}
		if _, err := s.Read(id); !errors.Is(err, want) {
			t.Errorf("Read(%q): %v, want %v", id, err, want)
		}
	}
	if _, err := s.Create(Info{ID: "../x"}); err == nil {
		t.Error("an id leaves the folder")
	}
	if infos, err := s.List(); err != nil || len(infos) != 1 {
		t.Errorf("the list with broken files beside: %+v, %v", infos, err)
	}
}

func TestATornTailIsCut(t *testing.T) {
	dir := t.TempDir()
	s := NewStore(dir)
	l := create(t, s, "t1")
	put(t, l, event(1, TurnStarted))
	l.Close()
	whole, err := os.ReadFile(file(dir, "t1"))
	if err != nil {
		t.Fatal(err)
	}
	for name, tail := range map[string]string{"half a record": `{"kind":"event","event":{"thr`, "zeros": "\x00\x00\x00", "a whole record without its newline": `{"kind":"event"}`} {
		if err := os.WriteFile(file(dir, "t1"), append(bytes.Clone(whole), tail...), 0o600); err != nil {
			t.Fatal(err)
		}
		l, recs, err := s.Open("t1")
		if err != nil || len(recs) != 2 {
			t.Fatalf("%s: %d records, %v", name, len(recs), err)
		}
		put(t, l, event(2, Warned))
		l.Close()
		if recs, err := s.Read("t1"); err != nil || len(recs) != 3 || recs[2].Event.Type != Warned {
			t.Errorf("%s: then %d records, %v", name, len(recs), err)
		}
	}
}

func TestUnknownKindsAndFieldsStay(t *testing.T) {
	dir := t.TempDir()
	s := NewStore(dir)
	l := create(t, s, "t1")
	l.Close()
	f, err := os.OpenFile(file(dir, "t1"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	const line = `{"kind":"later","what":{"ever":1}}` + "\nnot json at all\n"
	if _, err := f.WriteString(line); err != nil {
		t.Fatal(err)
	}
	f.Close()
	l, recs, err := s.Open("t1")
	if err != nil || len(recs) != 2 || recs[1].Kind != "later" {
		t.Fatalf("%+v, %v", recs, err)
	}
	put(t, l, event(1, Warned))
	l.Close()
	if b, _ := os.ReadFile(file(dir, "t1")); !bytes.Contains(b, []byte(line)) {
		t.Errorf("the file lost what it did not understand:\n%s", b)
	}
}

func TestListReadsLongThreadsFromTheirEnd(t *testing.T) {
	dir := t.TempDir()
	s := NewStore(dir)
	long := create(t, s, "long")
	big := Record{Kind: KindItem, Item: json.RawMessage(`"` + strings.Repeat("x", tailWindow*6) + `"`)}
	put(t, long, event(1, TurnStarted, asked("  a   long\tone ")), big, event(2, TurnCompleted))
	put(t, long, event(3, TurnStarted, asked("again")), event(4, TurnCompleted), big, event(5, Warned))
	fresh := create(t, s, "fresh")
	put(t, fresh, event(9, ModeChanged))
	infos, err := s.List()
	if err != nil || len(infos) != 2 {
		t.Fatalf("%+v, %v", infos, err)
	}
	if i := infos[0]; i.ID != "fresh" || i.Turns != 0 || i.Status != StatusIdle || !i.UpdatedAt.Equal(at(9)) {
		t.Errorf("fresh: %+v", i)
	}
	if i := infos[1]; i.ID != "long" || i.Title != "a long one" || i.Turns != 2 || i.Status != StatusIdle || i.Cwd != "/w" || !i.UpdatedAt.Equal(at(5)) || !i.CreatedAt.Equal(at(0)) {
		t.Errorf("long: %+v", i)
	}
	if infos, err := NewStore(filepath.Join(dir, "none")).List(); err != nil || len(infos) != 0 {
		t.Errorf("no folder yet: %+v, %v", infos, err)
	}
}

func TestTitle(t *testing.T) {
	for _, c := range []struct {
		in   []Input
		want string
	}{
		{nil, ""},
		{[]Input{{Type: "text", Text: "\n\n  one\ttwo  \nthree"}}, "one two"},
		{[]Input{{Type: "text", Text: strings.Repeat("é", 61)}}, strings.Repeat("é", 59) + "…"},
		{[]Input{{Type: "text", Text: strings.Repeat("é", 60)}}, strings.Repeat("é", 60)},
		{[]Input{{Type: "diagnostics", URI: "file:///w/a.go"}, {Type: "text", Text: " "}}, "About a.go"},
	} {
		if got := Title(c.in); got != c.want {
			t.Errorf("Title(%v) = %q, want %q", c.in, got, c.want)
		}
	}
}

// FuzzReplayGivesAPrefix holds that a log that was cut anywhere replays the
// first records of the whole, and that any bytes at all replay without panic.
func FuzzReplayGivesAPrefix(f *testing.F) {
	var log bytes.Buffer
	enc := json.NewEncoder(&log)
	for _, r := range []Record{
		{Kind: KindHeader, V: Version, Info: &Info{ID: "t1"}},
		event(1, TurnStarted, asked("x\ny")),
		{Kind: KindItem, Item: json.RawMessage(`{"a":"\n"}`)},
		event(2, TurnCompleted),
	} {
		if err := enc.Encode(r); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(log.Bytes(), 100)
	f.Add([]byte("{}\n\n[]\nnull\n{\"kind\":1}\n"), 5)
	f.Fuzz(func(t *testing.T, data []byte, n int) {
		all, whole := Replay(data)
		if whole > len(data) || whole > 0 && data[whole-1] != '\n' || bytes.IndexByte(data[whole:], '\n') >= 0 {
			t.Fatalf("%d of %d bytes are said to be whole", whole, len(data))
		}
		if n < 0 || n > len(data) {
			n = len(data) / 2
		}
		some, _ := Replay(data[:n])
		if len(some) > len(all) {
			t.Fatalf("the part has %d records, the whole %d", len(some), len(all))
		}
		a, _ := json.Marshal(some)
		b, _ := json.Marshal(all[:len(some)])
		if len(some) > 0 && !bytes.Equal(a, b) {
			t.Fatalf("the part is no prefix:\n%s\n%s", a, b)
		}
		if _, err := summary(all); (err == nil) != (len(all) > 0 && all[0].Kind == KindHeader && all[0].V <= Version) {
			t.Fatalf("summary: %v", err)
		}
	})
}
