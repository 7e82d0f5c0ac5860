package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"companion/agent/model/script"
	"companion/session"
	"companion/tools"

	"github.com/sourcegraph/conc"
)

func readTool(text string) tools.Tool {
	return fakeTool{tools.Spec{Name: "read", ReadOnly: true, Input: json.RawMessage(`{"type":"object"}`)}, says(text)}
}

func editTool(text string) tools.Tool {
	return fakeTool{tools.Spec{Name: "edit", Input: json.RawMessage(`{"type":"object"}`)}, says(text)}
}

func TestTurnRunsCallsAndGoesOn(t *testing.T) {
	r := newRig(t, rigOptions{
		tools: []tools.Tool{readTool("1\tpackage a"), editTool("edited, no new errors")},
		turns: []script.Turn{
			{Expect: []string{"mend it", "You are Companion"}, Text: "I look first.", Calls: []script.Call{{Name: "read", Arguments: json.RawMessage(`{"path":"a.go"}`)}}},
			{Expect: []string{"package a"}, Calls: []script.Call{{Name: "edit", Arguments: json.RawMessage(`{"path":"a.go"}`)}}},
			{Expect: []string{"no new errors"}, Text: "Mended."},
		},
	})
	out := r.turn(TurnOptions{}, "mend it")
	if out.Status != Completed || out.Text != "Mended." || out.Steps != 3 || out.Error != "" {
		t.Fatalf("outcome %+v", out)
	}
	if err := r.script.Unused(); err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"turn.started", "message.completed",
		"tool.started c1 read", "tool.completed c1 ok",
		"tool.started c2 edit", "tool.completed c2 ok",
		"message.completed", "turn.completed completed",
	}, "\n")
	if got := r.line(); got != want {
		t.Errorf("events:\n%s\nwant:\n%s", got, want)
	}
	infos, err := r.agent.Threads()
	if err != nil || len(infos) != 1 || infos[0].Title != "mend it" || infos[0].Turns != 1 || infos[0].Status != session.StatusIdle {
		t.Errorf("threads: %+v, %v", infos, err)
	}
}

func TestWhoHeardOfTheEndFindsTheThreadFree(t *testing.T) {
	r := newRig(t, rigOptions{turns: []script.Turn{{Text: "1"}, {Text: "2"}, {Text: "3"}, {Text: "4"}}})
	ended := make(chan struct{}, 1)
	defer r.agent.Subscribe(func(e session.Event) {
		if e.Type == session.TurnCompleted {
			ended <- struct{}{}
		}
	})()
	input := []session.Input{{Type: "text", Text: "go"}}
	thread := ""
	var runs conc.WaitGroup
	defer runs.Wait()
	for i := range 4 {
		turn, err := r.agent.NewTurn(TurnOptions{Thread: thread, Roots: []string{t.TempDir()}, Input: input})
		if err != nil {
			t.Fatalf("turn %d: %v", i, err)
		}
		thread = turn.ThreadID()
		runs.Go(func() { turn.Run(t.Context()) })
		<-ended
	}
	closed := ""
	r.agent.o.Closed = func(id string) { closed += id }
	if err := r.agent.CloseThread(thread); err != nil || closed != thread {
		t.Errorf("%v; heard of %q, not of %q alone", err, closed, thread)
	}
}
