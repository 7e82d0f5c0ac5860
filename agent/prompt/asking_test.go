package prompt

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"companion/agent/card"
	"companion/agent/model"
	"companion/tools"
)

func TestPrefixTellsWhatBrokeIt(t *testing.T) {
	tool := func(name, description string) model.Tool { return model.Tool{Name: name, Description: description} }
	req := func(system string, list ...model.Tool) model.Request {
		return model.Request{System: system, Tools: list}
	}
	base := NewPrefix("p/m", req("system", tool("a", "x"), tool("b", "x")))
	found := req("system", tool("a", "x"), tool("b", "x"), model.Tool{Name: "far", Deferred: true})
	found.Items = []model.Item{{Kind: model.ToolReply, Loads: []model.Tool{{Name: "far"}}}}
	late := found
	late.Takes.Late = true
	for name, c := range map[string]struct {
		next Prefix
		want string
	}{
		"same":                  {NewPrefix("p/m", req("system", tool("b", "x"), tool("a", "x"))), ""},
		"model":                 {NewPrefix("p/n", req("system")), "the model changed"},
		"instructions":          {NewPrefix("p/m", req("other")), "the instructions changed"},
		"tools":                 {NewPrefix("p/m", req("system", tool("a", "y"), tool("c", "x"))), "tool added: c, tool changed: a, tool gone: b"},
		"found, the list grows": {NewPrefix("p/m", found), "tool added: far"},
		"found, it stays":       {NewPrefix("p/m", late), ""},
	} {
		if got := base.Broken(c.next); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := (Prefix{}).Broken(base); got != "" {
		t.Errorf("the first request: %q", got)
	}
}

type tool tools.Spec

func (s tool) Spec() tools.Spec { return tools.Spec(s) }

func (tool) Prepare(_ context.Context, _ tools.Call) (tools.Action, error) {
	return tools.Action{}, nil
}

func box(search bool, told []string, specs ...tools.Spec) *tools.Box {
	r := tools.NewRegistry()
	for _, s := range specs {
		if err := r.Add(tool(s)); err != nil {
			panic(err)
		}
	}
	return r.Box(tools.BoxOptions{Search: search, Told: told})
}

func TestARequestIsAsItsCardSays(t *testing.T) {
	specs := []tools.Spec{
		{Name: "apply_patch", Form: tools.Freeform, Grammar: "start: /x/", Description: "p"},
		{Name: "find", Form: tools.Search, Description: "s", Examples: []json.RawMessage{json.RawMessage(`{}`)}},
		{Name: "far", Namespace: "ns", NamespaceText: "text", Exposure: tools.Deferred, Description: "f", Source: tools.MCP},
	}
	rich := card.Card{ID: "p/m", ToolSearch: true, Namespaces: true, Freeform: true, Late: true, WebSearch: true, Reasoning: true, Effort: "low", Images: true}
	req := Asking{Card: rich, System: "s", Box: box(true, nil, specs...)}.Request()
	if req.Model != "m" || req.Takes != (model.Takes{Namespaces: true, Freeform: true, Late: true}) || req.Options.Effort != "low" {
		t.Errorf("%+v", req)
	}
	if got := words(req.Tools); got != "web_search(hosted) apply_patch(text) find(search) far(deferred)" {
		t.Errorf("tools %q", got)
	}
	if got := (Asking{Card: rich, Box: box(true, nil), Options: model.Options{Effort: "high"}}).Request().Options.Effort; got != "high" {
		t.Errorf("effort %q", got)
	}
	safe := Asking{
		Card: card.Card{ID: "p/m"}, Box: box(false, nil, specs...), Options: model.Options{Effort: "high"},
		Items: []model.Item{{Kind: model.Message, Images: []model.Image{{MimeType: "image/png"}}}},
	}.Request()
	if got := words(safe.Tools); got != "apply_patch(text) find(search) far" || safe.Options.Effort != "" || safe.Takes != (model.Takes{}) || safe.Items[0].Images != nil {
		t.Errorf("tools %q, %+v", got, safe)
	}
}

func words(list []model.Tool) string {
	var out []string
	for _, t := range list {
		w := t.Name
		switch {
		case t.Hosted != "":
			w += "(hosted)"
		case t.Freeform:
			w += "(text)"
		case t.Search:
			w += "(search)"
		case t.Deferred:
			w += "(deferred)"
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

func TestToolsThatCameLaterAreAdded(t *testing.T) {
	late := model.Takes{Late: true}
	first := model.Request{Takes: late, Tools: []model.Tool{{Name: "a"}, {Name: "far", Deferred: true}}}
	p := NewPrefix("p/m", first)
	next := model.Request{Takes: late, Tools: []model.Tool{{Name: "a"}, {Name: "b", Description: "new"}, {Name: "far", Deferred: true}, {Name: "farther", Namespace: "n", Description: "x", Deferred: true}}}
	it, ok := p.Added(next, []string{"a"})
	if !ok || it.Kind != model.ToolsAdded || words(it.Loads) != "b farther(deferred)" || it.Loads[0].Description != "new" || it.Loads[1].Description != "" {
		t.Fatalf("%v %+v", ok, it)
	}
	next.Items = []model.Item{it}
	if again, ok := p.Added(next, []string{"a", "b"}); ok {
		t.Errorf("added again: %+v", again)
	}
	if got := p.Broken(NewPrefix("p/m", next)); got != "" {
		t.Errorf("broken: %s", got)
	}
	if it, ok := (Prefix{}).Added(next, nil); ok {
		t.Errorf("before the first request: %+v", it)
	}
	if it, ok := (Prefix{}).Added(model.Request{Takes: late, Tools: next.Tools}, []string{"a", "b"}); ok {
		t.Errorf("resumed: %+v", it)
	}
	next.Takes.Late, next.Items = false, nil
	if it, ok := p.Added(next, []string{"a"}); !ok || words(it.Loads) != "b" {
		t.Errorf("where the list grows: %+v", it)
	}
}
