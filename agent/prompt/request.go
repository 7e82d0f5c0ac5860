package prompt

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

// Prefix is what stands before the items of a request; a change of it breaks
// the vendors' prompt caches. The zero value is that of no request.
type Prefix struct {
	model, system string
	tools         map[string][32]byte // hash of the definition by full name
	order         []string            // full names as they are sent
}

// NewPrefix is the prefix of a request.
func NewPrefix(modelID, system string, specs []tools.Spec) Prefix {
	p := Prefix{model: modelID, system: system, tools: map[string][32]byte{}}
	for _, s := range specs {
		p.order = append(p.order, s.Full())
		p.tools[s.Full()] = sha256.Sum256(fmt.Appendf(nil, "%s\x00%s", s.Description, s.Input))
	}
	return p
}

// Tools are the full names of the tools in it, in the order in which they are
// sent. Do not change it.
func (p Prefix) Tools() []string { return p.order }

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

// Request is a request of items to a model, in which it is told of tools.
func Request(modelID, system string, items []model.Item, specs []tools.Spec, o model.Options) model.Request {
	req := model.Request{
		Model: ModelName(modelID), System: system, Items: items, Tools: make([]model.Tool, len(specs)), Options: o,
	}
	for i, s := range specs {
		req.Tools[i] = Describe(s)
	}
	return req
}

// Describe maps a tool to what a model is told of it.
func Describe(s tools.Spec) model.Tool {
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

// ModelName is NAME of "provider/NAME".
func ModelName(id string) string {
	_, name, ok := strings.Cut(id, "/")
	if !ok {
		return id
	}
	return name
}

// Blind is items for a model that sees no images: words stand for them.
func Blind(items []model.Item) []model.Item {
	if !slices.ContainsFunc(items, func(it model.Item) bool { return len(it.Images) > 0 }) {
		return items
	}
	out := slices.Clone(items)
	for i := range out {
		for _, im := range out[i].Images {
			if out[i].Text != "" {
				out[i].Text += "\n\n"
			}
			out[i].Text += fmt.Sprintf("(an image of type %s, %d bytes, left out: this model sees no images)", im.MimeType, len(im.Data))
		}
		out[i].Images = nil
	}
	return out
}

// bytesPerToken turns bytes into tokens where no vendor counted: between the
// 3 and 4 that vendors' guides name for English and code.
const bytesPerToken = 3.5

// imageBytes is what an image counts for: about 1,500 tokens, what vendors
// charge for one of the largest size that they do not scale down.
const imageBytes = 5_250

// Estimate is the size of a request in tokens.
func Estimate(req model.Request) int {
	n := len(req.System)
	for _, t := range req.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	for _, it := range req.Items {
		n += len(it.Text) + len(it.Name) + len(it.Arguments) + imageBytes*len(it.Images)
	}
	return int(float64(n) / bytesPerToken)
}
