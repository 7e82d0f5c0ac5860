package tools

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Lookup resolves the name that the model wrote in the step's box: exact,
// alias, "ns__name", the namespace repeated as name, other case, each only
// where one tool fits. An unknown name is a failed result that offers near
// ones; a tool withheld from this step answers blocked.
func Lookup() Stage {
	return func(next Handler) Handler {
		return func(ctx context.Context, inv *Invocation) (Result, error) {
			asked := inv.Call.Name
			if inv.Call.Namespace != "" {
				asked = inv.Call.Namespace + "." + inv.Call.Name
			}
			tool, ok := inv.Box.resolve(asked)
			if !ok {
				return Result{}, Fail(inv.Box.unknown(asked))
			}
			inv.Tool, inv.Spec = tool, tool.Spec()
			inv.Call.Name, inv.Call.Namespace, inv.Call.Box = inv.Spec.Name, inv.Spec.Namespace, inv.Box
			if why := inv.Box.Withheld(inv.Spec.Full()); why != "" {
				return Result{}, &Refusal{Blocked, fmt.Sprintf("%s may not be called in this step: %s", inv.Spec.Full(), why)}
			}
			return next(ctx, inv)
		}
	}
}

func (b *Box) resolve(asked string) (Tool, bool) {
	if t, ok := b.Find(asked); ok {
		return t, true
	}
	flat := flatName(asked)
	var found Tool
	for full, t := range b.tools {
		ns, name, _ := strings.Cut(full, ".")
		if flat == flatName(full) || name != "" && flat == flatName(ns+"."+ns+"."+name) {
			if found != nil {
				return nil, false
			}
			found = t
		}
	}
	return found, found != nil
}

// flatName is the spelling under which two ways to write one name meet.
func flatName(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, "__", "."))
}

func (b *Box) unknown(asked string) string {
	names := make([]string, 0, len(b.listed))
	for _, s := range b.listed {
		if _, runs := b.tools[s.Full()]; runs {
			names = append(names, s.Full())
		}
	}
	var out strings.Builder
	if s, was := b.departed(asked); was {
		fmt.Fprintf(&out, "%s was not run: it is gone, %s withdrew it.", s.Full(), owner(s))
	} else {
		fmt.Fprintf(&out, "There is no tool %q.", asked)
	}
	if near := Near(asked, names, 3); len(near) > 0 {
		fmt.Fprintf(&out, " Near names: %s.", strings.Join(near, ", "))
	}
	const most = 100 // names that are told
	switch {
	case len(names) > most:
		fmt.Fprintf(&out, " Some of the %d tools of this step are: %s.", len(names), strings.Join(names[:most], ", "))
	case len(names) > 0:
		fmt.Fprintf(&out, " The tools of this step are: %s.", strings.Join(names, ", "))
	}
	return out.String()
}

// departed finds a removed tool under any spelling of its name.
func (b *Box) departed(asked string) (Spec, bool) {
	if s, ok := b.gone[asked]; ok {
		return s, true
	}
	flat := flatName(asked)
	for full, s := range b.gone {
		if flatName(full) == flat {
			return s, true
		}
	}
	return Spec{}, false
}

// Near gives at most limit of names that are close to asked, the closest first:
// an edit distance of at most a third of its length (2 at least), or one
// contained in the other. Case does not count.
func Near(asked string, names []string, limit int) []string {
	type scored struct {
		name string
		dist int
	}
	var hits []scored
	low := strings.ToLower(asked)
	for _, n := range names {
		other := strings.ToLower(n)
		d := levenshtein.ComputeDistance(low, other)
		contained := len(low) > 2 && len(other) > 2 && (strings.Contains(other, low) || strings.Contains(low, other))
		if d <= max(2, len(asked)/3) || contained {
			hits = append(hits, scored{n, d})
		}
	}
	sort.Slice(hits, func(i, j int) bool {
		if hits[i].dist != hits[j].dist {
			return hits[i].dist < hits[j].dist
		}
		return hits[i].name < hits[j].name
	})
	out := make([]string, 0, limit)
	for _, h := range hits[:min(limit, len(hits))] {
		out = append(out, h.name)
	}
	return out
}
