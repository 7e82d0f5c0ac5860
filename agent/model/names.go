package model

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// MaxToolName is the longest tool name that all vendors take, in bytes:
// OpenAI's and Anthropic's limit.
const MaxToolName = 64

// ToolNames maps (namespace, name) of tools to one flat name that the vendor
// takes, and back. It is made for one request and not changed after.
type ToolNames struct {
	limit int
	flat  map[fullName]string
	back  map[string]Tool
}

type fullName struct{ namespace, name string }

// NewToolNames flattens the names of all tools that a request tells of, in its
// list or later, to at most MaxToolName bytes.
func NewToolNames(req Request) ToolNames { return NewToolNamesIn(req, MaxToolName) }

// NewToolNamesIn is NewToolNames for another limit in bytes. Tools whose flat
// names are the same get a hash of their full name, each of them, so that the
// order in which they are listed does not matter.
func NewToolNamesIn(req Request, limit int) ToolNames {
	n := ToolNames{limit: limit, flat: map[fullName]string{}, back: map[string]Tool{}}
	var all []Tool
	add := func(list []Tool) {
		for _, t := range list {
			full := fullName{t.Namespace, t.Name}
			if _, again := n.flat[full]; !again {
				n.flat[full] = flatName(t.Namespace, t.Name, limit)
				all = append(all, t)
			}
		}
	}
	add(req.Tools)
	for _, it := range req.Items {
		if it.Kind == ToolReply { // those of ToolsAdded are in the list, or gone
			add(it.Loads)
		}
	}
	taken := make(map[string]int, len(all))
	for _, t := range all {
		taken[n.flat[fullName{t.Namespace, t.Name}]]++
	}
	for _, t := range all {
		full := fullName{t.Namespace, t.Name}
		if taken[n.flat[full]] > 1 {
			n.flat[full] = hashed(n.flat[full], t.Namespace+"\x00"+t.Name, limit)
		}
		n.back[n.flat[full]] = t
	}
	return n
}

// Flat is the name of a tool on the wire: that of the list, or FlatName for one
// that is in none.
func (n ToolNames) Flat(namespace, name string) string {
	if flat, ok := n.flat[fullName{namespace, name}]; ok {
		return flat
	}
	return flatName(namespace, name, n.limit)
}

// Of is the listed tool of that name; one that is in no list has nothing but
// its name.
func (n ToolNames) Of(namespace, name string) Tool {
	if t, ok := n.back[n.Flat(namespace, name)]; ok {
		return t
	}
	return Tool{Namespace: namespace, Name: name}
}

// Tool is the listed tool that a model means by a name (and a namespace, where
// its wire has them): the exact one, else the only one that it can mean when
// case, the mark between namespace and name, and a namespace said twice do not
// count. A name that no tool has is handed back as it is: the agent tells the
// model.
func (n ToolNames) Tool(namespace, name string) Tool {
	if namespace != "" {
		if t, ok := n.back[n.Flat(namespace, name)]; ok {
			return t
		}
	} else if t, ok := n.back[name]; ok {
		return t
	}
	asked := spelling(name)
	if namespace != "" {
		asked = spelling(namespace + "." + name)
	}
	var found []Tool
	for flat, t := range n.back {
		bare, full := spelling(t.Name), spelling(t.Name)
		if t.Namespace != "" {
			full = spelling(t.Namespace + "." + t.Name)
		}
		switch asked {
		case full, spelling(flat), spelling(t.Namespace + "." + full), "functions." + full, spelling("functions." + flat):
			found = append(found, t)
		case bare:
			found = append(found, t)
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return Tool{Namespace: namespace, Name: name}
}

// spelling is the same for all ways to write one name.
func spelling(name string) string {
	return strings.ToLower(strings.NewReplacer("__", ".", "/", ".", ":", ".").Replace(name))
}

// Search is the tool that finds deferred tools, if there is one.
func (n ToolNames) Search() (Tool, bool) {
	for _, t := range n.back {
		if t.Search {
			return t, true
		}
	}
	return Tool{}, false
}

// FlatName is the name of a tool on the wire: name, or namespace__name, with
// characters outside [a-zA-Z0-9_-] replaced by "_" and at most 64 bytes. Where
// that loses something, a hash of the full name keeps it unique.
func FlatName(namespace, name string) string { return flatName(namespace, name, MaxToolName) }

func flatName(namespace, name string, limit int) string {
	full := name
	if namespace != "" {
		full = namespace + "__" + name
	}
	return portable(full, limit)
}

// WireCallID is a call id that every vendor takes: id itself when it is made of
// [a-zA-Z0-9_-] and at most 64 bytes (OpenAI's limit), else a short form of it
// with a hash. The same id always gives the same.
func WireCallID(id string) string { return portable(id, 64) }

func portable(s string, limit int) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, s)
	if clean == s && len(s) <= limit {
		return s
	}
	return hashed(clean, s, limit)
}

// hashed is clean with a hash of identity at its end, at most limit bytes.
func hashed(clean, identity string, limit int) string {
	sum := sha256.Sum256([]byte(identity))
	tail := "_" + hex.EncodeToString(sum[:4])
	return clean[:min(len(clean), limit-len(tail))] + tail
}

// IDs hands out ids that are unique in a transcript.
type IDs struct{ used map[string]bool }

// NewIDs knows the ids that items use already, ours and the vendors' own in what
// is replayed.
func NewIDs(items []Item) *IDs {
	s := &IDs{used: make(map[string]bool, 2*len(items))}
	for _, it := range items {
		s.used[it.ID] = true
		if it.Kind != ToolCall {
			continue
		}
		s.used[it.CallID] = true
		var head struct {
			ID     string `json:"id"`
			CallID string `json:"call_id"`
		}
		if json.Unmarshal(it.Raw, &head) == nil {
			s.used[head.ID], s.used[head.CallID] = true, true
		}
	}
	return s
}

// Take is id when it is not empty and was not taken before, else a new one with
// the prefix.
func (s *IDs) Take(id, prefix string) string {
	if id == "" || s.used[id] {
		id = prefix + "_" + strings.ToLower(rand.Text()[:20])
	}
	s.used[id] = true
	return id
}
