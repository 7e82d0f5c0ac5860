package schema

import (
	"fmt"
	"strings"

	"companion/lspbridge/companion"
	"companion/lspbridge/wire"
)

// Markdown renders one of the tables of docs/protocol.md: "fromEditor",
// "toEditor", "events" or "types". Field? may be absent.
func Markdown(table string) string {
	w := collect()
	var b strings.Builder
	switch table {
	case "fromEditor", "toEditor":
		list := companion.FromEditor()
		if table == "toEditor" {
			list = companion.ToEditor()
		}
		b.WriteString("| method | params → result | |\n| --- | --- | --- |\n")
		for _, m := range list {
			sig := code(w.inline(w.of(m.Params, "")))
			if !m.Notification() {
				sig += " → " + code(w.inline(w.of(m.Result, "")))
			}
			doc := m.Doc
			if m.Notification() {
				doc += " (Notification.)"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", m.Name, sig, doc)
		}
	case "events":
		b.WriteString("| event | fields | stored |\n| --- | --- | --- |\n")
		for _, e := range wire.EventShapes() {
			d := w.defs[title(string(e.Type))+"Event"]
			var own []member
			for _, m := range d.members {
				switch m.name {
				case "threadId", "turnId", "seq", "afterSeq", "type":
				default:
					own = append(own, m)
				}
			}
			stored := "yes"
			if !e.Type.Durable() {
				stored = "no"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", e.Type, code(fields(own)), stored)
		}
	case "types":
		for _, d := range w.sorted() {
			if d.union != nil || d.constant != "" || len(d.members) == 0 {
				continue
			}
			fmt.Fprintf(&b, "- %s: %s\n", d.name, code(fields(d.members)))
		}
	}
	return b.String()
}

func code(s string) string { return "`" + strings.ReplaceAll(s, "|", `\|`) + "`" }

// inline spells params and results out one level deep.
func (w *world) inline(s shape) string {
	if d := w.defs[s.ref]; s.kind == "ref" && d.union == nil {
		return fields(d.members)
	}
	return short(s)
}

func fields(list []member) string {
	parts := make([]string, len(list))
	for i, m := range list {
		mark := "?"
		if m.required {
			mark = ""
		}
		parts[i] = m.name + mark
		if t := short(m.shape); t != "string" {
			parts[i] += ": " + t
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func short(s shape) string {
	switch s.kind {
	case "any":
		return "any"
	case "ref":
		return s.ref
	case "array":
		return short(*s.elem) + "[]"
	case "map":
		return "{…: " + short(*s.elem) + "}"
	case "integer", "number":
		return "number"
	}
	if s.enum != nil {
		return `"` + strings.Join(s.enum, `"|"`) + `"`
	}
	return s.kind
}
