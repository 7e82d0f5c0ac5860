//go:build cgo && !notreesitter

package syntax

import (
	"context"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/bash"
	"github.com/smacker/go-tree-sitter/c"
	"github.com/smacker/go-tree-sitter/java"
	"github.com/smacker/go-tree-sitter/rust"

	"companion/tools/lang"
)

// mostDeclarations bounds what is found in one file.
const mostDeclarations = 20_000

// dialect is what of a grammar's nodes declares something.
type dialect struct {
	kinds map[string]string // node type: kind
	// opaque are node types that are not looked into, by spaces.
	opaque string
	// around are node types that, where they hold one declaration only, belong to it.
	around string
	// leading are node types that, right above a declaration, belong to it.
	leading string
}

func dialectOf(language string) (*sitter.Language, dialect) {
	switch language {
	case "go":
		return grammar(language), dialect{
			kinds: map[string]string{
				"function_declaration": "function", "method_declaration": "method", "type_spec": "type", "type_alias": "type",
				"const_spec": "constant", "var_spec": "variable", "method_spec": "method", "method_elem": "method",
			},
			opaque: " block func_literal ", around: " type_declaration const_declaration var_declaration ", leading: " comment ",
		}
	case "python":
		return grammar(language), dialect{
			kinds:  map[string]string{"function_definition": "function", "class_definition": "class", "assignment": "variable"},
			opaque: " lambda ", around: " decorated_definition expression_statement ", leading: " comment decorator ",
		}
	case "typescript", "tsx":
		return grammar(language), dialect{
			kinds: map[string]string{
				"function_declaration": "function", "generator_function_declaration": "function", "function_signature": "function",
				"class_declaration": "class", "abstract_class_declaration": "class", "interface_declaration": "interface",
				"type_alias_declaration": "type", "enum_declaration": "enum", "method_definition": "method", "method_signature": "method",
				"abstract_method_signature": "method", "public_field_definition": "field", "variable_declarator": "variable",
				"internal_module": "namespace", "module": "namespace",
			},
			opaque: " arrow_function function_expression generator_function arguments object ",
			around: " export_statement lexical_declaration variable_declaration ambient_declaration expression_statement ", leading: " comment decorator ",
		}
	case "rust":
		return rust.GetLanguage(), dialect{
			kinds: map[string]string{
				"function_item": "function", "function_signature_item": "function", "struct_item": "struct", "enum_item": "enum", "union_item": "union",
				"trait_item": "trait", "impl_item": "impl", "mod_item": "module", "const_item": "constant", "static_item": "variable", "type_item": "type",
				"associated_type": "type", "macro_definition": "macro",
			},
			opaque: " block closure_expression ", leading: " line_comment block_comment attribute_item ",
		}
	case "java":
		return java.GetLanguage(), dialect{
			kinds: map[string]string{
				"class_declaration": "class", "interface_declaration": "interface", "enum_declaration": "enum", "record_declaration": "record",
				"annotation_type_declaration": "annotation", "method_declaration": "method", "constructor_declaration": "constructor",
				"compact_constructor_declaration": "constructor", "variable_declarator": "field", "enum_constant": "constant",
			},
			opaque: " block constructor_body lambda_expression ", around: " field_declaration constant_declaration ", leading: " line_comment block_comment comment ",
		}
	case "c":
		return c.GetLanguage(), dialect{
			kinds: map[string]string{
				"function_definition": "function", "struct_specifier": "struct", "union_specifier": "union", "enum_specifier": "enum", "type_definition": "type",
				"preproc_def": "macro", "preproc_function_def": "macro", "declaration": "variable",
			},
			opaque: " compound_statement parameter_list initializer_list ", leading: " comment ",
		}
	case "bash":
		return bash.GetLanguage(), dialect{
			kinds: map[string]string{"function_definition": "function"}, opaque: " command_substitution ", leading: " comment ",
		}
	}
	return nil, dialect{}
}

func has(list, kind string) bool { return strings.Contains(list, " "+kind+" ") }

func declarations(language, src string) ([]lang.Declaration, bool) {
	g, d := dialectOf(language)
	if g == nil {
		return nil, false
	}
	code := []byte(src)
	root, err := sitter.ParseCtx(context.Background(), code, g)
	if err != nil {
		return nil, false
	}
	f := finder{dialect: d, language: language, code: code}
	f.visit(root, 0, "")
	return f.found, true
}

// finder collects the declarations of one tree.
type finder struct {
	dialect
	language string
	code     []byte
	found    []lang.Declaration
}

// visit goes through what n holds; in is the kind of the declaration around it.
func (f *finder) visit(n *sitter.Node, depth int, in string) {
	if len(f.found) >= mostDeclarations {
		return
	}
	for i := range int(n.NamedChildCount()) {
		child := n.NamedChild(i)
		if has(f.opaque, child.Type()) {
			continue
		}
		kind, name := f.declares(child, in)
		if name == "" {
			f.visit(child, depth, in)
			continue
		}
		f.add(child, kind, name, depth)
		f.visit(child, depth+1, kind)
	}
}

// declares says what a node declares, "" = nothing that is listed.
func (f *finder) declares(n *sitter.Node, in string) (kind, name string) {
	kind, ok := f.kinds[n.Type()]
	if !ok {
		return "", ""
	}
	inFunction := in == "function" || in == "method" || in == "constructor"
	switch f.language {
	case "go":
		name = f.goName(n, &kind)
	case "python":
		if kind == "variable" {
			left := n.ChildByFieldName("left")
			if in != "" && in != "class" || left == nil || left.Type() != "identifier" {
				return "", ""
			}
			return kind, f.text(left)
		}
		if in == "class" && kind == "function" {
			kind = "method"
		}
	case "typescript", "tsx":
		if value := n.ChildByFieldName("value"); value != nil && has(" arrow_function function_expression function generator_function ", value.Type()) {
			kind = map[string]string{"variable": "function", "field": "method"}[kind]
		} else if kind == "variable" && inFunction {
			return "", ""
		}
	case "rust":
		if kind == "impl" {
			return kind, f.implName(n)
		}
		if kind == "function" && (in == "impl" || in == "trait") {
			kind = "method"
		}
	case "java":
		if kind == "field" && n.Parent() != nil && !has(f.around, n.Parent().Type()) {
			return "", ""
		}
	case "c":
		return f.cName(n, kind, in)
	}
	if name == "" {
		if id := n.ChildByFieldName("name"); id != nil {
			name = f.text(id)
		}
	}
	return kind, name
}

func (f *finder) goName(n *sitter.Node, kind *string) string {
	switch n.Type() {
	case "method_declaration":
		if id := n.ChildByFieldName("name"); id != nil {
			return receiver(n, f.code) + f.text(id)
		}
	case "type_spec":
		if t := n.ChildByFieldName("type"); t != nil {
			switch t.Type() {
			case "struct_type":
				*kind = "struct"
			case "interface_type":
				*kind = "interface"
			}
		}
	case "const_spec", "var_spec":
		var names []string
		for i := range int(n.ChildCount()) {
			if c := n.Child(i); n.FieldNameForChild(i) == "name" && c.IsNamed() {
				names = append(names, f.text(c))
			}
		}
		return strings.Join(names, ", ")
	}
	return ""
}

func (f *finder) implName(n *sitter.Node) string {
	name := ""
	if t := n.ChildByFieldName("type"); t != nil {
		name = f.text(t)
	}
	if t := n.ChildByFieldName("trait"); t != nil {
		name = f.text(t) + " for " + name
	}
	return name
}

// cName follows declarators to the name; of plain declarations only those of the
// file are listed.
func (f *finder) cName(n *sitter.Node, kind, in string) (string, string) {
	switch n.Type() {
	case "struct_specifier", "union_specifier", "enum_specifier":
		if n.ChildByFieldName("body") == nil {
			return "", ""
		}
	case "declaration", "function_definition", "type_definition":
		if in != "" {
			return "", ""
		}
		at := n.ChildByFieldName("declarator")
		for at != nil {
			if at.Type() == "function_declarator" && kind == "variable" {
				kind = "prototype"
			}
			if has(" identifier type_identifier field_identifier ", at.Type()) {
				return kind, f.text(at)
			}
			next := at.ChildByFieldName("declarator")
			if next == nil && at.NamedChildCount() > 0 {
				next = at.NamedChild(0)
			}
			at = next
		}
		return "", ""
	}
	if id := n.ChildByFieldName("name"); id != nil {
		return kind, f.text(id)
	}
	return "", ""
}

// text is a name as it is written, on one line and not long.
func (f *finder) text(n *sitter.Node) string {
	s := strings.Join(strings.Fields(n.Content(f.code)), " ")
	if r := []rune(s); len(r) > 120 {
		return string(r[:120]) + "…"
	}
	return s
}

func (f *finder) add(n *sitter.Node, kind, name string, depth int) {
	whole := n
	for p := whole.Parent(); p != nil && has(f.around, p.Type()) && f.alone(p, whole); p = whole.Parent() {
		whole = p
	}
	from := int(whole.StartPoint().Row)
	for at := whole.PrevNamedSibling(); at != nil && has(f.leading, at.Type()); at = at.PrevNamedSibling() {
		if lastRow(at) < from-1 || at.PrevNamedSibling() != nil && lastRow(at.PrevNamedSibling()) == int(at.StartPoint().Row) {
			break // apart, or behind something on its line
		}
		from = int(at.StartPoint().Row)
	}
	f.found = append(f.found, lang.Declaration{
		Name: name, Kind: kind, Depth: depth, From: from + 1, Line: int(n.StartPoint().Row) + 1, Last: lastRow(whole) + 1,
	})
}

// alone tells whether no other child of p than n is declared.
func (f *finder) alone(p, n *sitter.Node) bool {
	count := 0
	for i := range int(p.NamedChildCount()) {
		c := p.NamedChild(i)
		if _, ok := f.kinds[c.Type()]; ok || c.Equal(n) {
			count++
		}
	}
	return count == 1
}

// lastRow is the row (0-based) of a node's last byte.
func lastRow(n *sitter.Node) int {
	end := n.EndPoint()
	if end.Column == 0 && end.Row > n.StartPoint().Row {
		return int(end.Row) - 1
	}
	return int(end.Row)
}
