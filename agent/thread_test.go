package agent

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"companion/agent/model"
	"companion/agent/model/script"
	"companion/agent/transcript"
	"companion/session"
	"companion/tools"
)

// listed are the names of tools in request n, 0-based.
func (r *rig) listed(n int) string {
	var out []string
	for _, t := range r.rec.reqs[n].Tools {
		out = append(out, t.Name)
	}
	return strings.Join(out, " ")
}

func TestModesWithholdWhatIsNotReadOnly(t *testing.T) {
	for _, mode := range []tools.Mode{tools.ModeAsk, tools.ModePlan} {
		t.Run(string(mode), func(t *testing.T) {
			r := newRig(t, rigOptions{
				tools: []tools.Tool{readTool("text"), editTool("edited")},
				turns: []script.Turn{
					{Calls: []script.Call{callOf("edit")}},
					{Expect: []string{"the mode is"}, Text: "one"},
					{Calls: []script.Call{callOf("edit")}},
					{Expect: []string{"edited"}, Text: "two"},
					{Calls: []script.Call{callOf("edit")}},
					{Text: "three"},
				},
			})
			out := r.turn(TurnOptions{Mode: mode}, "look")
			if got := r.listed(0); got != "read" {
				t.Errorf("listed at first: %s", got)
			}
			r.turn(TurnOptions{Thread: out.Thread, Mode: tools.ModeAgent}, "do")
			if got := r.listed(2); got != "read edit" {
				t.Errorf("listed when widened: %s", got)
			}
			r.turn(TurnOptions{Thread: out.Thread, Mode: mode}, "look")
			if got := r.listed(4); got != "read edit" {
				t.Errorf("narrowing changed the list: %s", got)
			}
			var outcomes, broken []string
			for _, e := range r.seen() {
				switch e.Type {
				case session.ToolCompleted:
					outcomes = append(outcomes, e.End.Outcome)
				case session.UsageReported:
					broken = append(broken, e.Usage.PrefixBroken)
				}
			}
			if got := strings.Join(outcomes, " "); got != "blocked ok blocked" {
				t.Errorf("outcomes %s", got)
			}
			if got := strings.Join(broken, "|"); got != "||tool added: edit|||" {
				t.Errorf("prefixBroken %q", got)
			}
			if changes := r.find(session.ModeChanged); len(changes) != 2 || changes[0].Mode != "agent" || changes[1].Mode != string(mode) {
				t.Errorf("mode.changed %+v", changes)
			}
			for _, req := range r.rec.reqs {
				if req.System != r.rec.reqs[0].System {
					t.Error("the instructions changed with the mode")
				}
			}
		})
	}
}

// fakeSection is a context provider whose text a test sets.
type fakeSection struct {
	name string
	text *string
	err  error
}

func (f fakeSection) Name() string { return f.name }

func (f fakeSection) Section(context.Context, ThreadView) (string, error) { return *f.text, f.err }

func TestSectionsAreAppendedWhenTheyChange(t *testing.T) {
	env, gone, dir := "linux", "tab a", t.TempDir()
	providers := []ContextProvider{fakeSection{"environment", &env, nil}, fakeSection{"editor", &gone, nil}}
	o := rigOptions{dir: dir, context: providers, tools: []tools.Tool{readTool("text")}, turns: []script.Turn{
		{Calls: []script.Call{callOf("read")}}, {Text: "one"}, {Text: "two"}, {Text: "three"},
	}}
	r := newRig(t, o)
	out := r.turn(TurnOptions{}, "first")
	developer := func(r *rig) string {
		var out []string
		for _, it := range r.rec.reqs[len(r.rec.reqs)-1].Items {
			if it.Role == model.Developer || it.Role == model.User {
				out = append(out, it.Text)
			}
		}
		return strings.Join(out, "|")
	}
	want := "<environment>\nlinux\n</environment>|<editor>\ntab a\n</editor>|first"
	if got := developer(r); got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
	env, gone = "linux, later", ""
	r.turn(TurnOptions{Thread: out.Thread}, "second")
	want += "|<environment>\nlinux, later\n</environment>|<editor>\n(nothing any more)\n</editor>|second"
	if got := developer(r); got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
	if err := r.agent.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	o.turns = []script.Turn{{Text: "four"}}
	r2 := newRig(t, o)
	t2, err := r2.agent.NewTurn(TurnOptions{Thread: out.Thread, Input: []session.Input{{Type: "text", Text: "third"}}})
	if err != nil {
		t.Fatal(err)
	}
	t2.Run(context.Background())
	if got := developer(r2); got != want+"|third" {
		t.Errorf("after a resume %q, want %q", got, want+"|third")
	}
	r2.events = nil // seq goes on from the first process
}

func TestABrokenContextProviderIsAWarning(t *testing.T) {
	text := "x"
	r := newRig(t, rigOptions{context: []ContextProvider{fakeSection{"bad", &text, errors.New("no disk")}}, turns: []script.Turn{{Text: "fine"}}})
	if out := r.turn(TurnOptions{}, "go"); out.Status != Completed || r.find(session.Warned)[0].Message != "bad: no disk" {
		t.Errorf("%+v", out)
	}
}

// TestResumeAfterACrash takes the log as a process left it that died while a
// call ran.
func TestResumeAfterACrash(t *testing.T) {
	dir := t.TempDir()
	store := session.NewStore(dir)
	log, err := store.Create(session.Info{ID: "t1", Cwd: "/proj", CreatedAt: time.Unix(1, 0)})
	if err != nil {
		t.Fatal(err)
	}
	item := func(it model.Item) session.Record {
		return transcript.New(session.Info{}, nil, nil, nil).Add(it, "")
	}
	event := func(e session.Event) session.Record {
		e.Thread, e.Turn = "t1", "u1"
		return session.Record{Kind: session.KindEvent, Event: &e}
	}
	err = log.Append(
		event(session.Event{Seq: 1, Type: session.TurnStarted, Mode: "edit", Model: "script/test", Input: []session.Input{{Type: "text", Text: "mend"}}}),
		item(model.Item{Kind: model.Message, ID: "i1", Role: model.User, Text: "mend"}),
		item(model.Item{Kind: model.ToolCall, ID: "i2", CallID: "c1", Name: "read", Arguments: "{}"}),
		item(model.Item{Kind: model.ToolCall, ID: "i3", CallID: "c2", Name: "edit", Arguments: "{}"}),
		item(model.Item{Kind: model.ToolCall, ID: "i4", CallID: "c3", Name: "edit", Arguments: "{}"}),
		event(session.Event{Seq: 2, Type: session.ToolStarted, ItemID: "i2", CallID: "c1", Tool: &session.ToolInfo{Name: "read"}}),
		event(session.Event{Seq: 3, Type: session.ToolStarted, ItemID: "i3", CallID: "c2", Tool: &session.ToolInfo{Name: "edit"}}),
		event(session.Event{Seq: 4, Type: session.ToolCompleted, ItemID: "i2", CallID: "c1", End: &session.CallEnd{Outcome: "ok", Text: "text", Changed: []string{"/proj/a"}}}),
		item(model.Item{Kind: model.ToolReply, ID: "i5", CallID: "c1", Name: "read", Text: "text"}),
	)
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, rigOptions{dir: dir, turns: []script.Turn{{Expect: []string{"companion ended while this call ran", "go on"}, Text: "on we go"}}})
	if _, err := r.agent.Resume("t1"); !errors.Is(err, ErrThreadBusy) {
		t.Errorf("a thread of another process: %v", err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if info, err := r.agent.Resume("t1"); err != nil || info.Title != "mend" || info.Turns != 1 || info.Status != session.StatusIdle {
			t.Fatalf("%+v, %v", info, err)
		}
	}
	var got []string
	for _, e := range r.seen() {
		s := string(e.Type)
		if e.End != nil {
			s += " " + e.CallID + " " + e.End.Outcome
		}
		got = append(got, s+" "+e.Status)
	}
	if want := "tool.completed c2 aborted |turn.completed stopped"; strings.Join(got, "|") != want {
		t.Errorf("appended %q, want %q", got, want)
	}
	out := r.turn(TurnOptions{Thread: "t1"}, "go on")
	if out.Status != Completed {
		t.Fatalf("%+v", out)
	}
	if e := r.find(session.TurnStarted)[0]; e.Mode != "edit" || e.Seq != 7 {
		t.Errorf("turn.started %+v", e)
	}
	evs, err := r.agent.Replay("t1", 4)
	if err != nil || len(evs) == 0 || evs[0].Seq != 5 || evs[len(evs)-1].Type != session.TurnCompleted {
		t.Errorf("replay %+v, %v", evs, err)
	}
	for i, e := range evs {
		if e.Seq != int64(5+i) {
			t.Errorf("event %d has seq %d", i, e.Seq)
		}
	}
	r.events = nil // the first four events were told by the other process
}

func TestErrorsOfStarting(t *testing.T) {
	r := newRig(t, rigOptions{turns: []script.Turn{{Text: "x"}}})
	in := []session.Input{{Type: "text", Text: "x"}}
	if _, err := r.agent.NewTurn(TurnOptions{Thread: "absent", Input: in}); !errors.Is(err, ErrThreadNotFound) {
		t.Errorf("absent thread: %v", err)
	}
	if _, err := r.agent.NewTurn(TurnOptions{Roots: []string{"/w"}, Model: "none/none", Input: in}); !errors.Is(err, ErrNoModel) {
		t.Errorf("no model: %v", err)
	}
	if _, err := r.agent.NewTurn(TurnOptions{Input: in}); err == nil {
		t.Error("a thread without a folder")
	}
	if infos, _ := r.agent.Threads(); len(infos) != 0 {
		t.Errorf("threads of turns that never were: %+v", infos)
	}
	info, err := r.agent.StartThread(ThreadOptions{Roots: []string{"/w"}, Title: "named"})
	if err != nil || info.Title != "named" {
		t.Fatalf("%+v, %v", info, err)
	}
	turn := r.newTurn(TurnOptions{Thread: info.ID}, "x")
	if _, err := r.agent.NewTurn(TurnOptions{Thread: info.ID, Input: in}); !errors.Is(err, ErrTurnRunning) {
		t.Errorf("second turn: %v", err)
	}
	if out := turn.Run(context.Background()); out.Status != Completed {
		t.Errorf("%+v", out)
	}
	if err := r.agent.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := r.agent.NewTurn(TurnOptions{Roots: []string{"/w"}, Input: in}); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if _, err := r.agent.Resume(info.ID); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestSubscribersHearUntilTheyCancel(t *testing.T) {
	r := newRig(t, rigOptions{turns: []script.Turn{{Text: "a"}, {Text: "b"}}})
	n := 0
	cancel := r.agent.Subscribe(func(session.Event) { n++ })
	out := r.turn(TurnOptions{}, "x")
	cancel()
	was := n
	r.turn(TurnOptions{Thread: out.Thread}, "x")
	if was == 0 || n != was || was >= len(r.seen()) {
		t.Errorf("heard %d, then %d of %d", was, n, len(r.seen()))
	}
}

// brokenLog fails after some records.
type brokenLog struct {
	session.Log
	left int
}

func (b *brokenLog) Append(recs ...session.Record) error {
	if b.left -= len(recs); b.left < 0 {
		return errors.New("no space left on device")
	}
	return b.Log.Append(recs...)
}

// brokenStore makes logs that take left records.
type brokenStore struct {
	Store
	left int
}

func (b brokenStore) Create(info session.Info) (Log, error) {
	l, err := b.Store.Create(info)
	return &brokenLog{l, b.left}, err
}

func TestAFullDiskFailsTheTurn(t *testing.T) {
	r := newRig(t, rigOptions{wrap: func(s Store) Store { return brokenStore{s, 5} }, tools: []tools.Tool{readTool("x")}, turns: []script.Turn{{Calls: []script.Call{callOf("read")}}, {Text: "never"}}})
	turn := r.newTurn(TurnOptions{}, "x")
	out := turn.Run(context.Background())
	if out.Status != Failed || !strings.Contains(out.Error, "no space left") {
		t.Errorf("%+v", out)
	}
	r.events = nil // not all of them could be kept
}
