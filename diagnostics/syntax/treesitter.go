//go:build cgo && !notreesitter

package syntax

import (
	"context"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/golang"
	"github.com/smacker/go-tree-sitter/python"
	"github.com/smacker/go-tree-sitter/typescript/tsx"
	"github.com/smacker/go-tree-sitter/typescript/typescript"
)

const available = true

func grammar(language string) *sitter.Language {
	switch language {
	case "go":
		return golang.GetLanguage()
	case "typescript":
		return typescript.GetLanguage()
	case "tsx":
		return tsx.GetLanguage()
	case "python":
		return python.GetLanguage()
	}
	return nil
}

// functions are the node types that count, by grammar.
func functions(language string) string {
	switch language {
	case "go":
		return " function_declaration method_declaration func_literal "
	case "python":
		return " function_definition "
	}
	return " function_declaration generator_function_declaration method_definition arrow_function function_expression generator_function "
}

func enclosing(language, src string, offset int) (Function, bool) {
	lang := grammar(language)
	if lang == nil {
		return Function{}, false
	}
	code := []byte(src)
	root, err := sitter.ParseCtx(context.Background(), code, lang)
	if err != nil {
		return Function{}, false
	}
	kinds := functions(language)
	var found *sitter.Node
	at := uint32(offset)
	for n := root; n != nil; n = childAt(n, at) {
		if strings.Contains(kinds, " "+n.Type()+" ") && (found == nil || nameOf(language, n, code) != "") {
			found = n // an anonymous function does not hide the named one around it
		}
	}
	if found == nil {
		return Function{}, false
	}
	whole := found
	if p := found.Parent(); p != nil && p.Type() == "decorated_definition" {
		whole = p
	}
	return Function{
		Name: nameOf(language, found, code), Start: int(whole.StartByte()), End: int(whole.EndByte()),
		StartLine: int(whole.StartPoint().Row), EndLine: int(whole.EndPoint().Row),
	}, true
}

// childAt is the child that holds the byte, or ends right there.
func childAt(n *sitter.Node, at uint32) *sitter.Node {
	var touching *sitter.Node
	for i := range int(n.ChildCount()) {
		c := n.Child(i)
		switch {
		case c.StartByte() <= at && at < c.EndByte():
			if touching != nil && !c.IsNamed() { // a line ending after the function
				return touching
			}
			return c
		case c.EndByte() == at:
			touching = c
		}
	}
	return touching
}

func nameOf(language string, n *sitter.Node, code []byte) string {
	name := ""
	if id := n.ChildByFieldName("name"); id != nil {
		name = id.Content(code)
	}
	switch {
	case n.Type() == "method_declaration": // Go
		return receiver(n, code) + name
	case n.Type() == "arrow_function" || n.Type() == "function_expression":
		if p := n.Parent(); name == "" && p != nil && (p.Type() == "variable_declarator" || p.Type() == "public_field_definition") {
			if id := p.ChildByFieldName("name"); id != nil {
				name = id.Content(code)
			}
		}
	}
	if name == "" || language == "go" {
		return name
	}
	for p := n.Parent(); p != nil; p = p.Parent() {
		if strings.HasPrefix(p.Type(), "class_d") || p.Type() == "abstract_class_declaration" || p.Type() == "class" {
			if id := p.ChildByFieldName("name"); id != nil {
				return id.Content(code) + "." + name
			}
		}
		if strings.Contains(functions(language), " "+p.Type()+" ") {
			break
		}
	}
	return name
}

// receiver is the base type of a Go method's receiver and a dot.
func receiver(n *sitter.Node, code []byte) string {
	r := n.ChildByFieldName("receiver")
	if r == nil {
		return ""
	}
	s := strings.Trim(r.Content(code), "()")
	if i := strings.LastIndexAny(s, " *"); i >= 0 && !strings.Contains(s, "[") {
		s = s[i+1:]
	} else if i := strings.IndexByte(s, '['); i >= 0 {
		s = s[:i]
		s = s[strings.LastIndexAny(s, " *")+1:]
	}
	return s + "."
}
