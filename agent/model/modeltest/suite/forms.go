package suite

import (
	"encoding/json"
	"fmt"
	"testing"

	"companion/agent/model"
	"companion/agent/model/modeltest"
)

// formTools are tools of all five forms, some of them deferred.
func formTools() []model.Tool {
	object := func(property string) json.RawMessage {
		return json.RawMessage(`{"type":"object","properties":{"` + property + `":{"type":"string"},"a":{"anyOf":[{"const":"x"},{"type":"integer"}]}}}`)
	}
	github := model.Tool{Namespace: "github", NamespaceText: "Issues and pull requests.", Deferred: true}
	create, list := github, github
	create.Name, create.Description, create.Parameters = "create_issue", "Opens an issue.", object("title")
	list.Name, list.Description, list.Parameters = "list_issues", "Lists issues.", object("label")
	editor := model.Tool{Namespace: "editor", NamespaceText: "The editor that is open."}
	show, tabs := editor, editor
	show.Name, show.Description, show.Parameters = "show", "Shows a file.", object("path")
	tabs.Name, tabs.Description = "list_tabs", "Lists tabs."
	return []model.Tool{
		{Name: "web_search", Hosted: "web_search"},
		tools()[0],
		{Name: "patch", Description: "Applies a patch.", Freeform: true, Grammar: "start: /.+/", LongText: true},
		show,
		{Name: "tool_search", Description: "Finds tools.", Search: true, Parameters: object("query"), Examples: []json.RawMessage{json.RawMessage(`{"query":"issues"}`)}},
		tabs,
		create, list,
	}
}

// forms is a thread that uses every form: the vendor's search, calls of three
// forms with a picture and an error, a search and a call of what it found, tools
// that come in the middle, and one of them found and called.
func (s Setup) forms(t *testing.T) {
	later := model.Tool{Name: "later", Namespace: "editor", NamespaceText: "The editor that is open.", Description: "Came later.", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}
	far := model.Tool{Name: "far", Namespace: "far__away", Description: "Came later and is found.", Parameters: later.Parameters, Deferred: true}
	all := formTools()
	first := modeltest.Turn{Text: "I look.", Calls: []modeltest.Call{{Name: "read", Arguments: `{"path":"a.go","a":null}`}, {Name: "patch", Input: "*** Begin \"ü\"\n"}, {Name: "editor__show", Arguments: `{"path":"a.go"}`}}}
	if s.Vendor != modeltest.Compatible {
		first.Searches = []modeltest.Search{{Query: "go news", Title: "News", URL: "https://example.com"}}
	}
	server := modeltest.NewServer(t, s.Vendor, first,
		modeltest.Turn{Calls: []modeltest.Call{{Name: "tool_search", Arguments: `{"query":"open an issue"}`}}},
		modeltest.Turn{Calls: []modeltest.Call{{Name: "github__create_issue", Arguments: `{"title":"x"}`}, {Name: "read", Arguments: `{"path":"b.go","a":null}`}}},
		modeltest.Turn{Calls: []modeltest.Call{{Name: "editor__later", Arguments: `{}`}, {Name: "tool_search", Arguments: `{"query":"far"}`}}},
		modeltest.Turn{Calls: []modeltest.Call{{Name: "far__away__far", Arguments: `{}`}, {Name: "tool_search", Arguments: `{"query":"nothing"}`}}},
		modeltest.Turn{Text: "Done."})
	server.Strict()
	p := s.New(t, server.URL, nil)
	req := ask()
	req.Tools, req.Takes = all, model.Takes{Namespaces: true, Freeform: true, Late: true}
	result := func(call model.Item) model.Item {
		r := model.Item{Kind: model.ToolReply, ID: "r" + call.CallID, CallID: call.CallID, Name: call.Name, Namespace: call.Namespace, Text: "result of " + call.Arguments}
		switch {
		case call.Name == "show":
			r.Images = []model.Image{{MimeType: "image/png", Data: []byte("png")}}
		case call.Name == "patch":
			r.IsError = true
		case call.Arguments == `{"query":"open an issue"}`:
			r.Loads = []model.Tool{all[6]}
		case call.Arguments == `{"query":"far"}`:
			r.Loads = []model.Tool{far, all[7]}
		}
		return r
	}
	var heard []model.Item
	for step := range 6 {
		if step == 3 {
			req.Tools = append(append([]model.Tool{}, all...), later, far)
			req.Items = append(req.Items, model.Item{Kind: model.ToolsAdded, ID: "added", Loads: []model.Tool{later, {Name: far.Name, Namespace: far.Namespace, Deferred: true}}})
		}
		h := modeltest.Hear(p.Stream(t.Context(), req))
		if h.Err != nil || h.Broken != "" {
			t.Fatalf("step %d: heard %+v", step+1, h)
		}
		calls := map[string]string{}
		for i := range h.Items {
			it := &h.Items[i]
			if it.CallID != "" {
				if calls[it.CallID] == "" { // a thread has call ids of its own
					calls[it.CallID] = fmt.Sprintf("c%d_%d", step, len(calls))
				}
				it.CallID = calls[it.CallID]
			}
			if it.Kind == model.ToolCall && !it.Hosted && it.Name == "patch" && (h.Deltas[it.ID] != it.Arguments || it.Arguments != first.Calls[1].Input) {
				t.Errorf("a freeform call %q was shown as %q", it.Arguments, h.Deltas[it.ID])
			}
		}
		req.Items = append(req.Items, h.Items...)
		heard = append(heard, h.Items...)
		for _, it := range h.Items {
			if it.Kind == model.ToolCall && !it.Hosted {
				req.Items = append(req.Items, result(it))
			}
		}
	}
	s.formsHeard(t, heard)
	s.formsKept(t, server)
	s.golden(t, "forms", server.Requests()[5])
}

// formsHeard checks that calls came back under the names of their tools.
func (s Setup) formsHeard(t *testing.T, heard []model.Item) {
	t.Helper()
	want := []string{
		"call web_search hosted", "result web_search hosted", "call .read", "call .patch", "call editor.show", "call .tool_search",
		"call github.create_issue", "call .read", "call editor.later", "call .tool_search", "call far__away.far", "call .tool_search",
	}
	if s.Vendor == modeltest.Compatible {
		want = want[2:]
	}
	var got []string
	for _, it := range heard {
		switch {
		case it.Hosted:
			got = append(got, fmt.Sprintf("%s %s hosted", it.Kind, it.Name))
			if it.Kind == model.ToolReply && it.Text == "" {
				t.Error("the vendor's search has no result")
			}
		case it.Kind == model.ToolCall:
			got = append(got, fmt.Sprintf("call %s.%s", it.Namespace, it.Name))
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("heard %q, want %q", got, want)
	}
}

// formsKept checks that requests only grow, and where the list of tools may.
func (s Setup) formsKept(t *testing.T, server *modeltest.Server) {
	t.Helper()
	grew := 0
	for _, b := range server.Prefix() {
		if grew++; !b.Grew {
			t.Error(b)
		}
	}
	want := map[modeltest.Vendor]int{modeltest.Compatible: 3, modeltest.Gemini: 3}[s.Vendor] // one found, one added, two found
	if grew != want {
		t.Errorf("the list of tools grew %d times, want %d: %v", grew, want, server.Prefix())
	}
}
