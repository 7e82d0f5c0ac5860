package find

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"companion/tools"
	"companion/tools/names"
)

// Bytes of one tool in an answer.
const (
	textBytes   = 240
	paramsBytes = 400
	groupsBytes = 1500
)

// tell words what was found: a heading for each namespace, a line for each tool.
func (ix *Index) tell(found []tools.Spec, missing []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of the %d tools that can be found; each may be called from the next step on.", len(found), ix.Len())
	at := ""
	for i, s := range found {
		if s.Namespace != at || i == 0 {
			at = s.Namespace
			b.WriteString("\n")
			if at != "" {
				fmt.Fprintf(&b, "\n%s (%d tools)", at, ix.groups[at])
				if s.NamespaceText != "" {
					b.WriteString(": " + Short(s.NamespaceText, textBytes))
				}
			}
		}
		fmt.Fprintf(&b, "\n- %s(%s)", s.Full(), params(s.Input))
		if text := Short(s.Description, textBytes); text != "" {
			b.WriteString(": " + text)
		}
	}
	if len(missing) > 0 {
		b.WriteString("\n\n" + ix.unknown(missing))
	}
	return b.String()
}

// nothing says why there is no hit and what there is.
func (ix *Index) nothing(query string, missing []string) string {
	var b strings.Builder
	if len(missing) > 0 {
		b.WriteString(ix.unknown(missing))
	} else {
		fmt.Fprintf(&b, "No tool fits %q. Try other words: what it should do, to what, with which service.", Short(query, textBytes))
	}
	b.WriteString(" What can be found:")
	names, left := slices.Sorted(maps.Keys(ix.groups)), 0
	for i, ns := range names {
		name := ns
		if ns == "" {
			name = "without a namespace"
		}
		part := fmt.Sprintf(" %s (%d)", name, ix.groups[ns])
		if b.Len()+len(part) > groupsBytes {
			left = len(names) - i
			break
		}
		b.WriteString(part)
		if i < len(names)-1 {
			b.WriteByte(',')
		}
	}
	if left > 0 {
		fmt.Fprintf(&b, " and %d namespaces more", left)
	}
	return strings.TrimSuffix(b.String(), ",") + "."
}

// unknown offers near names.
func (ix *Index) unknown(missing []string) string {
	all := make([]string, 0, len(ix.specs))
	for _, s := range ix.specs {
		all = append(all, s.Full())
	}
	var b strings.Builder
	for i, name := range missing[:min(len(missing), 10)] {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "There is no tool %q to be found.", Short(name, textBytes))
		if near := names.Near(name, all, 3); len(near) > 0 {
			fmt.Fprintf(&b, " Near names: %s.", strings.Join(near, ", "))
		}
	}
	return b.String()
}

// Short is the first sentence of text on one line, at most limit bytes, which
// end with "…" where something was cut.
func Short(text string, limit int) string {
	text = strings.TrimSpace(text)
	if i := strings.Index(text, "\n\n"); i >= 0 {
		text = text[:i]
	}
	text = strings.Join(strings.Fields(text), " ")
	for from := 0; ; {
		i := strings.Index(text[from:], ". ")
		if i < 0 {
			break
		}
		if i += from; i >= 20 && !strings.HasSuffix(text[:i], "e.g") && !strings.HasSuffix(text[:i], "i.e") {
			text = text[:i+1]
			break
		}
		from = i + 2
	}
	return cut(text, limit)
}

func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := limit - len("…")
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.TrimRight(text[:end], " ,.;:") + "…"
}

// params lists the names of a schema's properties in their order, "?" behind
// those that may be left out.
func params(raw json.RawMessage) string {
	var s struct {
		Properties json.RawMessage
		Required   []string
	}
	_ = json.Unmarshal(raw, &s) // what cannot be read is not told; the definition is
	dec := json.NewDecoder(bytes.NewReader(s.Properties))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return ""
	}
	var out []string
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			break
		}
		var skip json.RawMessage
		if dec.Decode(&skip) != nil {
			break
		}
		name, _ := key.(string)
		if !slices.Contains(s.Required, name) {
			name += "?"
		}
		out = append(out, name)
	}
	return cut(strings.Join(out, ", "), paramsBytes)
}
