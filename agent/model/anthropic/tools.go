package anthropic

import (
	"encoding/json"
	"fmt"
	"strings"

	"companion/agent/model"
	"companion/agent/model/subset"
)

// inlineTools is the beta of definitions in messages (anthropic-sdk-go v2.15.0,
// AnthropicBetaInlineTools2026_09_15).
const inlineTools = "inline-tools-2026-09-15"

// webSearch is the name of the tool that the service runs; its types are those
// of WebSearchTool20260318Param and, for older versions, 20250305.
const (
	webSearch     = "web_search"
	searchType    = "web_search_20260318"
	oldSearchType = "web_search_20250305"
	// mostSearches of one request; ours.
	mostSearches = 5
)

// mostStrict is how many strict tools one request may have [known].
const mostStrict = 20

// cache is the mark up to which the service caches a prompt.
type cache struct {
	Type string `json:"type"`
}

type tool struct {
	Type         string            `json:"type,omitempty"`
	Name         string            `json:"name"`
	Description  string            `json:"description,omitempty"`
	InputSchema  json.RawMessage   `json:"input_schema,omitempty"`
	Strict       bool              `json:"strict,omitempty"`
	Eager        bool              `json:"eager_input_streaming,omitempty"`
	Defer        bool              `json:"defer_loading,omitempty"`
	Examples     []json.RawMessage `json:"input_examples,omitempty"`
	MaxUses      int               `json:"max_uses,omitempty"`
	CacheControl *cache            `json:"cache_control,omitempty"`
}

// tools are the listed ones, of which the last has the cache mark, and behind
// them the deferred ones, which may have none and are no part of the prompt.
func (w *writer) tools() []tool {
	var out []tool
	strict := 0
	for _, t := range w.told.Listed {
		switch {
		case t.Hosted == webSearch:
			kind := searchType
			if w.old {
				kind = oldSearchType
			}
			out = append(out, tool{Type: kind, Name: webSearch, MaxUses: mostSearches})
			continue
		case t.Hosted != "":
			continue
		}
		one := w.tool(t)
		if one.Strict {
			strict++
			one.Strict = strict <= mostStrict
		}
		out = append(out, one)
	}
	if n := len(out); n > 0 {
		out[n-1].CacheControl = &cache{"ephemeral"}
	}
	for _, t := range w.told.Deferred {
		one := w.tool(t)
		one.Defer, one.Strict = true, false
		out = append(out, one)
	}
	return out
}

func (w *writer) tool(t model.Tool) tool {
	long := t.LongText || t.IsFreeform()
	name := w.names.Flat(t.Namespace, t.Name)
	t = model.FreeformTool(t)
	schema, keys := subset.Keys(subset.Of(subset.Plain, t.Parameters))
	out := tool{Name: name, Description: t.Description, InputSchema: schema}
	if !w.old {
		out.Strict, out.Eager, out.Examples = model.StrictSchema(t), long, renamed(t.Examples, subset.Reverse(keys))
	}
	return out
}

func renamed(examples []json.RawMessage, keys map[string]string) []json.RawMessage {
	if len(keys) == 0 {
		return examples
	}
	out := make([]json.RawMessage, len(examples))
	for i, e := range examples {
		out[i] = subset.Rename(e, keys)
	}
	return out
}

// groups says what the namespaces of listed tools are for: their names are flat
// here.
func (w *writer) groups() string {
	var out strings.Builder
	seen := map[string]bool{"": true}
	for _, t := range w.told.Listed {
		if seen[t.Namespace] || t.NamespaceText == "" {
			continue
		}
		seen[t.Namespace] = true
		if len(seen) == 2 {
			out.WriteString("\n\nGroups of tools:")
		}
		fmt.Fprintf(&out, "\n- %s__…: %s", t.Namespace, t.NamespaceText)
	}
	return out.String()
}
