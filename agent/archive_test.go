package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"companion/agent/model/script"
	"companion/session"
	"companion/tools"
)

func types(events []session.Event) string {
	var out []string
	for _, e := range events {
		out = append(out, string(e.Type))
	}
	return strings.Join(out, " ")
}

func TestReadGivesPagesAndWhatIsLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		talks := fakeTool{tools.Spec{Name: "talk"}, func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
			inv.Progress.Output("line 1\n")
			inv.Progress.Output("line 2\n")
			<-ctx.Done()
			return tools.Result{}, ctx.Err()
		}}
		r := newRig(t, rigOptions{tools: []tools.Tool{talks}, turns: []script.Turn{{Text: "hello"}, {Calls: []script.Call{callOf("talk")}}, {Text: "half an", Stall: true}}})
		out := r.turn(TurnOptions{}, "one")
		turn := r.newTurn(TurnOptions{Thread: out.Thread}, "two")
		ended := r.background(turn)
		time.Sleep(time.Second)
		all, err := r.agent.Read(out.Thread, 0, 0)
		if err != nil || all.NextSeq != 0 || all.Info.Status != session.StatusRunning || all.Info.Turns != 2 {
			t.Fatalf("%+v, %v", all, err)
		}
		if len(all.Live) != 1 || all.Live[all.Events[len(all.Events)-1].ItemID] != "line 1\nline 2\n" {
			t.Errorf("live %q", all.Live)
		}
		var paged []session.Event
		since, pages := int64(0), 0
		for {
			p, err := r.agent.Read(out.Thread, since, 2)
			if err != nil {
				t.Fatal(err)
			}
			paged, pages = append(paged, p.Events...), pages+1
			if (p.NextSeq == 0) != (len(p.Live) > 0) {
				t.Errorf("page %d has next %d and live %q", pages, p.NextSeq, p.Live)
			}
			if p.NextSeq == 0 {
				break
			}
			since = p.NextSeq
		}
		if types(paged) != types(all.Events) || pages != (len(all.Events)+1)/2 {
			t.Errorf("%d pages give %s, want %s", pages, types(paged), types(all.Events))
		}
		if err := r.agent.Stop(context.Background(), "", turn.ID()); err != nil {
			t.Error(err)
		}
		<-ended
		next := r.newTurn(TurnOptions{Thread: out.Thread}, "three")
		ended = r.background(next)
		time.Sleep(time.Second)
		if p, err := r.agent.Read(out.Thread, 0, 0); err != nil || len(p.Live) != 1 || !strings.Contains(fmt.Sprint(p.Live), "half an") {
			t.Errorf("live %v, %v", p.Live, err)
		}
		r.agent.StopAll(context.Background())
		<-ended
		if p, err := r.agent.Read(out.Thread, 0, 0); err != nil || len(p.Live) != 0 {
			t.Errorf("live %v, %v", p.Live, err)
		}
		if _, err := r.agent.Read("absent", 0, 0); !errors.Is(err, ErrThreadNotFound) {
			t.Errorf("absent: %v", err)
		}
	})
}

// TestALogCutAnywhereIsHealed kills a turn after each of its records: what is
// read after a restart is what was told until then, and what its starts lack.
func TestALogCutAnywhereIsHealed(t *testing.T) {
	r := newRig(t, rigOptions{
		tools: []tools.Tool{readTool("text"), editTool("edited")},
		turns: []script.Turn{
			{Reasoning: "hm", Text: "I look.", Calls: []script.Call{callOf("read"), callOf("edit", `{"a":1}`)}},
			{Calls: []script.Call{callOf("edit", `{"a":2}`)}},
			{Text: "done"},
		},
	})
	out := r.turn(TurnOptions{}, "mend")
	told, err := r.agent.Replay(out.Thread, 0)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(r.dir, "threads", out.Thread+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	for n := 1; n < len(lines); n++ {
		for _, torn := range []int{0, 7} { // bytes of the next line
			data := strings.Join(lines[:n], "")
			if n+1 < len(lines) {
				data += lines[n][:torn]
			}
			healed(t, out.Thread, data, told, n)
		}
	}
}

func healed(t *testing.T, thread, data string, told []session.Event, n int) {
	t.Helper()
	recs, _ := session.Replay([]byte(data))
	had := session.Events(recs, 0)
	r := newRig(t, rigOptions{turns: []script.Turn{{Text: "on we go"}}})
	path := filepath.Join(r.dir, "threads", thread+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := r.agent.Read(thread, 0, 0)
	if err != nil {
		t.Fatalf("cut after %d records: %v", n, err)
	}
	if types(got.Events[:len(had)]) != types(told[:len(had)]) {
		t.Errorf("cut after %d records: %s", n, types(got.Events))
	}
	open := map[string]int{}
	for i, e := range got.Events {
		if e.Seq != int64(i+1) {
			t.Errorf("cut after %d records: event %d has seq %d", n, i, e.Seq)
		}
		switch e.Type {
		case session.ToolStarted, session.TurnStarted:
			open[e.Turn+e.CallID]++
		case session.ToolCompleted, session.TurnCompleted:
			open[e.Turn+e.CallID]--
		default:
			if i >= len(had) {
				t.Errorf("cut after %d records: %s was added", n, e.Type)
			}
		}
	}
	for id, c := range open {
		if c != 0 {
			t.Errorf("cut after %d records: %s is off by %d", n, id, c)
		}
	}
	if again, err := r.agent.Read(thread, 0, 0); err != nil || !reflect.DeepEqual(again.Events, got.Events) {
		t.Errorf("cut after %d records: a second read differs: %s, %v", n, types(again.Events), err)
	}
	if o := r.turn(TurnOptions{Thread: thread}, "go on"); o.Status != Completed {
		t.Errorf("cut after %d records: the thread is not usable: %+v", n, o)
	}
	texts := map[string]string{}
	for _, it := range r.rec.reqs[0].Items {
		texts[it.CallID] = it.Text
	}
	for _, e := range had {
		if e.Type == session.ToolCompleted && texts[e.CallID] != e.End.Text {
			t.Errorf("cut after %d records: the model hears %q of %s", n, texts[e.CallID], e.CallID)
		}
	}
	r.mu.Lock()
	r.events = nil // seq goes on from the first process
	r.mu.Unlock()
}

func TestForkCopiesUpToATurn(t *testing.T) {
	r := newRig(t, rigOptions{turns: []script.Turn{
		{Text: "one"}, {Text: "two"}, {Expect: []string{"one"}, Refuse: []string{"two"}, Text: "other two"}, {Expect: []string{"two"}, Text: "three"},
	}})
	a := r.turn(TurnOptions{Mode: tools.ModeEdit}, "first")
	b := r.turn(TurnOptions{Thread: a.Thread}, "next")
	at, err := r.agent.Fork(a.Thread, a.Turn)
	if err != nil || at.ID == a.Thread || at.Turns != 1 || at.Title != "first" || at.Status != session.StatusIdle {
		t.Fatalf("%+v, %v", at, err)
	}
	if o := r.turn(TurnOptions{Thread: at.ID}, "other"); o.Text != "other two" {
		t.Errorf("%+v", o)
	}
	for n, req := range r.rec.reqs[2:] {
		if n == 0 && !sameItems(req.Items[:len(r.rec.reqs[1].Items)-1], r.rec.reqs[1].Items[:len(r.rec.reqs[1].Items)-1]) {
			t.Error("the copy's items are others")
		}
	}
	whole, err := r.agent.Fork(a.Thread, "")
	if err != nil || whole.Turns != 2 {
		t.Fatalf("%+v, %v", whole, err)
	}
	if o := r.turn(TurnOptions{Thread: whole.ID}, "on"); o.Text != "three" {
		t.Errorf("%+v", o)
	}
	got, err := r.agent.Read(at.ID, 0, 0)
	if err != nil || got.Events[0].Mode != "edit" || got.Events[0].Thread != at.ID || got.Info.Turns != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	for i, e := range got.Events {
		if e.Seq != int64(i+1) {
			t.Errorf("event %d has seq %d", i, e.Seq)
		}
	}
	for turn, want := range map[string]error{"absent": ErrTurnNotFound, b.Turn: nil} {
		if _, err := r.agent.Fork(a.Thread, turn); !errors.Is(err, want) {
			t.Errorf("fork at %s: %v", turn, err)
		}
	}
	run := r.newTurn(TurnOptions{Thread: a.Thread}, "x")
	if _, err := r.agent.Fork(a.Thread, run.ID()); !errors.Is(err, ErrTurnRunning) {
		t.Errorf("fork at a running turn: %v", err)
	}
	if _, err := r.agent.Fork("absent", ""); !errors.Is(err, ErrThreadNotFound) {
		t.Errorf("fork of nothing: %v", err)
	}
	r.agent.StopAll(context.Background())
	r.mu.Lock()
	r.events = nil // copies go on with the seq of the first
	r.mu.Unlock()
}

func TestRenameCloseDeleteAndList(t *testing.T) {
	var gone []string
	r := newRig(t, rigOptions{
		turns: []script.Turn{{Text: "a"}, {Text: "b"}, {Text: "c"}},
		more:  func(o *Options) { o.Deleted = func(id string) { gone = append(gone, id) } },
	})
	a := r.turn(TurnOptions{}, "Mend the parser")
	b := r.turn(TurnOptions{Roots: []string{"/else"}}, "Write tests")
	c := r.turn(TurnOptions{}, "mend the printer")
	list := func(q ListQuery) string {
		t.Helper()
		var ids []string
		for pages := 0; ; pages++ {
			infos, cursor, err := r.agent.List(q)
			if err != nil || pages > 5 {
				t.Fatal(pages, err)
			}
			for _, i := range infos {
				ids = append(ids, map[string]string{a.Thread: "a", b.Thread: "b", c.Thread: "c"}[i.ID])
			}
			if q.Cursor = cursor; cursor == "" {
				return strings.Join(ids, "")
			}
		}
	}
	for want, q := range map[string]ListQuery{
		"cba": {}, "ca": {Query: "MEND the"}, "b": {Cwd: "/else"}, "": {Query: "nothing"}, "c": {Query: "mend " + c.Thread},
	} {
		for _, limit := range []int{0, 1, 2} {
			if q.Limit = limit; list(q) != want {
				t.Errorf("%+v gives %s, want %s", q, list(q), want)
			}
		}
	}
	if _, _, err := r.agent.List(ListQuery{Cursor: "?"}); !errors.Is(err, ErrCursor) {
		t.Errorf("bad cursor: %v", err)
	}
	if err := r.agent.Rename(a.Thread, "The grammar"); err != nil {
		t.Fatal(err)
	}
	if got := list(ListQuery{Query: "grammar"}); got != "a" {
		t.Errorf("after a rename %s", got)
	}
	if err := r.agent.CloseThread(a.Thread); err != nil {
		t.Fatal(err)
	}
	other := session.NewStore(r.dir)
	log, _, err := other.Open(a.Thread)
	if err != nil {
		t.Fatalf("a closed thread is not free: %v", err)
	}
	for what, err := range map[string]error{
		"rename": r.agent.Rename(a.Thread, "x"), "delete": r.agent.Delete(a.Thread),
	} {
		if !errors.Is(err, ErrThreadBusy) {
			t.Errorf("%s of another process's thread: %v", what, err)
		}
	}
	if p, err := r.agent.Read(a.Thread, 0, 0); err != nil || p.Info.Title != "The grammar" || len(p.Events) == 0 {
		t.Errorf("another process's thread reads %+v, %v", p, err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.agent.Rename(a.Thread, "Again"); err != nil {
		t.Errorf("rename of a closed thread: %v", err)
	}
	log, _, err = other.Open(a.Thread)
	if err != nil {
		t.Fatalf("a rename left the thread open: %v", err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	turn := r.newTurn(TurnOptions{Thread: b.Thread}, "x")
	for what, err := range map[string]error{"close": r.agent.CloseThread(b.Thread), "delete": r.agent.Delete(b.Thread)} {
		if !errors.Is(err, ErrTurnRunning) {
			t.Errorf("%s under a turn: %v", what, err)
		}
	}
	r.agent.StopAll(context.Background())
	turn.Run(context.Background())
	for _, id := range []string{a.Thread, b.Thread} {
		if err := r.agent.Delete(id); err != nil {
			t.Errorf("delete: %v", err)
		}
	}
	if list(ListQuery{}) != "c" || len(gone) != 2 {
		t.Errorf("left %s, gone %v", list(ListQuery{}), gone)
	}
	for what, err := range map[string]error{
		"delete": r.agent.Delete(a.Thread), "close": r.agent.CloseThread(a.Thread), "rename": r.agent.Rename(a.Thread, "x"),
	} {
		if !errors.Is(err, ErrThreadNotFound) {
			t.Errorf("%s of nothing: %v", what, err)
		}
	}
	entries, err := os.ReadDir(filepath.Join(r.dir, "threads"))
	if err != nil || len(entries) != 2 {
		t.Errorf("files left: %v, %v", entries, err)
	}
}

func TestEveryTurnThatACrashLeftOpenIsEnded(t *testing.T) {
	dir := t.TempDir()
	log, err := session.NewStore(dir).Create(session.Info{ID: "t1", Cwd: "/proj"})
	if err != nil {
		t.Fatal(err)
	}
	for i, turn := range []string{"u1", "u2"} { // u2 was stopped in line, and half told
		e := session.Event{Thread: "t1", Turn: turn, Seq: int64(i + 1), Type: session.TurnStarted, Mode: "agent", Model: "script/test"}
		if err := log.Append(session.Record{Kind: session.KindEvent, Event: &e}); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, rigOptions{dir: dir})
	got, err := r.agent.Read("t1", 2, 0)
	if err != nil || types(got.Events) != "turn.completed turn.completed" || got.Events[0].Turn != "u1" || got.Events[1].Turn != "u2" || got.Info.Status != session.StatusIdle {
		t.Errorf("%+v, %v", got, err)
	}
	r.events = nil // the turns began in the other process
}
