package model_test

import (
	"strings"
	"testing"

	"companion/agent/model"
)

func names(tools []model.Tool) string {
	var out []string
	for _, t := range tools {
		out = append(out, t.Name)
	}
	return strings.Join(out, " ")
}

func TestWhereToolsAreToldOf(t *testing.T) {
	direct, late := model.Tool{Name: "direct"}, model.Tool{Name: "late"}
	far, newer := model.Tool{Name: "far", Deferred: true}, model.Tool{Name: "newer", Deferred: true}
	gone := model.Tool{Name: "gone", Deferred: true}
	req := model.Request{
		Tools: []model.Tool{direct, late, far, newer},
		Items: []model.Item{
			{Kind: model.ToolReply, CallID: "1", Loads: []model.Tool{gone, direct}},
			{Kind: model.ToolsAdded, Loads: []model.Tool{late, {Name: "newer", Deferred: true}}},
			{Kind: model.ToolReply, CallID: "2", Loads: []model.Tool{newer, far}},
			{Kind: model.ToolReply, CallID: "3", Loads: []model.Tool{newer}},
		},
	}
	plain := model.Telling(req)
	if got := names(plain.Listed); got != "direct gone late newer far" || plain.Deferred != nil || plain.Added(req.Items[1]) != nil {
		t.Errorf("a list that grows: %q, deferred %q", got, names(plain.Deferred))
	}
	for _, l := range plain.Listed {
		if l.Deferred {
			t.Errorf("%s is listed and deferred", l.Name)
		}
	}
	req.Takes.Late = true
	told := model.Telling(req)
	if got := names(told.Listed) + "; " + names(told.Deferred); got != "direct; far gone" {
		t.Errorf("a list that stays: %q", got)
	}
	for i, want := range map[int]string{0: "gone; ", 2: "far; newer", 3: "; "} {
		if got := names(told.Found(req.Items[i])) + "; " + names(told.Fresh(req.Items[i])); got != want {
			t.Errorf("item %d: %q, want %q", i, got, want)
		}
	}
	if got := names(told.Added(req.Items[1])); got != "late" {
		t.Errorf("added %q", got)
	}
	req.Items = nil // compacted: all that is direct stands in the list again
	if got := names(model.Telling(req).Listed); got != "direct late" {
		t.Errorf("without a history: %q", got)
	}
}
