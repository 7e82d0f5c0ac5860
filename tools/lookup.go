package tools

import (
	"context"
	"fmt"
	"strings"

	"companion/tools/names"
)

// Lookup resolves the name that the model wrote in the step's box: exact,
// alias, "ns__name", the namespace repeated as name, other case, hyphens for
// underscores, each only where one tool fits. An unknown name is a failed
// result that offers near ones; a tool barred from this step answers so.
func Lookup() Stage {
	return func(next Handler) Handler {
		return func(ctx context.Context, inv *Invocation) (Result, error) {
			asked := names.Full(inv.Call.Namespace, inv.Call.Name)
			tool, ok := inv.Box.Find(asked)
			if !ok {
				return Result{}, Fail(inv.Box.unknown(asked))
			}
			inv.Tool, inv.Spec = tool, tool.Spec()
			inv.Call.Name, inv.Call.Namespace, inv.Call.Box = inv.Spec.Name, inv.Spec.Namespace, inv.Box
			full := inv.Spec.Full()
			if stand := inv.Box.Standing(full); !stand.Open(ByName) {
				return Result{}, stand.Refusal(full)
			}
			return next(ctx, inv)
		}
	}
}

// unknown words a name that nothing has: what is near, and what there is.
func (b *Box) unknown(asked string) string {
	const most = 100 // names that are told
	listed := make([]string, 0, len(b.listed))
	for _, s := range b.listed {
		if full := s.Full(); b.place(full) >= 0 && b.Withheld(full) == "" {
			listed = append(listed, full)
		}
	}
	near := append(make([]string, 0, len(listed)+len(b.deferred)), listed...)
	for _, s := range b.deferred {
		near = append(near, s.Full())
	}
	var out strings.Builder
	if s, was := b.departed(asked); was {
		fmt.Fprintf(&out, "%s was not run: it is gone, %s withdrew it.", s.Full(), owner(s))
	} else if strings.TrimSpace(asked) == "" {
		out.WriteString("The call names no tool.")
	} else {
		fmt.Fprintf(&out, "There is no tool %q.", asked)
	}
	if near := names.Near(asked, near, 3); len(near) > 0 {
		fmt.Fprintf(&out, " Near names: %s.", strings.Join(near, ", "))
	}
	switch {
	case len(listed) > most:
		fmt.Fprintf(&out, " Some of the %d tools of this step are: %s.", len(listed), strings.Join(listed[:most], ", "))
	case len(listed) > 0:
		fmt.Fprintf(&out, " The tools of this step are: %s.", strings.Join(listed, ", "))
	}
	return out.String()
}
