package find

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"companion/tools"
	"companion/tools/schema"
)

// Bounds of one search (tools.md, Search).
const (
	defaultHits = 8
	mostHits    = 50
	queryBytes  = 2000
)

//go:embed find.md
var findDoc string

type findArgs struct {
	Query string `json:"query" desc:"What the tool should do, to what and with which service; or select:NAME,NAME for tools whose names you know."`
	Limit int    `json:"limit,omitempty" min:"1" max:"50" desc:"Number of tools, 1 to 50. Default 8; for select: all that are named."`
}

type search struct{ cache *Cache }

// Tool is tool_search over what the step's box has deferred; cache is shared
// with whoever else looks for tools.
func Tool(cache *Cache) tools.Tool { return search{cache} }

func (search) Spec() tools.Spec {
	return tools.Spec{
		Name: "tool_search", Title: "Search for tools", Description: strings.TrimSpace(findDoc), Form: tools.Search,
		Input: schema.Of[findArgs](), ReadOnly: true, AlwaysShown: true, Exposure: tools.DirectModelOnly,
	}
}

func (t search) Prepare(_ context.Context, call tools.Call) (tools.Action, error) {
	args, err := tools.Decode[findArgs](call.Args)
	if err != nil {
		return tools.Action{}, err
	}
	args.Query = strings.TrimSpace(args.Query)
	switch {
	case args.Query == "":
		return tools.Action{}, tools.Fail("query is empty: say what the tool should do, such as \"github close pull request\".")
	case len(args.Query) > queryBytes:
		return tools.Action{}, tools.Fail(fmt.Sprintf("query has %d bytes, at most %d are read: name what the tool should do in a few words.", len(args.Query), queryBytes))
	case call.Box == nil:
		return tools.Action{}, fmt.Errorf("tool_search: the call %s has no box", call.ID)
	}
	return tools.Action{
		Activity: fmt.Sprintf("Looking for tools: %s", tools.OneLine(args.Query)),
		Run: func(context.Context, tools.Progress) (tools.Result, error) {
			return t.run(args, call.Box)
		},
	}, nil
}

func (t search) run(args findArgs, box *tools.Box) (tools.Result, error) {
	specs := box.Deferred()
	if len(specs) == 0 {
		return tools.Result{}, tools.Fail("There is nothing to find: every tool of this thread is in your list.")
	}
	ix := t.cache.Of(box.Revision, specs)
	var found []tools.Spec
	var missing []string
	if names, ok := strings.CutPrefix(args.Query, "select:"); ok {
		found, missing = ix.selected(names, args.Limit)
	} else {
		limit := args.Limit
		if limit == 0 {
			limit = defaultHits
		}
		for _, h := range ix.Search(args.Query, limit) {
			found = append(found, h.Spec)
		}
	}
	if len(found) == 0 {
		return tools.Result{}, tools.Fail(ix.nothing(args.Query, missing))
	}
	res := tools.Result{
		Outcome: tools.OK, Text: ix.tell(found, missing),
		Display: fmt.Sprintf("Found %d of %d tools for %q", len(found), ix.Len(), tools.OneLine(args.Query)),
	}
	for _, s := range found {
		res.Loads = append(res.Loads, s.Full())
	}
	return res, nil
}

// selected gives the tools that are named, and the names that none has. A limit
// of 0 is none but mostHits.
func (ix *Index) selected(names string, limit int) (found []tools.Spec, missing []string) {
	if limit == 0 {
		limit = mostHits
	}
	seen := map[string]bool{}
	for name := range strings.FieldsFuncSeq(names, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' }) {
		named := ix.Named(name)
		if len(named) == 0 {
			missing = append(missing, name)
		}
		for _, s := range named {
			if !seen[s.Full()] && len(found) < limit {
				seen[s.Full()] = true
				found = append(found, s)
			}
		}
	}
	return found, missing
}
