package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"companion/agent/model/script"
	"companion/session"
	"companion/tools"
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
