package model_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"companion/agent/model"
)

func TestFlatNamesAreUniquePortableAndReversible(t *testing.T) {
	long := strings.Repeat("x", 80)
	tools := []model.Tool{
		{Name: "read"},
		{Name: "show", Namespace: "editor"},
		{Name: "a.b"},
		{Name: "a_b"},
		{Name: "a/b"},
		{Name: long},
		{Name: long + "y"},
		{Name: "größe", Namespace: "n"},
		{Name: "c", Namespace: "a__b"}, // both are a__b__c
		{Name: "b__c", Namespace: "a"},
		{Name: long, Namespace: long},
		// HB-163: a server's name of 60 and tools of 40 characters, alike in the first 64.
		{Name: strings.Repeat("t", 39) + "a", Namespace: strings.Repeat("s", 60)},
		{Name: strings.Repeat("t", 39) + "b", Namespace: strings.Repeat("s", 60)},
		// HB-164: alike but for the mark; two servers with one name of tool; one like a tool of ours.
		{Name: "search-a", Namespace: "one"},
		{Name: "search_a", Namespace: "one"},
		{Name: "run", Namespace: "one"},
		{Name: "run", Namespace: "two"},
		{Name: "read", Namespace: "two"},
	}
	for _, limit := range []int{64, 128} {
		names := model.NewToolNamesIn(model.Request{Tools: tools}, limit)
		seen := map[string]bool{}
		for _, tool := range tools {
			flat := names.Flat(tool.Namespace, tool.Name)
			if len(flat) > limit || strings.Trim(flat, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" || seen[flat] {
				t.Errorf("%s/%s becomes %q", tool.Namespace, tool.Name, flat)
			}
			seen[flat] = true
			if back := names.Tool("", flat); back.Name != tool.Name || back.Namespace != tool.Namespace {
				t.Errorf("%q comes back as %s/%s", flat, back.Namespace, back.Name)
			}
			if back := names.Tool(tool.Namespace, tool.Name); tool.Namespace != "" && (back.Name != tool.Name || back.Namespace != tool.Namespace) {
				t.Errorf("%s/%s comes back as %s/%s", tool.Namespace, tool.Name, back.Namespace, back.Name)
			}
		}
	}
}

func TestFlatNamesDoNotDependOnTheOrder(t *testing.T) {
	tools := []model.Tool{{Name: "c", Namespace: "a__b"}, {Name: "b__c", Namespace: "a"}, {Name: "a__b__c"}, {Name: "x"}}
	one := model.NewToolNames(model.Request{Tools: tools})
	other := slices.Clone(tools)
	slices.Reverse(other)
	two := model.NewToolNames(model.Request{Tools: other})
	for _, tool := range tools {
		if a, b := one.Flat(tool.Namespace, tool.Name), two.Flat(tool.Namespace, tool.Name); a != b {
			t.Errorf("%+v: %q and %q", tool, a, b)
		}
	}
}

func TestNamesAreUnderstoodHoweverTheyAreWritten(t *testing.T) {
	names := model.NewToolNames(model.Request{
		Tools: []model.Tool{{Name: "read"}, {Name: "show", Namespace: "editor"}, {Name: "list", Namespace: "a"}, {Name: "list", Namespace: "b"}, {Name: "Twice"}, {Name: "twice"}},
		Items: []model.Item{{Kind: model.ToolReply, Loads: []model.Tool{{Name: "create_issue", Namespace: "github"}}}},
	})
	for _, c := range []struct{ ns, name, want string }{
		{"", "read", "/read"},
		{"", "READ", "/read"},
		{"", "functions.read", "/read"},
		{"", "editor__show", "editor/show"},
		{"", "editor.show", "editor/show"},
		{"", "Editor/Show", "editor/show"},
		{"", "editor__editor__show", "editor/show"},
		{"editor", "editor__show", "editor/show"},
		{"editor", "show", "editor/show"},
		{"EDITOR", "Show", "editor/show"},
		{"", "show", "editor/show"},
		{"", "github.create_issue", "github/create_issue"},
		{"", "a.list", "a/list"},
		{"", "list", "/list"},   // of two
		{"", "TWICE", "/TWICE"}, // of two
		{"", "Twice", "/Twice"},
		{"", "nobody", "/nobody"},
		{"x", "read", "x/read"}, // of another namespace
	} {
		got := names.Tool(c.ns, c.name)
		if got.Namespace+"/"+got.Name != c.want {
			t.Errorf("%q %q: %s/%s, want %s", c.ns, c.name, got.Namespace, got.Name, c.want)
		}
	}
}

// For any tools, every flat name comes back as the tool that it was made of.
func TestNameMapsAreOneToOne(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		var b strings.Builder
		for range 1 + r.IntN(3) {
			b.WriteString([]string{"a", "b", "_", "__", ".", "é", "A", strings.Repeat("x", 30)}[r.IntN(8)])
		}
		return b.String()
	}
	for range 2000 {
		var tools []model.Tool
		for range 1 + r.IntN(12) {
			tool := model.Tool{Name: word()}
			if r.IntN(2) == 0 {
				tool.Namespace = word()
			}
			tools = append(tools, tool)
		}
		names := model.NewToolNames(model.Request{Tools: tools})
		for _, tool := range tools {
			flat := names.Flat(tool.Namespace, tool.Name)
			if got := names.Tool("", flat); fmt.Sprint(got.Namespace, "/", got.Name) != fmt.Sprint(tool.Namespace, "/", tool.Name) || len(flat) > model.MaxToolName {
				t.Fatalf("%+v: %q comes back as %+v of %+v", tool, flat, got, tools)
			}
		}
	}
}
