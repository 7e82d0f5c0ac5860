package openai

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"companion/agent/model"
	"companion/agent/model/subset"
)

type tool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name,omitempty"`
	Execution   string          `json:"execution,omitempty"`
	Description string          `json:"description,omitempty"`
	Strict      *bool           `json:"strict,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Format      *format         `json:"format,omitempty"`
	Defer       bool            `json:"defer_loading,omitempty"`
	Tools       []tool          `json:"tools,omitempty"`
}

type format struct {
	Type       string `json:"type"`
	Syntax     string `json:"syntax,omitempty"`
	Definition string `json:"definition,omitempty"`
}

// tools is a list as the service takes it. The members of a namespace stand
// together where its first one stood, sorted by name; loaded says that they
// were deferred.
func (w *writer) tools(list []model.Tool, loaded bool) []tool {
	var out []tool
	groups := map[string]int{}
	for _, t := range list {
		if t.Hosted != "" {
			if t.Hosted == webSearch {
				out = append(out, tool{Type: webSearch})
			}
			continue
		}
		one := w.tool(t, loaded)
		if t.Namespace == "" || !w.req.Takes.Namespaces {
			out = append(out, one)
			continue
		}
		at, ok := groups[t.Namespace]
		if !ok {
			at = len(out)
			groups[t.Namespace] = at
			out = append(out, tool{Type: "namespace", Name: model.FlatName("", t.Namespace), Description: cmp.Or(t.NamespaceText, "Tools of "+t.Namespace+".")})
		}
		out[at].Tools = append(out[at].Tools, one)
	}
	for i := range out {
		slices.SortStableFunc(out[i].Tools, func(a, b tool) int { return strings.Compare(a.Name, b.Name) })
	}
	return out
}

// webSearch is the type of the tool that the service runs, and its name.
const webSearch = "web_search"

func (w *writer) tool(t model.Tool, loaded bool) tool {
	if t.Search && w.req.Takes.Late {
		return tool{Type: "tool_search", Execution: "client", Description: t.Description, Parameters: subset.Of(subset.Plain, t.Parameters)}
	}
	_, name := w.nameOf(t.Namespace, t.Name)
	out := tool{Name: name, Defer: loaded}
	if t.IsFreeform() && w.req.Takes.Freeform {
		out.Type, out.Description, out.Format = "custom", t.Description, &format{Type: "text"}
		if t.Grammar != "" {
			out.Format = &format{"grammar", "lark", t.Grammar}
		}
		return out
	}
	ours := !t.IsFreeform() && model.StrictSchema(t)
	t = model.FreeformTool(t)
	out.Type, out.Description, out.Strict, out.Parameters = "function", t.Description, &ours, subset.Of(subset.Plain, t.Parameters)
	return out
}

// nameOf is a tool's name in its namespace, or its flat name.
func (w *writer) nameOf(namespace, name string) (ns, wire string) {
	if namespace != "" && w.req.Takes.Namespaces {
		return model.FlatName("", namespace), model.FlatName("", name)
	}
	return "", w.names.Flat(namespace, name)
}
