package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"companion/agent/model"
	"companion/agent/model/script"
	"companion/session"
	"companion/tools"
	"companion/tools/gate"
	"companion/tools/hooks"
	"companion/tools/limit"
)

// locking is a tool that takes a lock named by its argument for a second.
type locking struct{ spec tools.Spec }

func (l locking) Spec() tools.Spec { return l.spec }

func (l locking) Prepare(_ context.Context, c tools.Call) (tools.Action, error) {
	var in struct{ Path string }
	if err := json.Unmarshal(c.Args, &in); err != nil {
		return tools.Action{}, err
	}
	a := tools.Action{Run: func(context.Context, tools.Progress) (tools.Result, error) {
		time.Sleep(time.Second) // virtual
		return tools.Result{Text: fmt.Sprintf("done %s, tainted %v", in.Path, c.Tainted), Tainted: strings.HasPrefix(in.Path, "web")}, nil
	}}
	if in.Path != "" {
		a.Locks = []tools.Lock{{Resource: in.Path}}
	}
	return a, nil
}

var pathSpec = tools.Spec{Name: "touch", Input: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}

func TestCallsThatTouchDifferentThingsRunBesideEachOther(t *testing.T) {
	for name, c := range map[string]struct {
		paths []string
		took  time.Duration
	}{
		"different files":               {[]string{"a", "b", "c"}, time.Second},
		"one file":                      {[]string{"a", "a", "b"}, 2 * time.Second},
		"unknown effects in the middle": {[]string{"a", "", "b"}, 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var first script.Turn
				var want []string
				for _, p := range c.paths {
					first.Calls = append(first.Calls, callOf("touch", fmt.Sprintf(`{"path":%q}`, p)))
					want = append(want, fmt.Sprintf("done %s, tainted false", p))
				}
				r := newRig(t, rigOptions{pipeline: realPipeline(t), tools: []tools.Tool{locking{pathSpec}}, turns: []script.Turn{first, {Text: "done"}}})
				start := time.Now()
				r.turn(TurnOptions{}, "go")
				if took := time.Since(start); took != c.took || !slices.Equal(r.results(), want) {
					t.Errorf("took %v, want %v; results %q", took, c.took, r.results())
				}
			})
		})
	}
}

// A thread whose model has read text from outside stays marked, also once it
// is opened anew.
func TestTextFromOutsideMarksTheThread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := rigOptions{pipeline: realPipeline(t), dir: t.TempDir(), tools: []tools.Tool{locking{pathSpec}}, turns: []script.Turn{
			{Calls: []script.Call{callOf("touch", `{"path":"web"}`), callOf("touch", `{"path":"a"}`)}},
			{Calls: []script.Call{callOf("touch", `{"path":"b"}`)}},
			{Text: "done"},
		}}
		r := newRig(t, o)
		out := r.turn(TurnOptions{}, "go")
		if got, want := r.results(), []string{"done web, tainted false", "done a, tainted false", "done b, tainted true"}; !slices.Equal(got, want) {
			t.Errorf("results %q", got)
		}
		if err := r.agent.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		o.turns = []script.Turn{{Calls: []script.Call{callOf("touch", `{"path":"c"}`)}}, {Text: "done"}}
		told := r.seen()
		r = newRig(t, o)
		r.events = told
		r.turn(TurnOptions{Thread: out.Thread}, "again")
		if got := r.results(); got[len(got)-1] != "done c, tainted true" {
			t.Errorf("results %q", got)
		}
	})
}

type redacts struct{}

func (redacts) PostCall(_ context.Context, _ hooks.Call, r tools.Result) (hooks.Post, error) {
	text := strings.ReplaceAll(r.Text, "secret", "[…]")
	return hooks.Post{Replace: &text}, nil
}

// What a hook puts in the place of a result is what the model sees; the log
// keeps what the tool said.
func TestTheLogKeepsWhatAHookReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hooks.New(nil, hooks.Hook{Name: "redact", Post: redacts{}})
		pipeline := tools.Chain(tools.Run, h.Notices(), limit.Stage(t.TempDir()), h.After(), tools.Answer(nil), tools.Lookup(), tools.Validate(), h.Before(), tools.Prepare(),
			gate.Declare(), h.Approve(), gate.Stage(gate.New()))
		r := newRig(t, rigOptions{pipeline: pipeline, tools: []tools.Tool{locking{pathSpec}}, turns: []script.Turn{
			{Calls: []script.Call{callOf("touch", `{"path":"secret"}`)}}, {Refuse: []string{"done secret"}, Text: "done"},
		}})
		r.turn(TurnOptions{}, "go")
		if got := r.results(); len(got) != 1 || got[0] != "done […], tainted false" {
			t.Errorf("the model sees %q", got)
		}
		if end := r.find(session.ToolCompleted)[0].End; end.Text != "done secret, tainted false" || end.Shown != "done […], tainted false" || end.RanMs != 1000 {
			t.Errorf("the log has %+v", end)
		}
	})
}

// sameIDs gives all calls one id.
type sameIDs struct{}

func (sameIDs) Name() string { return "same" }

func (sameIDs) Stream(_ context.Context, req model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		stop := model.StopEnd
		items := []model.Item{{Kind: model.Message, Text: "done"}}
		if req.Items[len(req.Items)-1].Kind != model.ToolReply {
			stop = model.StopTools
			items = []model.Item{
				{Name: "touch", Arguments: `{"path":"a"}`},
				{Name: "touch", Arguments: `{"path":"b"}`},
				{Name: "", Arguments: `{"path":"c"}`},
				{Name: "touch", Arguments: `[1]`},
			}
			for i := range items {
				items[i].Kind, items[i].ID, items[i].CallID = model.ToolCall, "item", "call_0"
			}
		}
		for _, it := range items {
			if !yield(model.Event{Kind: model.ItemDone, Item: &it}, nil) {
				return
			}
		}
		yield(model.Event{Kind: model.Done, Stop: stop}, nil)
	}
}

// HB-157: ids of providers may be the same; ours are not.
func TestCallsWithOneIDAndCallsWithoutANameAreAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, rigOptions{pipeline: realPipeline(t), tools: []tools.Tool{locking{pathSpec}}, provider: sameIDs{}})
		r.turn(TurnOptions{}, "go")
		ids := map[string]bool{}
		for _, e := range r.find(session.ToolCompleted) {
			ids[e.CallID] = true
		}
		got := r.results()
		if len(ids) != 4 || len(got) != 4 || got[0] != "done a, tainted false" || got[1] != "done b, tainted false" ||
			!strings.Contains(got[2], "names no tool") || !strings.Contains(got[3], "expected object, got array") {
			t.Errorf("%d ids, results %q", len(ids), got)
		}
	})
}

// finder makes another tool callable.
type finder struct{ locking }

func (finder) Prepare(context.Context, tools.Call) (tools.Action, error) {
	return tools.Action{Run: func(context.Context, tools.Progress) (tools.Result, error) {
		return tools.Result{Text: "found", Loads: []string{"touch", "ghost"}}, nil
	}}, nil
}

func TestWhatASearchFoundComesWithItsDefinition(t *testing.T) {
	r := newRig(t, rigOptions{
		pipeline: realPipeline(t), tools: []tools.Tool{locking{pathSpec}, finder{locking{tools.Spec{Name: "find", ReadOnly: true}}}},
		turns: []script.Turn{{Calls: []script.Call{callOf("find", "{}")}}, {Text: "done"}},
	})
	r.turn(TurnOptions{}, "go")
	for _, it := range r.rec.reqs[1].Items {
		if it.Kind == model.ToolReply && (len(it.Loads) != 1 || it.Loads[0].Name != "touch" || string(it.Loads[0].Parameters) != string(pathSpec.Input)) {
			t.Errorf("loads %+v", it.Loads)
		}
	}
}
