package agent

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	"companion/agent/model"
	"companion/tools"
)

// box is the tools of the next step. In the modes ask and plan what is not
// read-only is withheld; what the model was told of stays in its list.
func (t *thread) box(mode tools.Mode) *tools.Box {
	return t.a.o.Registry.Box(tools.BoxOptions{
		Mode: mode,
		Withhold: func(s tools.Spec) string {
			if s.ReadOnly || mode != tools.ModeAsk && mode != tools.ModePlan {
				return ""
			}
			return fmt.Sprintf("it can change things and the mode is %q, in which nothing is changed. Say what you would do instead.", mode)
		},
		Keep: func(s tools.Spec) bool { return t.listed[s.Full()] },
	})
}

// prefix is what stands before the items of a request; a change of it breaks
// the vendors' prompt caches.
type prefix struct {
	model, system string
	tools         map[string][32]byte // hash of the definition by full name
}

// request builds the next request and says why its prefix differs from the
// last one's, "" when it does not.
func (t *thread) request(card Card, box *tools.Box, o model.Options) (model.Request, string) {
	system := instructions(tools.Mode(t.state.Mode), card)
	specs := box.Listed()
	req := model.Request{
		Model: modelName(card.ID), System: system, Items: heal(t.items), Tools: make([]model.Tool, len(specs)), Options: o,
	}
	now := prefix{card.ID, system, map[string][32]byte{}}
	for i, s := range specs {
		req.Tools[i] = describe(s)
		now.tools[s.Full()] = sha256.Sum256(fmt.Appendf(nil, "%s\x00%s", s.Description, s.Input))
	}
	broken := t.prefix.broken(now)
	t.prefix = now
	t.remember(card, now)
	return req, broken
}

// remember writes down what a resumed thread must know to send the same prefix.
func (t *thread) remember(card Card, now prefix) {
	changed := t.state.Model != card.ID
	t.state.Model = card.ID
	for name := range now.tools {
		if !t.listed[name] {
			t.listed[name], changed = true, true
		}
	}
	if !changed {
		return
	}
	t.state.Listed = t.state.Listed[:0]
	for name := range t.listed {
		t.state.Listed = append(t.state.Listed, name)
	}
	sort.Strings(t.state.Listed)
	t.writeState()
}

func (p prefix) broken(now prefix) string {
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

// describe maps a tool to what a model is told of it.
func describe(s tools.Spec) model.Tool {
	return model.Tool{
		Name: s.Name, Namespace: s.Namespace, Description: s.Description, Parameters: s.Input,
		Strict: (s.Source == "" || s.Source == tools.BuiltIn) && strict(s.Input),
	}
}

// strict tells whether a schema says of every object in it that all of its
// properties are required and no other may be there.
func strict(schema json.RawMessage) bool {
	var s struct {
		Type       any                        `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
		Additional json.RawMessage            `json:"additionalProperties"`
		Items      json.RawMessage            `json:"items"`
		AnyOf      []json.RawMessage          `json:"anyOf"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return false
	}
	if s.Type == "object" || s.Properties != nil {
		if string(s.Additional) != "false" {
			return false
		}
		for name, p := range s.Properties {
			if !slices.Contains(s.Required, name) || !strict(p) {
				return false
			}
		}
	}
	for _, alt := range s.AnyOf {
		if !strict(alt) {
			return false
		}
	}
	return s.Items == nil || strict(s.Items)
}

// modelName is NAME of "provider/NAME".
func modelName(id string) string {
	_, name, ok := strings.Cut(id, "/")
	if !ok {
		return id
	}
	return name
}

// bytesPerToken turns bytes into tokens where no vendor counted: between the
// 3 and 4 that vendors' guides name for English and code.
const bytesPerToken = 3.5

// estimate is the size of a request in tokens.
func estimate(req model.Request) int {
	n := len(req.System)
	for _, t := range req.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	for _, it := range req.Items {
		n += len(it.Text) + len(it.Name) + len(it.Arguments)
	}
	return int(float64(n) / bytesPerToken)
}
