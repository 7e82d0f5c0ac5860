package dynamic

import (
	"context"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"companion/text"
	"companion/tools"
	"companion/workspace"
)

// doing makes the editor do something during each call, and say that it changed
// uris.
func (s *stand) doing(f func(), uris ...string) {
	s.ed.answer = func(context.Context, Call) (Answer, error) {
		f()
		a := says("done")
		a.Changed = uris
		return a, nil
	}
}

// known makes thread t have read a file.
func (s *stand) known(rel, content string) {
	s.t.Helper()
	s.write(rel, content)
	s.ws.NoteRead("t", s.path(rel), "")
}

func (s *stand) retype(rel string, version int32, content string) {
	if err := s.ws.DidChange(s.uri(rel), version, []workspace.ContentChange{{Text: content}}, text.UTF16); err != nil {
		s.t.Error(err)
	}
}

// wantChanges compares path, before and after.
func (s *stand) wantChanges(res tools.Result, want ...tools.Change) {
	s.t.Helper()
	got := slices.Clone(res.Changed)
	for i := range got {
		got[i].Version = nil
	}
	for i := range want {
		want[i].Path = s.path(want[i].Path)
	}
	if !slices.Equal(got, want) {
		s.t.Errorf("changed %+v\nwant    %+v\n%s", got, want, res.Text)
	}
}

func TestFilesThatAToolChangedAreFoundWhetherItSaysSoOrNot(t *testing.T) {
	s := newStand(t, nil)
	s.register("vim", define("w"))
	s.known("said.txt", "1\n")
	s.known("unsaid.txt", "1\n")
	s.known("deleted.txt", "1\n")
	s.known("same.txt", "1\n")
	s.ws.NoteRead("t", s.path("born.txt"), "")
	s.write("open.txt", "1\n")
	s.ws.DidOpen(s.uri("open.txt"), "text", 1, "1\n")
	var disk []string
	cancel := s.ws.Observe(func(e workspace.Event) {
		if e.Kind == workspace.Disk {
			disk = append(disk, e.Rel)
		}
	})
	defer cancel()
	s.doing(func() {
		s.write("said.txt", "22\n")
		s.write("unsaid.txt", "22\n")
		s.write("born.txt", "22\n")
		_ = os.Remove(s.path("deleted.txt"))
		s.retype("open.txt", 2, "22\n")
	}, s.uri("said.txt"))
	res := s.call("w", `{}`)
	want(t, res, tools.OK, "done\n", "It also changed, without saying so: born.txt, deleted.txt, open.txt, unsaid.txt.")
	s.wantChanges(res,
		tools.Change{Path: "said.txt", Before: "1\n", After: "22\n"},
		tools.Change{Path: "born.txt", After: "22\n", Created: true},
		tools.Change{Path: "deleted.txt", Before: "1\n", Deleted: true},
		tools.Change{Path: "open.txt", Before: "1\n", After: "22\n"},
		tools.Change{Path: "unsaid.txt", Before: "1\n", After: "22\n"})
	if v := res.Changed[3].Version; v == nil || *v != 2 {
		t.Errorf("version of the open document: %v", v)
	}
	slices.Sort(disk)
	if !slices.Equal(disk, []string{"born.txt", "deleted.txt", "said.txt", "unsaid.txt"}) {
		t.Errorf("observers heard of %v", disk)
	}
	s.doing(func() {})
	if res := s.call("w", `{}`); res.Text != "done" || len(res.Changed) != 0 {
		t.Errorf("a call that changes nothing: %+v", res)
	}
}

func TestChangesAreFoundAlsoWhereTheCallFailed(t *testing.T) {
	s := newStand(t, nil)
	s.register("vim", define("w"))
	s.known("a.txt", "1\n")
	s.ed.answer = func(context.Context, Call) (Answer, error) {
		s.write("a.txt", "22\n")
		return Answer{}, &RemoteError{Message: "half done"}
	}
	res := s.call("w", `{}`)
	want(t, res, tools.Failed, "half done", "a.txt")
	s.wantChanges(res, tools.Change{Path: "a.txt", Before: "1\n", After: "22\n"})
}

func TestAFileThatNobodyKnewIsToldWithoutAnInventedPast(t *testing.T) {
	s := newStand(t, nil)
	s.register("vim", define("w"))
	s.doing(func() { s.write("new.txt", "x\n") }, s.uri("new.txt"), s.uri("new.txt"), "file:///elsewhere/b.txt", "git:/x")
	res := s.call("w", `{}`)
	want(t, res, tools.OK, "cannot be taken back: new.txt", "outside the workspace: /elsewhere/b.txt", "names no file: \"git:/x\"")
	s.wantChanges(res, tools.Change{Path: "new.txt", Before: "x\n", After: "x\n"})
}

func TestWhatAnotherMayHaveChangedIsNotTheCallsDoing(t *testing.T) {
	s := newStand(t, nil)
	s.known("mine.txt", "1\n")
	s.known("other.txt", "1\n")
	s.register("vim", define("w", func(sp *Spec) { sp.Locks = []tools.Lock{{Resource: s.uri("mine.txt")}} }))
	s.doing(func() {
		s.write("mine.txt", "22\n")
		s.write("other.txt", "22\n")
	})
	res := s.call("w", `{}`)
	want(t, res, tools.OK, "without saying so: mine.txt", "perhaps by another hand: other.txt")
	s.wantChanges(res, tools.Change{Path: "mine.txt", Before: "1\n", After: "22\n"})
}

func TestATrustedReadIsNotSuspected(t *testing.T) {
	s := newStand(t, trusting("vim"))
	s.register("vim", define("v", readOnly))
	s.write("open.txt", "1\n")
	s.ws.DidOpen(s.uri("open.txt"), "text", 1, "1\n")
	s.doing(func() { s.retype("open.txt", 2, "the user types\n") })
	if res := s.call("v", `{}`); len(res.Changed) != 0 || res.Text != "done" {
		t.Errorf("%+v", res)
	}
}

func TestAnAnswerThatComesBeforeItsDidChangeIsWaitedFor(t *testing.T) {
	s := newStand(t, nil)
	s.register("vim", define("w"))
	s.write("open.txt", "1\n")
	synctest.Test(t, func(t *testing.T) {
		s.run = s.pipeline(nil)
		s.ws.DidOpen(s.uri("open.txt"), "text", 1, "1\n")
		s.doing(func() { time.AfterFunc(200*time.Millisecond, func() { s.retype("open.txt", 2, "22\n") }) }, s.uri("open.txt"))
		s.wantChanges(s.call("w", `{}`), tools.Change{Path: "open.txt", Before: "1\n", After: "22\n"})
		begun := time.Now()
		s.doing(func() {}, s.uri("open.txt"))
		if res := s.call("w", `{}`); len(res.Changed) != 0 || time.Since(begun) != 500*time.Millisecond {
			t.Errorf("an editor that lies: %v after %v", res.Changed, time.Since(begun))
		}
	})
}

func TestAWriteThatLeavesSizeAndTimeIsFoundInAFreshFile(t *testing.T) {
	s := newStand(t, nil)
	s.register("vim", define("w"))
	s.known("a.txt", "1\n")
	at := time.Now()
	stamp := func() {
		if err := os.Chtimes(s.path("a.txt"), at, at); err != nil {
			t.Fatal(err)
		}
	}
	stamp()
	s.doing(func() {
		s.write("a.txt", "2\n")
		stamp()
	})
	at = time.Now().Add(time.Hour) // as fresh as it gets, however slow the machine
	stamp()
	s.wantChanges(s.call("w", `{}`), tools.Change{Path: "a.txt", Before: "1\n", After: "2\n"})
}

func TestABufferThatIsClosedWithoutSavingChangedNoFile(t *testing.T) {
	s := newStand(t, nil)
	s.register("vim", define("close"))
	s.write("a.txt", "1\n")
	s.ws.DidOpen(s.uri("a.txt"), "text", 1, "unsaved\n")
	s.doing(func() { s.ws.DidClose(s.uri("a.txt")) })
	if res := s.call("close", `{}`); len(res.Changed) != 0 {
		t.Errorf("changed %+v", res.Changed)
	}
}

func BenchmarkOurShareOfACallWithHundredKnownFiles(b *testing.B) {
	root := b.TempDir()
	ws, err := workspace.New(workspace.Options{Roots: []string{root}})
	if err != nil {
		b.Fatal(err)
	}
	for i := range 100 {
		path := root + "/" + string(rune('a'+i%26)) + string(rune('a'+i/26)) + ".go"
		if err := os.WriteFile(path, make([]byte, 0), 0o600); err != nil {
			b.Fatal(err)
		}
		ws.NoteRead("t", path, "")
	}
	h := New(Options{Registry: tools.NewRegistry(), Caller: &instant{}, Workspace: ws})
	h.Register("vim", []Spec{define("w")}, nil, false)
	found, _ := h.opt.Registry.Find("w")
	for b.Loop() {
		action, err := found.Prepare(context.Background(), tools.Call{Thread: "t"})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := action.Run(context.Background(), nil); err != nil {
			b.Fatal(err)
		}
	}
}
