package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mayCompare are places that compare something with a word that is a tool's
// name too: the words of another language. The list may only shrink.
var mayCompare = map[string][]string{
	"permission/command": {"read"}, // the shell's builtin
}

// Outside its own package no code may look at which tool it has before it: what
// differs between tools stands in their specs, effects and locks.
func TestNoCodeSwitchesOnAToolsName(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(top(t), "internal", "app", "testdata", "shipped-tools.txt"))
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(string(data))
	used := map[string][]string{}
	for _, p := range packages(t) {
		if strings.HasPrefix(p.path, "agent/model/") || strings.HasSuffix(p.path, "/demo") || strings.HasPrefix(p.path, "internal/") && p.path != "internal/app" {
			continue // models write names, they dispatch nothing; tests from outside read them
		}
		own := ownTools(p)
		for _, f := range p.files {
			ast.Inspect(f.ast, func(n ast.Node) bool {
				for _, lit := range compared(n) {
					name, err := strconv.Unquote(lit.Value)
					switch {
					case err != nil || !slices.Contains(names, name) || slices.Contains(own, name):
					case slices.Contains(mayCompare[p.path], name):
						used[p.path] = append(used[p.path], name)
					default:
						t.Errorf("%s compares with the tool name %q", fset.Position(lit.Pos()), name)
					}
				}
				return true
			})
		}
	}
	for path, list := range mayCompare {
		for _, name := range list {
			if _, err := os.Stat(filepath.Join(top(t), path)); err == nil && !slices.Contains(used[path], name) {
				t.Errorf("%s compares with %q no more: take it off the list", path, name)
			}
		}
	}
}

// ownTools are the names that a package gives to the tools that it makes: the
// Name of the composite literals tools.Spec.
func ownTools(p pkg) (out []string) {
	for _, f := range p.files {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok || !isSelector(lit.Type, "tools", "Spec") {
				return true
			}
			for _, e := range lit.Elts {
				kv, ok := e.(*ast.KeyValueExpr)
				if !ok {
					continue
				}
				key, _ := kv.Key.(*ast.Ident)
				value, _ := kv.Value.(*ast.BasicLit)
				if key != nil && key.Name == "Name" && value != nil {
					if name, err := strconv.Unquote(value.Value); err == nil {
						out = append(out, name)
					}
				}
			}
			return true
		})
	}
	return out
}

func isSelector(e ast.Expr, x, sel string) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != sel {
		return false
	}
	id, ok := s.X.(*ast.Ident)
	return ok && id.Name == x
}

// compared are the string literals that a node compares a name with.
func compared(n ast.Node) []*ast.BasicLit {
	var exprs []ast.Expr
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if (n.Op == token.EQL || n.Op == token.NEQ) && (isName(n.X) || isName(n.Y)) {
			exprs = []ast.Expr{n.X, n.Y}
		}
	case *ast.SwitchStmt:
		if isName(n.Tag) {
			for _, c := range n.Body.List {
				exprs = append(exprs, c.(*ast.CaseClause).List...)
			}
		}
	case *ast.IndexExpr: // a table by name is a switch too
		if m, ok := n.X.(*ast.CompositeLit); ok && isName(n.Index) {
			for _, e := range m.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					exprs = append(exprs, kv.Key)
				}
			}
		}
	}
	var out []*ast.BasicLit
	for _, e := range exprs {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			out = append(out, lit)
		}
	}
	return out
}

// isName tells expressions that hold the name of something: x.Name, x.Full(),
// name, tool.
func isName(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return e.Sel.Name == "Name" || e.Sel.Name == "Tool"
	case *ast.CallExpr:
		sel, ok := e.Fun.(*ast.SelectorExpr)
		return ok && (sel.Sel.Name == "Full" || sel.Sel.Name == "Name")
	case *ast.Ident:
		return e.Name == "name" || e.Name == "tool" || e.Name == "toolName" || e.Name == "full"
	}
	return false
}

func TestTheSearchForSwitchesFindsThem(t *testing.T) {
	for src, want := range map[string]int{
		`x.Name == "read"`: 1, `"read" != inv.Spec.Full()`: 1, `kind == "read"`: 0,
		`func() { switch name { case "read", "edit": } }`: 2, `map[string]int{"read": 1}[c.Tool]`: 1,
	} {
		e, err := parser.ParseExpr(src)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		ast.Inspect(e, func(node ast.Node) bool {
			n += len(compared(node))
			return true
		})
		if n != want {
			t.Errorf("%s: %d found, want %d", src, n, want)
		}
	}
}

// The schema that a model reads is made of the struct that Prepare decodes: in
// a package of tools each schema.Of[T] has its tools.Decode[T], and no tool of
// ours writes a schema by hand.
func TestASchemaIsMadeOfWhatPrepareDecodes(t *testing.T) {
	found := 0
	for _, p := range packages(t) {
		if !strings.HasPrefix(p.path, "tools/") {
			continue
		}
		of, decode := map[string]token.Pos{}, map[string]token.Pos{}
		for _, f := range p.files {
			ast.Inspect(f.ast, func(n ast.Node) bool {
				if x, ok := n.(*ast.IndexExpr); ok {
					if id, ok := x.Index.(*ast.Ident); ok {
						switch {
						case isSelector(x.X, "schema", "Of"):
							of[id.Name] = x.Pos()
						case isSelector(x.X, "tools", "Decode"):
							decode[id.Name] = x.Pos()
						}
					}
				}
				if lit, ok := n.(*ast.CompositeLit); ok && isSelector(lit.Type, "tools", "Spec") {
					for _, e := range lit.Elts {
						kv, _ := e.(*ast.KeyValueExpr)
						if kv == nil {
							continue
						}
						if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "Input" && !generated(kv.Value) {
							t.Errorf("%s: Input is not made by schema.Of", fset.Position(kv.Pos()))
						}
					}
				}
				return true
			})
		}
		for name, pos := range of {
			found++
			if _, ok := decode[name]; !ok {
				t.Errorf("%s: schema.Of[%s] and no tools.Decode[%s]", fset.Position(pos), name, name)
			}
		}
		for name, pos := range decode {
			if _, ok := of[name]; !ok {
				t.Errorf("%s: tools.Decode[%s] and no schema.Of[%s]", fset.Position(pos), name, name)
			}
		}
	}
	if found == 0 {
		t.Error("no schema was found")
	}
}

// generated tells schema.Of[T]().
func generated(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	x, ok := call.Fun.(*ast.IndexExpr)
	return ok && isSelector(x.X, "schema", "Of")
}
