package agent

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"companion/agent/model"
	"companion/agent/model/script"
	"companion/session"
	"companion/tools"
	"companion/tools/router"
)

// shop is a registry with a search and deferred tools; the search finds
// ext.close.
func shop() []tools.Tool {
	deferred := func(name string) tools.Tool {
		return fakeTool{tools.Spec{
			Name: name, Namespace: "ext", Exposure: tools.Deferred, Source: tools.MCP, Owner: "server", ReadOnly: true,
			Description: name + " a pull request", Input: json.RawMessage(`{"type":"object"}`),
		}, says(name + " ran")}
	}
	find := fakeTool{tools.Spec{Name: "find", Form: tools.Search, ReadOnly: true, AlwaysShown: true, Input: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *tools.Invocation) (tools.Result, error) {
		return tools.Result{Outcome: tools.OK, Text: "found ext.close", Loads: []string{"ext.close"}}, nil
	}}
	return []tools.Tool{readTool(strings.Repeat("a long text about nothing much ", 400)), find, deferred("close"), deferred("open")}
}

// told is what a request tells the model of: in the list, and by results.
func told(req model.Request) (listed, loaded []string) {
	full := func(t model.Tool) string { return tools.Spec{Name: t.Name, Namespace: t.Namespace}.Full() }
	for _, t := range model.Telling(req).Listed {
		listed = append(listed, full(t))
	}
	for _, it := range req.Items {
		for _, t := range it.Loads {
			loaded = append(loaded, full(t))
		}
	}
	return listed, loaded
}

func TestWhatASearchFoundIsUsableToTheEndOfTheThread(t *testing.T) {
	for name, late := range map[string]bool{"where definitions may come late": true, "where they join the list": false} {
		t.Run(name, func(t *testing.T) {
			o := rigOptions{
				dir: t.TempDir(), tools: shop(), card: Card{ID: "script/test", ToolSearch: true, Late: late},
				turns: []script.Turn{
					{Calls: []script.Call{callOf("find")}},
					{Calls: []script.Call{{Name: "close", Namespace: "ext"}, callOf("read")}},
					{Text: "closed"},
				},
			}
			r := newRig(t, o)
			out := r.turn(TurnOptions{}, "close the pull request")
			if out.Status != Completed {
				t.Fatalf("%+v", out)
			}
			ends := r.find(session.ToolCompleted)
			if got := ends[1].End.Outcome; got != "ok" {
				t.Errorf("the found tool's call was %s: %s", got, ends[1].End.Text)
			}
			if listed, loaded := told(r.rec.reqs[0]); !slices.Equal(listed, []string{"find", "read"}) || loaded != nil {
				t.Errorf("the first request tells of %v, %v", listed, loaded)
			}
			wantFound(t, r.rec.reqs[1], late)
			if err := r.agent.Close(context.Background()); err != nil {
				t.Fatal(err)
			}

			o.turns = []script.Turn{{Text: "resumed"}, {Text: "in short: closed"}, {Text: "after"}}
			r2 := newRig(t, o)
			r2.turn(TurnOptions{Thread: out.Thread}, "and now?")
			wantFound(t, r2.rec.reqs[0], late)
			if before, after, err := r2.agent.Compact(context.Background(), out.Thread); err != nil || after >= before {
				t.Fatalf("%d to %d: %v", before, after, err)
			}
			r2.turn(TurnOptions{Thread: out.Thread}, "and after?")
			last := r2.rec.reqs[len(r2.rec.reqs)-1]
			if listed, _ := told(last); !slices.Contains(listed, "ext.close") || slices.Contains(listed, "ext.open") {
				t.Errorf("after the compaction %v is listed", listed)
			}
			r2.events, r2.rec.reqs = nil, nil // seq goes on from the first process, and items do not
			if err := r2.agent.Close(context.Background()); err != nil {
				t.Fatal(err)
			}

			o.turns = []script.Turn{{Text: "again"}}
			r3 := newRig(t, o)
			r3.turn(TurnOptions{Thread: out.Thread}, "and a day later?")
			if listed, _ := told(r3.rec.reqs[0]); !slices.Contains(listed, "ext.close") || slices.Contains(listed, "ext.open") {
				t.Errorf("resumed after the compaction %v is listed", listed)
			}
			r3.events = nil
		})
	}
}

func wantFound(t *testing.T, req model.Request, late bool) {
	t.Helper()
	listed, loaded := told(req)
	if !slices.Equal(loaded, []string{"ext.close"}) {
		t.Errorf("results load %v", loaded)
	}
	if slices.Contains(listed, "ext.close") == late || slices.Contains(listed, "ext.open") {
		t.Errorf("listed %v", listed)
	}
}

func TestAModelWithoutSearchIsToldOfAll(t *testing.T) {
	r := newRig(t, rigOptions{tools: shop(), turns: []script.Turn{{Text: "x"}}})
	r.turn(TurnOptions{}, "go")
	if listed, _ := told(r.rec.reqs[0]); !slices.Equal(listed, []string{"ext.close", "ext.open", "read"}) {
		t.Errorf("listed %v", listed)
	}
}

func TestASettingThatNarrowsInTheMiddleOfAThreadKeepsTheListAndBlocksTheCall(t *testing.T) {
	switches := router.New(router.Settings{})
	r := newRig(t, rigOptions{
		tools: []tools.Tool{readTool("text"), editTool("done")},
		turns: []script.Turn{
			{Text: "x"},
			{Calls: []script.Call{callOf("edit"), callOf("read")}},
			{Text: "y"},
		},
		more: func(o *Options) { o.Scene = func(string) router.Scene { return router.Scene{Switches: switches} } },
	})
	out := r.turn(TurnOptions{}, "go")
	switches = router.New(router.Settings{Disabled: []string{"edit"}, OmitFrom: []string{"read"}})
	r.turn(TurnOptions{Thread: out.Thread}, "go on")
	first, _ := told(r.rec.reqs[0])
	for i, req := range r.rec.reqs {
		if listed, _ := told(req); !slices.Equal(listed, first) {
			t.Errorf("request %d lists %v, the first %v", i, listed, first)
		}
	}
	ends := r.find(session.ToolCompleted)
	if len(ends) != 2 || ends[0].End.Outcome != "blocked" || ends[1].End.Outcome != "ok" {
		t.Errorf("calls ended %+v", ends)
	}
}

func TestAToolThatIsGoneStaysInTheListUntilTheThreadIsCompacted(t *testing.T) {
	reg := tools.NewRegistry(shop()...)
	r := newRig(t, rigOptions{
		turns: []script.Turn{{Calls: []script.Call{callOf("read")}}, {Text: "a"}, {Text: "b"}, {Text: "in short"}, {Text: "c"}, {Text: "d"}},
		more:  func(o *Options) { o.Registry = reg },
	})
	out := r.turn(TurnOptions{}, "go")
	reg.Remove("ext.open")
	lists := func() []string {
		listed, _ := told(r.rec.reqs[len(r.rec.reqs)-1])
		return listed
	}
	r.turn(TurnOptions{Thread: out.Thread}, "go on")
	if got := lists(); !slices.Equal(got, []string{"ext.close", "ext.open", "read"}) {
		t.Errorf("before: %v", got)
	}
	if _, _, err := r.agent.Compact(context.Background(), out.Thread); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		r.turn(TurnOptions{Thread: out.Thread}, "go on")
		if got := lists(); !slices.Equal(got, []string{"ext.close", "read"}) {
			t.Errorf("after: %v", got)
		}
	}
}
