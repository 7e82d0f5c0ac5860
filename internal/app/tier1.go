package app

import (
	lent "companion/agent/model/editor"
	"companion/diagnostics/syntax"
	"companion/lspbridge"
	"companion/lspbridge/action"
	"companion/lspbridge/wire"
)

// tier1 gives the bridge what companion/* methods are answered from.
func (c *core) tier1(b *lspbridge.Backend) *lspbridge.Backend {
	b.Tools, b.Revision, b.Stand = c.reg.Specs, c.reg.Revision, c.stand
	b.EditorTools, b.Changes, b.Pending = c.dynamic, c.changes, c.changes.Pending
	b.Functions, b.Enclosing = functions, enclosing
	b.Prompts = func() map[string]string { return c.current().Prompts }
	b.Models, b.RegisterModels = c.modelList, c.lend
	b.Threads, b.Reader, b.Turns = c.agent, c.agent, c.agent
	return b
}

// lend takes the models of the editor.
func (c *core) lend(list []wire.LentModel) (revision int) {
	out := make([]lent.Model, len(list))
	for i, m := range list {
		out[i] = lent.Model(m)
	}
	return c.models.Lent.Register(out)
}

// functions is the outline in the bridge's words.
func functions(lang, src string) []action.Lines {
	var out []action.Lines
	for _, f := range syntax.Functions(lang, src) {
		out = append(out, action.Lines{First: f.StartLine, Last: f.EndLine})
	}
	return out
}

func enclosing(lang, src string, offset int) (start, end int, ok bool) {
	f, ok := syntax.Enclosing(lang, src, offset)
	return f.Start, f.End, ok
}

// modelList is the result of companion/models/list: one default model of each
// provider, those that settings name, and what needs no key.
func (c *core) modelList() wire.ModelList {
	out := wire.ModelList{Default: c.models.Standard()}
	for _, name := range c.models.Names() {
		m := wire.Model{ID: name, Source: "settings"}
		_, card, err := c.models.Known(name)
		if err != nil {
			m.Reason = err.Error()
		} else {
			m = wire.Model{
				ID: card.ID, Source: "settings", Available: true, ContextWindow: card.ContextWindow,
				MaxOutputTokens: card.MaxOutput, Images: card.Images,
			}
		}
		if card.Offline {
			m.Source = "builtin"
		}
		out.Models = append(out.Models, m)
	}
	for _, m := range c.models.Lent.List() {
		out.Models = append(out.Models, wire.Model{
			ID: "editor/" + m.ID, Title: m.Title, Source: "editor", Available: true, ContextWindow: m.Window(), Images: m.Images,
		})
	}
	return out
}
