package prompt

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"sort"
	"strings"

	"companion/agent/model"
	"companion/tools"
)

// Prefix is what stands before the items of a request; a change of it breaks
// the vendors' prompt caches. The zero value is that of no request.
type Prefix struct {
	model, system string
	tools         map[string][32]byte // hash of the definition by full name
	deferred      map[string]bool     // full names of what a search could find
}

// NewPrefix is the prefix of a request to a model.
func NewPrefix(modelID string, req model.Request) Prefix {
	told := model.Telling(req)
	p := Prefix{model: modelID, system: req.System, tools: map[string][32]byte{}, deferred: map[string]bool{}}
	for _, t := range told.Listed {
		raw, _ := json.Marshal([]any{t.Description, t.Parameters, t.Grammar, t.NamespaceText, t.Examples})
		p.tools[full(t)] = sha256.Sum256(raw)
	}
	for _, t := range told.Deferred {
		p.deferred[full(t)] = true
	}
	return p
}

// Broken says why the prefix that follows is another one, "" when it is the
// same or p is that of no request.
func (p Prefix) Broken(now Prefix) string {
	switch {
	case p.model == "":
		return ""
	case p.model != now.model:
		return "the model changed"
	case p.system != now.system:
		return "the instructions changed"
	}
	var why []string
	for name, h := range now.tools {
		if old, ok := p.tools[name]; !ok {
			why = append(why, "tool added: "+name)
		} else if old != h {
			why = append(why, "tool changed: "+name)
		}
	}
	for name := range p.tools {
		if _, ok := now.tools[name]; !ok {
			why = append(why, "tool gone: "+name)
		}
	}
	sort.Strings(why)
	return strings.Join(why, ", ")
}

// Added are the tools of a request that came since the one with prefix p, as the
// item that tells of them: told are the full names of what the model's list had.
// ok is false when there are none, or no request went before.
func (p Prefix) Added(req model.Request, told []string) (it model.Item, ok bool) {
	if len(told) == 0 {
		return model.Item{}, false
	}
	it.Kind = model.ToolsAdded
	for _, t := range req.Tools {
		if !t.Deferred && t.Hosted == "" && !slices.Contains(told, full(t)) {
			it.Loads = append(it.Loads, t)
		}
	}
	if p.model != "" { // else nobody knows what could be found before
		for _, t := range model.Telling(req).Deferred {
			if !p.deferred[full(t)] {
				it.Loads = append(it.Loads, model.Tool{Name: t.Name, Namespace: t.Namespace, Deferred: true})
			}
		}
	}
	return it, len(it.Loads) > 0
}

func full(t model.Tool) string { return tools.Spec{Name: t.Name, Namespace: t.Namespace}.Full() }

// Names are the full names of what a box lists, in order.
func Names(box *tools.Box) []string {
	out := make([]string, len(box.Listed()))
	for i, s := range box.Listed() {
		out[i] = s.Full()
	}
	return out
}
