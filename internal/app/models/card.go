package models

import (
	"companion/agent"
	"companion/agent/card"
	"companion/config"
)

// card is what is known of a model: the table's, then the settings.
func (m *Models) card(name string) agent.Card {
	c := card.Of(name)
	if s, ok := m.settings.Models[name]; ok {
		override(&c, s)
	}
	return c
}

// lentCard is the card of a model that the editor lends, which knows window
// and images better than a table.
func (m *Models) lentCard(id string, images bool, window int) agent.Card {
	c := card.Of("editor/" + id)
	c.Images = images
	if window > 0 {
		c.ContextWindow = window
	}
	if s, ok := m.settings.Models[c.ID]; ok {
		s.Images = nil // what it cannot see it cannot be told to
		override(&c, s)
	}
	return c
}

func override(c *agent.Card, s config.Card) {
	if s.EditTool != "" {
		c.EditTool = s.EditTool
	}
	for _, o := range []struct {
		by *bool
		of *bool
	}{
		{s.ToolSearch, &c.ToolSearch},
		{s.LateTools, &c.Late},
		{s.Namespaces, &c.Namespaces},
		{s.Freeform, &c.Freeform},
		{s.WebSearch, &c.WebSearch},
		{s.Images, &c.Images},
		{s.ParallelCalls, &c.ParallelCalls},
	} {
		if o.by != nil {
			*o.of = *o.by
		}
	}
	if s.Reasoning != "" {
		c.Reasoning, c.Effort = true, s.Reasoning
	}
	if s.ContextWindow > 0 {
		c.ContextWindow = s.ContextWindow
	}
	if s.MaxOutput > 0 {
		c.MaxOutput = s.MaxOutput
	}
}
