package app

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"companion/agent"
	"companion/agent/model"
	"companion/agent/prompt"
	"companion/tools"
	"companion/tools/router"
)

// served is a tool of a real MCP server that nobody runs.
type served struct{ spec tools.Spec }

func (s served) Spec() tools.Spec { return s.spec }

func (served) Prepare(context.Context, tools.Call) (tools.Action, error) {
	return tools.Action{}, tools.Fail("not run here")
}

// servers gives n tools of real MCP servers.
func servers(tb testing.TB, n int) (out []tools.Tool) {
	tb.Helper()
	files, err := filepath.Glob("../../tools/find/testdata/corpus/*.json")
	if err != nil {
		tb.Fatal(err)
	}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			tb.Fatal(err)
		}
		var c struct {
			Namespace string
			Tools     []struct {
				Name, Description string
				InputSchema       json.RawMessage
			}
		}
		if err := json.Unmarshal(raw, &c); err != nil {
			tb.Fatalf("%s: %v", f, err)
		}
		for _, x := range c.Tools {
			if len(out) == n {
				return out
			}
			out = append(out, served{tools.Spec{
				Namespace: "mcp__" + c.Namespace, Name: x.Name, Description: x.Description, Input: x.InputSchema, Source: tools.MCP, Owner: c.Namespace,
			}})
		}
	}
	tb.Fatalf("%d tools, want %d", len(out), n)
	return nil
}

// BenchmarkSpecBytes reports what a model is sent of tools at the first step,
// with 300 tools of real MCP servers beside the built-in ones: all in the list,
// against all deferred. Aim: the tools from outside and what finds them, ≤ 3 %.
func BenchmarkSpecBytes(b *testing.B) {
	c := withSettings(b, `{}`)
	sent := func(search bool) (n int) {
		in := c.scene("t")
		in.Mode, in.Model = tools.ModeAgent, router.Model{Search: search}
		var cache router.Cache
		ask := prompt.Asking{Card: agent.Card{ID: "x/y", ToolSearch: search, Late: search}, Box: cache.Box(c.reg, in, nil, nil)}
		for _, t := range model.Telling(ask.Request()).Listed {
			n += len(t.Namespace) + len(t.Name) + len(t.Description) + len(t.Parameters)
		}
		return n
	}
	alone := sent(false)
	_, errs := c.reg.Change(nil, servers(b, 300))
	for _, err := range errs {
		if err != nil {
			b.Fatal(err)
		}
	}
	var direct, deferred int
	for b.Loop() {
		direct, deferred = sent(false), sent(true)
	}
	b.ReportMetric(float64(alone), "builtin-B")
	b.ReportMetric(float64(direct), "direct-B")
	b.ReportMetric(float64(deferred), "deferred-B")
	b.ReportMetric(100*float64(deferred-alone)/float64(direct-alone), "outside-%")
	b.ReportMetric(100*float64(deferred)/float64(direct), "all-%")
}
