package wire

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"companion/permission"
	"companion/session"
	"companion/tools"
)

var update = flag.Bool("update", false, "rewrite the golden file")

func TestEventsHaveTheFieldsOfTheProtocol(t *testing.T) {
	usage := &session.Usage{Input: 10, Cached: 4, Output: 3, ContextUsed: 13, ContextWindow: 100}
	events := []session.Event{
		{Type: session.TurnStarted, Seq: 1, Input: []session.Input{{Type: "text", Text: "fix"}}, Mode: "agent", Model: "offline/quickfix"},
		{Type: session.TurnStarted, Seq: 1},
		{Type: session.MessageDelta, AfterSeq: 1, ItemID: "i1", Text: "Hel"},
		{Type: session.MessageDelta, ItemID: "i1", Text: "before any durable event"},
		{Type: session.MessageCompleted, Seq: 2, ItemID: "i1", Text: "Hello <b>"},
		{Type: session.ReasoningDelta, AfterSeq: 2, ItemID: "i2", Text: "hm"},
		{Type: session.ReasoningCompleted, Seq: 3, ItemID: "i2"},
		{Type: session.ToolStarted, Seq: 4, ItemID: "i3", CallID: "c1", Tool: &session.ToolInfo{
			Name: "read", Source: "builtin", Activity: "Reading a b.go", ReadOnly: true,
			Locations: []session.Location{{Path: "/w/a b.go", Line: 3}, {Path: "/w/é.go"}, {Path: "untitled:Untitled-1"}}, Arguments: `{"path":"a b.go"}`,
		}},
		{Type: session.ToolPreview, AfterSeq: 4, CallID: "c1", Diff: "-a\n+b\n"},
		{Type: session.ToolProgress, AfterSeq: 4, CallID: "c1", Text: "Compiling"},
		{Type: session.ToolOutput, AfterSeq: 4, CallID: "c1", Text: "ok\n"},
		{Type: session.ToolCompleted, Seq: 5, CallID: "c1", End: &session.CallEnd{
			Name: "edit", Outcome: "ok", Text: "done", Display: "Edited", Truncated: true, FullOutput: "/s/full", Changed: []string{"/w/a b.go"}, Diff: "-a\n+b\n",
			Report: json.RawMessage(`{"status":"complete","checked":1,"candidates":1,"new":[],"fixed":[],"remaining":0}`), QueuedMs: 1, RanMs: 2, SettleMs: 3,
		}},
		{Type: session.ToolCompleted, Seq: 5, CallID: "c1"},
		{Type: session.ApprovalRequested, Seq: 6, CallID: "c1"},
		{Type: session.ApprovalResolved, Seq: 7, CallID: "c1", Decision: "allowOnce", By: "user"},
		{Type: session.ModeChanged, Seq: 8, Mode: "full"},
		{Type: session.TurnSteered, Seq: 8, Input: []session.Input{{Type: "text", Text: "also"}}},
		{Type: session.ChangesUpdated, Seq: 8, Files: []string{"/w/a b.go"}},
		{Type: session.ContextCompacted, Seq: 8, Before: 9, After: 3},
		{Type: session.ThreadRenamed, Seq: 8, Title: "new"},
		{Type: session.UsageReported, Seq: 9, Usage: usage},
		{Type: session.Warned, Seq: 10, Code: "loop", Message: "the same call three times"},
		{Type: session.TurnCompleted, Seq: 11, Status: "failed", Error: "no key", Usage: usage},
		{Type: session.TurnCompleted, Seq: 11, Status: "completed"},
		{Type: "of.tomorrow", Seq: 12, Text: "unknown"},
	}
	var out strings.Builder
	for _, ev := range events {
		ev.Thread, ev.Turn = "th", "tu"
		raw, err := EncodeEvent(ev)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), "\n") {
			t.Errorf("more than one line: %s", raw)
		}
		out.Write(raw)
		out.WriteByte('\n')
	}
	golden(t, "testdata/events.jsonl", out.String())
}

func TestApprovalHasTheFieldsOfTheProtocol(t *testing.T) {
	var out strings.Builder
	for _, r := range []permission.Request{
		{
			Thread: "th", Turn: "tu", CallID: "c1", Kind: permission.KindCommand, Title: "Run make", Detail: "make is not covered by a rule",
			Preview: tools.Preview{Command: "make", Cwd: "/w"}, Arguments: []byte(`{"command":"make"}`),
			Options: []permission.Option{{ID: "a", Label: "Always allow", Kind: permission.AllowAlways, Rule: "make *"}},
		},
		{Kind: permission.KindMode, Title: "Full access", Arguments: []byte("no json")},
	} {
		raw, err := json.Marshal(EncodeApproval(r))
		if err != nil {
			t.Fatal(err)
		}
		out.Write(raw)
		out.WriteByte('\n')
	}
	golden(t, "testdata/approvals.jsonl", out.String())
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll("testdata", 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (rewrite it with -update); got\n%s", path, got)
	}
}
