package models

import (
	"testing"

	"companion/agent/card"
	"companion/agent/model"
	"companion/config"
)

func TestSettingsOverrideTheCard(t *testing.T) {
	yes, no := true, false
	const name = "compatible/local"
	m := New(func(string) string { return "" }, "", config.Settings{Models: map[string]config.Card{name: {
		EditTool: "apply_patch", ToolSearch: &yes, LateTools: &yes, Namespaces: &yes, Freeform: &yes, WebSearch: &yes, Images: &yes, ParallelCalls: &no,
		Reasoning: "low", ContextWindow: 9000, MaxOutput: 900,
	}}})
	want := card.Card{
		ID: name, ContextWindow: 9000, MaxOutput: 900, Images: true, EditTool: "apply_patch", ToolSearch: true, Namespaces: true, Freeform: true,
		Late: true, WebSearch: true, Reasoning: true, Effort: "low",
	}
	if got := m.card(name); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := m.card("compatible/other"); got != card.Of("compatible/other") {
		t.Errorf("without settings: %+v", got)
	}
	if got := m.lentCard("x", true, 77); !got.Images || got.ContextWindow != 77 {
		t.Errorf("lent: %+v", got)
	}
}

func TestDefaultModelsAreInTheTable(t *testing.T) {
	for _, v := range Vendors() {
		if id, _ := model.DefaultModel(v.Name); id != "" {
			name := v.Name + "/" + id
			if c, safe := card.Of(name), card.Safe(); c.ContextWindow <= safe.ContextWindow || !c.ToolSearch {
				t.Errorf("%s has the safe card: %+v", name, c)
			}
		}
	}
}
