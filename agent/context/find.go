package context

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"companion/agent"
	"companion/tools"
	"companion/tools/find"
)

// Bounds of what is told of deferred tools (docs/tools.md).
const (
	groupLine  = 200   // bytes of one namespace's line
	groupsText = 2_000 // bytes of all lines
)

// Deferred tells which tools can be found: a line for each namespace with what
// its members do.
type Deferred struct{}

// Name implements agent.ContextProvider.
func (Deferred) Name() string { return "findable_tools" }

// Section implements agent.ContextProvider.
func (Deferred) Section(_ context.Context, t agent.ThreadView) (string, error) {
	if t.Box == nil || len(t.Box.Deferred()) == 0 {
		return "", nil
	}
	var names []string
	groups := map[string][]tools.Spec{}
	for _, s := range t.Box.Deferred() {
		if groups[s.Namespace] == nil {
			names = append(names, s.Namespace)
		}
		groups[s.Namespace] = append(groups[s.Namespace], s)
	}
	sort.Strings(names)
	var b strings.Builder
	b.WriteString("These tools are not in your list; tool_search finds them:")
	for i, ns := range names {
		line := "\n- " + groupOf(ns, groups[ns])
		left := fmt.Sprintf("\n(and %d namespaces more)", len(names)-i)
		if b.Len()+len(line)+len(left) > groupsText {
			b.WriteString(left)
			break
		}
		b.WriteString(line)
	}
	return b.String(), nil
}

// groupOf is "NAMESPACE (3 tools): create, get, list"; without a namespace the
// tools' names, at most groupLine bytes with its line's beginning.
func groupOf(ns string, members []tools.Spec) string {
	head, words := "without a namespace", find.Verbs(members)
	if ns == "" {
		words = words[:0]
		for _, s := range members {
			words = append(words, s.Name)
		}
	}
	if ns != "" {
		head = oneLine(ns)
	}
	count := "1 tool"
	if len(members) > 1 {
		count = fmt.Sprintf("%d tools", len(members))
	}
	line := fmt.Sprintf("%s (%s): ", head, count)
	for i, w := range words {
		if i > 0 {
			w = ", " + w
		}
		if len(line)+len(w)+len(", …")+len("\n- ") > groupLine {
			return line + ", …"
		}
		line += w
	}
	return line
}

// Likely names the tools that the person's newest message may need and that
// are not in the list.
type Likely struct{ Cache *find.Cache }

// Name implements agent.ContextProvider.
func (Likely) Name() string { return "likely_tools" }

// Section implements agent.ContextProvider.
func (l Likely) Section(_ context.Context, t agent.ThreadView) (string, error) {
	if t.Box == nil || t.Message == "" || len(t.Box.Deferred()) == 0 {
		return "", nil
	}
	guesses := l.Cache.Of(t.Box.Revision, t.Box.Deferred()).Likely(t.Message)
	if len(guesses) == 0 {
		return "", nil
	}
	parts := make([]string, len(guesses))
	for i, g := range guesses {
		parts[i] = strings.Join(g.Tools, ", ")
	}
	return "The message may be about these, which tool_search finds: " + strings.Join(parts, "; ") + ".", nil
}

// Tools are the providers that tell of tools that can be found; cache is the
// one of tool_search.
func Tools(cache *find.Cache) []agent.ContextProvider {
	return []agent.ContextProvider{Deferred{}, Likely{cache}}
}
