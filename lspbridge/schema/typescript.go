package schema

import (
	"fmt"
	"strings"

	"companion/lspbridge/companion"
)

// TypeScript is the wire as types: an interface for each object, and for each
// direction a map from method to params and result.
func TypeScript() string {
	w := collect()
	var b strings.Builder
	b.WriteString("// Code generated from the Go types of the wire; DO NOT EDIT.\n")
	b.WriteString("// Written anew by: go test ./lspbridge/schema -update\n\n")
	fmt.Fprintf(&b, "export const protocolVersion = %d;\n", companion.Version)
	for _, d := range w.sorted() {
		b.WriteString("\n" + d.typescript())
	}
	maps := []struct {
		name, doc string
		list      []companion.Method
		notice    bool
	}{
		{"RequestsToServer", "What the editor asks.", companion.FromEditor(), false},
		{"NotificationsToServer", "What the editor tells.", companion.FromEditor(), true},
		{"RequestsToEditor", "What the editor is asked.", companion.ToEditor(), false},
		{"NotificationsToEditor", "What the editor is told.", companion.ToEditor(), true},
	}
	for _, x := range maps {
		fmt.Fprintf(&b, "\n/** %s */\nexport interface %s {\n", x.doc, x.name)
		for _, m := range x.list {
			if m.Notification() != x.notice {
				continue
			}
			params := w.of(m.Params, "").typescript()
			fmt.Fprintf(&b, "  /** %s */\n", m.Doc)
			if x.notice {
				fmt.Fprintf(&b, "  %q: %s;\n", m.Name, params)
			} else {
				fmt.Fprintf(&b, "  %q: { params: %s; result: %s };\n", m.Name, params, w.of(m.Result, "").typescript())
			}
		}
		b.WriteString("}\n")
	}
	return b.String()
}

func (d *def) typescript() string {
	if d.union != nil {
		return fmt.Sprintf("export type %s =\n  | %s;\n", d.name, strings.Join(d.union, "\n  | "))
	}
	if len(d.members) == 0 {
		return fmt.Sprintf("export type %s = Record<string, never>;\n", d.name)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "export interface %s {\n", d.name)
	for _, m := range d.members {
		if m.doc != "" {
			fmt.Fprintf(&b, "  /** %s */\n", m.doc)
		}
		mark := "?"
		if m.required {
			mark = ""
		}
		fmt.Fprintf(&b, "  %s%s: %s;\n", m.name, mark, m.shape.typescript())
	}
	b.WriteString("}\n")
	return b.String()
}

func (s shape) typescript() string {
	switch s.kind {
	case "any":
		return "unknown"
	case "object":
		return "Record<string, unknown>"
	case "ref":
		return s.ref
	case "array":
		e := s.elem.typescript()
		if strings.Contains(e, " ") && !strings.HasPrefix(e, "Record<") {
			e = "(" + e + ")"
		}
		return e + "[]"
	case "map":
		return "Record<string, " + s.elem.typescript() + ">"
	case "integer":
		return "number"
	}
	if s.enum != nil {
		quoted := make([]string, len(s.enum))
		for i, v := range s.enum {
			quoted[i] = fmt.Sprintf("%q", v)
		}
		return strings.Join(quoted, " | ")
	}
	return s.kind
}
