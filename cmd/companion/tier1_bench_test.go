package main

import (
	"context"
	"encoding/json"
	"fmt"
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

// BenchmarkMemoryOfTurns runs turns of one tool call in threads of ten turns and
// reads RssAnon after the first hundred and at the end.
func BenchmarkMemoryOfTurns(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("reads /proc")
	}
	const turns = 1000
	l := serve(b, binary(b), b.TempDir(), b.TempDir(), pauses(turns))
	defer l.end(b)
	var before float64
	id := ids{}
	for i := range turns {
		l.Reply("companion/tool/call", fake.Reply{Result: json.RawMessage(`{"content":[{"type":"text","text":"on"}]}`)})
		if i%10 == 0 {
			if id.ThreadID != "" {
				// A thread is given back a moment after its turn was told as ended.
				for l.Request(context.Background(), "companion/thread/close", map[string]any{"threadId": id.ThreadID}, nil) != nil {
					time.Sleep(time.Millisecond)
				}
			}
			id = ids{}
		}
		id = l.turn(b, id.ThreadID, "ask")
		l.ended(b, i+1)
		if i == 99 {
			before = status(b, l.cmd.Process.Pid, "RssAnon:")
		}
	}
	after := status(b, l.cmd.Process.Pid, "RssAnon:")
	for b.Loop() { // measured above
	}
	b.ReportMetric(after/1024, "rss-anon-MB")
	b.ReportMetric((after-before)/1024, "growth-MB")
}
