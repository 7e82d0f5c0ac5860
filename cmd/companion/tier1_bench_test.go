package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"companion/internal/editortest/fake"
)

// percentile reports one of durations in microseconds.
func percentile(b *testing.B, all []time.Duration, p int, unit string) {
	slices.Sort(all)
	b.ReportMetric(float64(all[min(len(all)-1, len(all)*p/100)].Nanoseconds())/1000, unit)
}

// end closes what serve began.
func (l live) end(b *testing.B) {
	if err := l.Shutdown(context.Background()); err != nil {
		b.Error(err)
	}
	_ = l.cmd.Wait()
}

// BenchmarkTenThousandLines asks for code actions in a document of 10,000 lines
// right after a change of it. The pipe and the editor's own work are in the
// figures: didchange-p95-us is a change and the answer to an empty request
// after it.
func BenchmarkTenThousandLines(b *testing.B) {
	root := b.TempDir()
	l := serve(b, binary(b), b.TempDir(), root, `{"turns":[]}`)
	defer l.end(b)
	uri := "file://" + filepath.ToSlash(filepath.Join(root, "a.go"))
	text := "package a\n\n" + strings.Repeat("func _() { _ = \"some text\" }\n", 10_000)
	if err := l.OpenText(uri, "go", text); err != nil {
		b.Fatal(err)
	}
	var actions, changes []time.Duration
	version := 1
	for b.Loop() {
		version++
		line := version % 10_000
		at := map[string]any{"line": line, "character": 0}
		span := map[string]any{"start": at, "end": at}
		start := time.Now()
		l.Notify("textDocument/didChange", map[string]any{
			"textDocument": map[string]any{"uri": uri, "version": version}, "contentChanges": []any{map[string]any{"range": span, "text": " "}},
		})
		l.ask(b, "companion/models/list", map[string]any{}, nil)
		changes = append(changes, time.Since(start))
		start = time.Now()
		l.ask(b, "textDocument/codeAction", map[string]any{
			"textDocument": map[string]any{"uri": uri}, "range": span, "context": map[string]any{"diagnostics": []any{}},
		}, nil)
		actions = append(actions, time.Since(start))
	}
	percentile(b, actions, 95, "codeaction-p95-us")
	percentile(b, changes, 95, "didchange-p95-us")
}

// BenchmarkReverseToolCall runs turns of one tool call each and takes the time
// from the editor's answer to the tool.completed event, and from tool.started
// to the request: what companion adds to a call.
func BenchmarkReverseToolCall(b *testing.B) {
	const turns = 200
	l := serve(b, binary(b), b.TempDir(), b.TempDir(), pauses(turns))
	defer l.end(b)
	id := ids{}
	var all []time.Duration
	for i := range turns {
		l.Reply("companion/tool/call", fake.Reply{Result: json.RawMessage(`{"content":[{"type":"text","text":"on"}]}`)})
		id = l.turn(b, id.ThreadID, "ask")
		l.ended(b, i+1)
	}
	var started time.Duration
	for _, x := range l.Entries() {
		switch {
		case !x.Server || x.Method != "companion/event" && x.Method != "companion/tool/call":
		case strings.Contains(string(x.Body), `"tool.started"`):
			started = x.At
		case strings.Contains(string(x.Body), `"tool.completed"`):
			all = append(all, x.At-started)
		}
	}
	for b.Loop() { // measured above
	}
	percentile(b, all, 50, "call-p50-us")
	percentile(b, all, 95, "call-p95-us")
}

func pauses(turns int) string {
	return `{"turns":[` + strings.TrimSuffix(strings.Repeat(`{"calls":[{"name":"pause"}]},{"text":"Done."},`, turns), ",") + `]}`
}

// ended waits for the turn.completed number n.
func (l live) ended(b testing.TB, n int) {
	b.Helper()
	err := l.WaitFor("turn.completed", func(v *fake.View) bool {
		seen := 0
		for _, e := range v.Events {
			if e.Type == "turn.completed" {
				seen++
			}
		}
		return seen >= n
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkRegisterThousandTools registers 1,000 tools in one batch.
func BenchmarkRegisterThousandTools(b *testing.B) {
	l := serve(b, binary(b), b.TempDir(), b.TempDir(), `{"turns":[]}`)
	defer l.end(b)
	var specs []any
	for i := range 1000 {
		specs = append(specs, map[string]any{
			"name": fmt.Sprintf("tool_%d", i), "description": "Does thing " + fmt.Sprint(i) + ".",
			"inputSchema": map[string]any{"type": "object", "required": []string{"path"}, "properties": map[string]any{
				"path": map[string]any{"type": "string"}, "count": map[string]any{"type": "integer", "minimum": i},
			}},
		})
	}
	for b.Loop() {
		var r struct{ Registered []string }
		l.ask(b, "companion/tools/register", map[string]any{"owner": "many", "tools": specs, "replace": true}, &r)
		if len(r.Registered) != 1000 {
			b.Fatalf("%d registered", len(r.Registered))
		}
	}
}

// BenchmarkStop takes the time from companion/turn/stop to its answer, which
// comes after turn.completed, while the editor runs a tool.
func BenchmarkStop(b *testing.B) {
	const turns = 50
	l := serve(b, binary(b), b.TempDir(), b.TempDir(), `{"turns":[`+strings.TrimSuffix(strings.Repeat(`{"calls":[{"name":"pause"}]},`, turns), ",")+`]}`)
	defer l.end(b)
	var all []time.Duration
	for i := range turns {
		id := l.turn(b, "", "ask")
		if err := l.WaitFor("the call", func(v *fake.View) bool { return len(v.Asked) > i }); err != nil {
			b.Fatal(err)
		}
		start := time.Now()
		l.ask(b, "companion/turn/stop", map[string]any{"threadId": id.ThreadID, "turnId": id.TurnID}, nil)
		all = append(all, time.Since(start))
	}
	for b.Loop() { // measured above
	}
	percentile(b, all, 50, "stop-p50-us")
	percentile(b, all, 95, "stop-p95-us")
}

// BenchmarkMemoryOfTurns replays a mix of turns (an answer, a read, an edit that
// the editor makes, an edit that a person allows, a tool of the editor's) in
// threads of ten turns and reads RssAnon after the first hundred and at the end.
func BenchmarkMemoryOfTurns(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("reads /proc")
	}
	const turns = 1000
	kinds := []struct{ mode, calls string }{
		{"ask", ``},
		{"ask", `{"name":"read","arguments":{"path":"a.txt"}}`},
		{"agent", `{"name":"edit","arguments":{"path":"a.txt","edits":[{"old":"one","new":"two"}]}}`},
		{"edit", `{"name":"edit","arguments":{"path":"a.txt","edits":[{"old":"two","new":"one"}]}}`},
		{"ask", `{"name":"pause"}`},
	}
	var script []string
	for i := range turns {
		if i%10 == 0 || i%len(kinds) == 2 { // a thread reads before it edits
			script = append(script, `{"calls":[{"name":"read","arguments":{"path":"a.txt"}}]}`)
		}
		if calls := kinds[i%len(kinds)].calls; calls != "" {
			script = append(script, `{"calls":[`+calls+`]}`)
		}
		script = append(script, `{"text":"Done."}`)
	}
	root := b.TempDir()
	src := "one\n" + strings.Repeat("some line of the file\n", 200)
	if err := os.WriteFile(filepath.Join(root, "a.txt"), []byte(src), 0o600); err != nil {
		b.Fatal(err)
	}
	l := serve(b, binary(b), b.TempDir(), root, `{"turns":[`+strings.Join(script, ",")+`]}`)
	defer l.end(b)
	if err := l.OpenText("file://"+filepath.ToSlash(filepath.Join(root, "a.txt")), "plaintext", src); err != nil {
		b.Fatal(err)
	}
	var before float64
	id := ids{}
	for i := range turns {
		if i%10 == 0 {
			if id.ThreadID != "" {
				l.ask(b, "companion/thread/close", map[string]any{"threadId": id.ThreadID}, nil)
			}
			id = ids{}
		}
		switch i % len(kinds) {
		case 3:
			l.Reply("companion/approval/request", fake.Reply{Result: json.RawMessage(`{"optionId":"once"}`)})
		case 4:
			l.Reply("companion/tool/call", fake.Reply{Result: json.RawMessage(`{"content":[{"type":"text","text":"on"}]}`)})
		}
		id = l.turn(b, id.ThreadID, kinds[i%len(kinds)].mode)
		l.ended(b, i+1)
		if i == 99 {
			before = status(b, l.cmd.Process.Pid, "RssAnon:")
		}
	}
	after := status(b, l.cmd.Process.Pid, "RssAnon:")
	l.Look(func(v *fake.View) {
		for _, e := range v.Events {
			if e.Type == "turn.completed" && !strings.Contains(string(e.Raw), `"completed"`) || strings.Contains(string(e.Raw), `"outcome":"failed"`) {
				b.Fatalf("not as meant: %.500s", e.Raw)
			}
		}
	})
	for b.Loop() { // measured above
	}
	b.ReportMetric(after/1024, "rss-anon-MB")
	b.ReportMetric((after-before)/1024, "growth-MB")
}

// BenchmarkStatusInABurst sends 10,000 didChanges of a document of 10,000 lines
// as fast as the pipe takes them while a turn runs, and asks companion/status
// every 20th time: from the request until its answer.
func BenchmarkStatusInABurst(b *testing.B) {
	root := b.TempDir()
	l := serve(b, binary(b), b.TempDir(), root, pauses(1))
	defer l.end(b)
	uri := "file://" + filepath.ToSlash(filepath.Join(root, "a.go"))
	if err := l.OpenText(uri, "go", "package a\n\n"+strings.Repeat("func _() { _ = \"some text\" }\n", 10_000)); err != nil {
		b.Fatal(err)
	}
	id := l.turn(b, "", "ask")
	if err := l.WaitFor("the call", func(v *fake.View) bool { return len(v.Asked) > 0 }); err != nil {
		b.Fatal(err)
	}
	var all []time.Duration
	version := 1
	for b.Loop() {
		for range 10_000 {
			version++
			at := map[string]any{"line": version * 7919 % 10_000, "character": 0}
			l.Notify("textDocument/didChange", map[string]any{
				"textDocument":   map[string]any{"uri": uri, "version": version},
				"contentChanges": []any{map[string]any{"range": map[string]any{"start": at, "end": at}, "text": "x"}},
			})
			if version%20 == 0 {
				start := time.Now()
				l.ask(b, "companion/status", map[string]any{}, nil)
				all = append(all, time.Since(start))
			}
		}
	}
	l.ask(b, "companion/turn/stop", map[string]any{"threadId": id.ThreadID, "turnId": id.TurnID}, nil)
	percentile(b, all, 50, "status-p50-us")
	percentile(b, all, 95, "status-p95-us")
	percentile(b, all, 100, "status-max-us")
}
