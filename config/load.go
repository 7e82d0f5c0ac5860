package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// Layer is one source of settings.
type Layer struct {
	Name    string // a file's path, or "initializationOptions.settings"
	Data    []byte // JSONC; nil or "null" = nothing
	Section bool   // keys may come without "companion" (a configuration section)
}

// Problem is a setting that was not taken.
type Problem struct {
	Layer string
	Line  int    // 1-based, 0 = unknown
	Key   string // "companion.maxSteps", "" = the whole layer
	Text  string
}

func (p Problem) String() string {
	where := p.Layer
	if p.Line > 0 {
		where += ":" + strconv.Itoa(p.Line)
	}
	if p.Key == "" {
		return where + ": " + p.Text
	}
	return where + ": " + p.Key + ": " + p.Text
}

// Load merges layers over the defaults, later ones win. It never fails: what is
// wrong is told and left out.
func Load(layers ...Layer) (Settings, []Problem) {
	s := Default()
	var problems []Problem
	for _, l := range layers {
		problems = append(problems, apply(&s, l)...)
	}
	return s, problems
}

// node is a setting with the line that it stands on.
type node struct {
	line   int
	value  any // nil, bool, json.Number, string, []node or *object
	source []byte
}

type object struct {
	names   []string
	members map[string]node
}

func apply(s *Settings, l Layer) []Problem {
	data := bytes.TrimSpace(l.Data)
	if len(data) == 0 || string(data) == "null" {
		return nil
	}
	if tooDeep(data) {
		return []Problem{{Layer: l.Name, Text: fmt.Sprintf("is nested more than %d levels deep", maxDepth)}}
	}
	v, err := hujson.Parse(l.Data)
	if err != nil {
		return []Problem{parseProblem(l, err)}
	}
	root := convert(v, l.Data)
	top, ok := root.value.(*object)
	if !ok {
		return []Problem{{Layer: l.Name, Line: 1, Text: "settings are a JSON object"}}
	}
	tree := &object{members: map[string]node{}}
	w := &walker{layer: l}
	for _, name := range top.names {
		n := top.members[name]
		switch key, dotted := strings.CutPrefix(name, "companion."); {
		case dotted:
			graft(tree, split(key), n)
		case name == "companion":
			inner, ok := n.value.(*object)
			if !ok {
				w.tell(n, "companion", "is a JSON object")
				continue
			}
			for _, k := range inner.names {
				graft(tree, split(k), inner.members[k])
			}
		case name == "$schema":
		case l.Section || strings.HasPrefix(name, "companion"):
			graft(tree, split(name), n)
		case known(name):
			graft(tree, split(name), n)
		default:
			w.tell(n, name, "is no setting of companion"+nearIn(reflect.TypeFor[Settings](), name))
		}
	}
	w.fill(s, tree)
	sort.SliceStable(w.problems, func(i, j int) bool { return w.problems[i].Line < w.problems[j].Line })
	return w.problems
}

// maxDepth of brackets in settings.
const maxDepth = 1000

// tooDeep keeps from the parser, which recurses without a bound, what would
// exhaust the stack. Brackets in strings and comments count too.
func tooDeep(data []byte) bool {
	depth := 0
	for _, b := range data {
		switch b {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		if depth > maxDepth {
			return true
		}
	}
	return false
}

// split cuts a dotted key; the name after "models." is not cut, but for a known
// last field, since model names hold dots.
func split(key string) []string {
	rest, isModel := strings.CutPrefix(key, "models.")
	if !isModel {
		return strings.Split(key, ".")
	}
	if i := strings.LastIndexByte(rest, '.'); i > 0 && isCardField(rest[i+1:]) {
		return []string{"models", rest[:i], rest[i+1:]}
	}
	return []string{"models", rest}
}

// graft puts a value at a path, merging objects; dotted names inside are cut too.
func graft(tree *object, path []string, n node) {
	for len(path) > 1 {
		child, ok := tree.members[path[0]]
		inner, isObj := child.value.(*object)
		if !ok || !isObj {
			inner = &object{members: map[string]node{}}
			tree.put(path[0], node{line: n.line, value: inner})
		}
		tree, path = inner, path[1:]
	}
	have, ok := tree.members[path[0]].value.(*object)
	add, isObj := n.value.(*object)
	if !ok || !isObj {
		tree.put(path[0], n)
		return
	}
	for _, name := range add.names {
		graft(have, []string{name}, add.members[name])
	}
}

func (o *object) put(name string, n node) {
	if _, ok := o.members[name]; !ok {
		o.names = append(o.names, name)
	}
	o.members[name] = n
}

func convert(v hujson.Value, src []byte) node {
	n := node{line: 1 + bytes.Count(src[:v.StartOffset], []byte("\n")), source: src[v.StartOffset:v.EndOffset]}
	switch t := v.Value.(type) {
	case *hujson.Object:
		o := &object{members: map[string]node{}}
		for _, m := range t.Members {
			name := ""
			if lit, ok := m.Name.Value.(hujson.Literal); ok {
				name = lit.String()
			}
			o.put(name, convert(m.Value, src))
		}
		n.value = o
	case *hujson.Array:
		list := make([]node, len(t.Elements))
		for i, e := range t.Elements {
			list[i] = convert(e, src)
		}
		n.value = list
	case hujson.Literal:
		switch t.Kind() {
		case '"':
			n.value = t.String()
		case '0':
			n.value = json.Number(string(t))
		case 't', 'f':
			n.value = t.Bool()
		}
	}
	return n
}

var hujsonAt = regexp.MustCompile(`line (\d+), column (\d+): (.*)$`)

func parseProblem(l Layer, err error) Problem {
	p := Problem{Layer: l.Name, Text: "is no JSON: " + err.Error()}
	if m := hujsonAt.FindStringSubmatch(err.Error()); m != nil {
		p.Line, _ = strconv.Atoi(m[1])
		p.Text = fmt.Sprintf("is no JSON at column %s: %s", m[2], m[3])
	}
	return p
}
