package router

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"companion/tools"
)

type tool struct{ spec tools.Spec }

func (t tool) Spec() tools.Spec { return t.spec }

func (t tool) Prepare(context.Context, tools.Call) (tools.Action, error) {
	return tools.Action{Run: func(context.Context, tools.Progress) (tools.Result, error) {
		return tools.Result{Outcome: tools.OK, Text: "ran"}, nil
	}}, nil
}

func registered(specs ...tools.Spec) *tools.Registry {
	reg := tools.NewRegistry()
	for _, s := range specs {
		if err := reg.Add(tool{s}); err != nil {
			panic(err)
		}
	}
	return reg
}

func TestABoxIsMadeAnewWhenAnythingChanged(t *testing.T) {
	reg := registered(builtin("read"), builtin("write", writes), external("a", wish(tools.Deferred)), builtin("find", searches))
	one, two := New(Settings{}), New(Settings{Disabled: []string{"write"}})
	told, loaded := []string{"read"}, []string{"ns.a"}
	in := Scene{Mode: tools.ModeAgent, Switches: one}
	for what, change := range map[string]func(){
		"mode":     func() { in.Mode = tools.ModePlan },
		"agent":    func() { in.Agent = "x" },
		"model":    func() { in.Model.Search = true },
		"settings": func() { in.Switches = two },
		"registry": func() { reg.Touch() },
		"told":     func() { told = []string{"write"} },
		"longer":   func() { told = append(told, "write") },
		"loaded":   func() { loaded = nil },
	} {
		var c Cache
		before := c.Box(reg, in, told, loaded)
		if c.Box(reg, in, told, loaded) != before {
			t.Errorf("%s: nothing changed and the box is another", what)
		}
		change()
		if c.Box(reg, in, told, loaded) == before {
			t.Errorf("%s changed and the box is the same", what)
		}
	}
}

func TestAStepWithNothingChangedAllocatesNothing(t *testing.T) {
	reg, in, told := crowd(300)
	var c Cache
	c.Box(reg, in, told, nil)
	if n := testing.AllocsPerRun(100, func() { c.Box(reg, in, told, nil) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestWhatIsDeferredForItsNumberStaysSoWhenOneGoes(t *testing.T) {
	reg := registered(builtin("find", searches), external("a"), external("b"), external("c"))
	in := Scene{Model: Model{Search: true}, Switches: New(Settings{MostDirect: 2})}
	var c Cache
	for _, want := range []int{3, 2, 1} {
		box := c.Box(reg, in, nil, nil)
		if n := len(box.Deferred()); n != want || len(box.Listed()) != 1 {
			t.Errorf("%d are deferred, %d listed, want %d and 1", n, len(box.Listed()), want)
		}
		reg.Remove(reg.Specs()[1].Full())
	}
	var fresh Cache
	reg = registered(builtin("find", searches), external("a"), external("b"))
	if n := len(fresh.Box(reg, in, nil, nil).Deferred()); n != 0 {
		t.Errorf("%d of two are deferred in a new thread", n)
	}
}

// crowd is n tools, most of them from outside.
func crowd(n int) (*tools.Registry, Scene, []string) {
	reg := registered(builtin("find", searches), builtin("read"), builtin("write", writes))
	var add []tools.Tool
	for i := range n - 3 {
		add = append(add, tool{tools.Spec{
			Name: fmt.Sprintf("tool_%d", i), Namespace: fmt.Sprintf("ns%d", i%20), Description: "Does one thing to another.",
			Input: json.RawMessage(`{"type":"object"}`), Source: tools.MCP, Owner: fmt.Sprintf("server %d", i%20),
		}})
	}
	reg.Change(nil, add)
	in := Scene{Mode: tools.ModeAgent, Model: Model{Search: true}, Switches: New(Settings{
		Disabled: []string{"ns1.tool_1"}, OmitFrom: []string{"ns2"}, Direct: []string{"ns3"}, Denied: func(tools.Spec) string { return "" },
	}), Off: func(tools.Spec) string { return "" }}
	var told []string
	for _, s := range reg.Box(tools.BoxOptions{}).Listed()[:50] {
		told = append(told, s.Full())
	}
	return reg, in, told
}

// Aims (tools of one step, 300 registered): nothing changed ≤ 50 µs, changed ≤
// 5 ms.
func BenchmarkBox(b *testing.B) {
	b.Run("same", func(b *testing.B) {
		reg, in, told := crowd(300)
		var c Cache
		b.ReportAllocs()
		for b.Loop() {
			c.Box(reg, in, told, nil)
		}
	})
	b.Run("otherMode", func(b *testing.B) {
		reg, in, told := crowd(300)
		var c Cache
		modes := []tools.Mode{tools.ModePlan, tools.ModeAgent}
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			in.Mode = modes[i%2]
			c.Box(reg, in, told, nil)
		}
	})
	b.Run("registryChanged", func(b *testing.B) {
		reg, in, told := crowd(299)
		var c Cache
		b.ReportAllocs()
		again := tool{external("again")}
		for b.Loop() {
			reg.Change([]string{"ns.again"}, []tools.Tool{again})
			c.Box(reg, in, told, nil)
		}
	})
}
