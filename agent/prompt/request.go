package prompt

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"companion/agent/card"
	"companion/agent/model"
	"companion/tools"
)

// Asking is what the next request of a thread is made of.
type Asking struct {
	Card    card.Card
	System  string
	Items   []model.Item // healed
	Box     *tools.Box
	Options model.Options
}

// Request is the request. Its tools are what the box lists and, where the model
// can look for them, what a search can find; what the vendor runs stands before
// them.
func (a Asking) Request() model.Request {
	listed, deferred := a.Box.Listed(), a.Box.Deferred()
	req := model.Request{
		Model: ModelName(a.Card.ID), System: a.System, Items: a.Items, Options: a.Options,
		Tools: make([]model.Tool, 0, 1+len(listed)+len(deferred)),
		Takes: model.Takes{Namespaces: a.Card.Namespaces, Freeform: a.Card.Freeform, Late: a.Card.Late},
	}
	if !a.Card.Images {
		req.Items = Blind(a.Items)
	}
	switch {
	case !a.Card.Reasoning:
		req.Options.Effort = ""
	case req.Options.Effort == "":
		req.Options.Effort = a.Card.Effort
	}
	if a.Card.WebSearch {
		req.Tools = append(req.Tools, model.Tool{Name: webSearch, Hosted: webSearch})
	}
	for _, s := range listed {
		req.Tools = append(req.Tools, Describe(s))
	}
	for _, s := range deferred {
		t := Describe(s)
		t.Deferred = true
		req.Tools = append(req.Tools, t)
	}
	return req
}

// webSearch is the tool that vendors run.
const webSearch = "web_search"

// Describe maps a tool to what a model is told of it.
func Describe(s tools.Spec) model.Tool {
	t := model.Tool{
		Name: s.Name, Namespace: s.Namespace, NamespaceText: s.NamespaceText, Description: s.Description, Parameters: s.Input,
		Strict:   (s.Source == "" || s.Source == tools.BuiltIn) && strict(s.Input),
		Examples: s.Examples,
	}
	switch s.Form {
	case tools.Freeform:
		t.Freeform, t.Grammar, t.LongText = true, s.Grammar, true
	case tools.Search:
		t.Search = true
	case tools.Hosted:
		t.Hosted = s.Name
	}
	return t
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
	count := func(list []model.Tool) {
		for _, t := range list {
			n += len(t.Name) + len(t.Description) + len(t.Parameters) + len(t.Grammar)
		}
	}
	told := model.Telling(req)
	count(told.Listed)
	for _, it := range req.Items {
		if count(told.Added(it)); req.Takes.Late {
			count(it.Loads)
		}
		n += len(it.Text) + len(it.Name) + len(it.Arguments) + imageBytes*len(it.Images)
	}
	return int(float64(n) / bytesPerToken)
}
