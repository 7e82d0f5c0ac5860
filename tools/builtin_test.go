package tools_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"companion/tools"
	"companion/tools/edit"
	toolsfs "companion/tools/fs"
	"companion/tools/nav"
	"companion/tools/shell"
)

// builtin are the built-in tools; their specs need nothing of what they work on.
func builtin() []tools.Tool {
	return []tools.Tool{
		toolsfs.Read(nil), toolsfs.Write(nil), edit.New(nil), shell.ExecCommand(nil, []string{}), nav.Diagnostics(nil, nil), nav.LSP(nil, nil),
	}
}

// A tool's name is protocol: renamed = alias, retired = hidden, never deleted.
func TestShippedToolsKeepTheirNames(t *testing.T) {
	box := tools.NewRegistry(builtin()...).Box(tools.BoxOptions{})
	for _, name := range []string{"diagnostics", "edit", "exec_command", "lsp", "read", "write"} {
		if _, ok := box.Find(name); !ok {
			t.Errorf("%s is gone", name)
		}
	}
}

type property struct {
	Type        string
	Description string
	Properties  map[string]property
	Required    []string
	Items       *property
	Enum        []string
	Minimum     *float64
	Extra       *bool `json:"additionalProperties"`
}

func TestEachParameterSaysItsDefaultAndRange(t *testing.T) {
	for _, tool := range builtin() {
		spec := tool.Spec()
		t.Run(spec.Name, func(t *testing.T) {
			if len(spec.Description) < 80 || strings.TrimSpace(spec.Description) != spec.Description {
				t.Errorf("description %q", spec.Description)
			}
			if len(spec.Input) > 5000 {
				t.Errorf("the schema has %d bytes, over the budget of 5000", len(spec.Input))
			}
			var root property
			if err := json.Unmarshal(spec.Input, &root); err != nil {
				t.Fatal(err)
			}
			checkObject(t, spec.Name, root)
		})
	}
}

func checkObject(t *testing.T, at string, o property) {
	t.Helper()
	if o.Extra == nil || *o.Extra {
		t.Errorf("%s takes unknown properties", at)
	}
	for name, p := range o.Properties {
		where := at + "." + name
		if p.Description == "" {
			t.Errorf("%s has no description", where)
		}
		required := false
		for _, r := range o.Required {
			required = required || r == name
		}
		if !required && !strings.Contains(p.Description, "Default") {
			t.Errorf("%s is optional and does not say its default: %s", where, p.Description)
		}
		if p.Type == "integer" && (p.Minimum == nil || !regexp.MustCompile(`from 1|\d+ to \d+`).MatchString(p.Description)) {
			t.Errorf("%s is a number without its range: %s", where, p.Description)
		}
		switch {
		case p.Items != nil && p.Items.Type == "object":
			checkObject(t, where+"[]", *p.Items)
		case p.Type == "object":
			checkObject(t, where, p)
		}
	}
}

// Outside its own file no code may look at which tool it has before it: what
// differs between tools stands in their specs, effects and locks.
func TestNoCodeSwitchesOnAToolsName(t *testing.T) {
	names := map[string]bool{}
	for _, tool := range builtin() {
		names[tool.Spec().Name] = true
	}
	fset := token.NewFileSet()
	for _, dir := range []string{".", "../permission", "../agent", "../lspbridge", "../diagnostics", "../workspace", "../session", "../internal/app"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && (path == filepath.Join("..", "agent", "model") || d.Name() == "demo") { // models write names, they dispatch nothing
				return fs.SkipDir
			}
			if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			src, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			file, err := parser.ParseFile(fset, path, src, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				for _, lit := range compared(n) {
					if name, err := strconv.Unquote(lit.Value); err == nil && names[name] {
						t.Errorf("%s compares with the tool name %q", fset.Position(lit.Pos()), name)
					}
				}
				return true
			})
			return nil
		})
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
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
		return e.Name == "name" || e.Name == "tool" || e.Name == "toolName"
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
