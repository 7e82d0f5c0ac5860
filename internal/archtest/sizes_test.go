package archtest

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

// The limits of docs/architecture.md, in lines.
const (
	maxFile    = 600
	maxFunc    = 100
	maxPackage = 1500
	maxMethods = 6
)

func TestNothingIsLargerThanItsLimit(t *testing.T) {
	for _, p := range packages(t) {
		if n := p.lines(); n > maxPackage {
			t.Errorf("package %s has %d lines, at most %d", p.path, n, maxPackage)
		}
		for _, f := range p.files {
			if f.lines > maxFile {
				t.Errorf("%s has %d lines, at most %d", f.path, f.lines, maxFile)
			}
			for _, d := range f.ast.Decls {
				checkDecl(t, f, d)
			}
		}
	}
}

func checkDecl(t *testing.T, f file, d ast.Decl) {
	t.Helper()
	switch d := d.(type) {
	case *ast.FuncDecl:
		n := fset.Position(d.End()).Line - fset.Position(d.Pos()).Line + 1
		if n > maxFunc {
			t.Errorf("%s: func %s has %d lines, at most %d", f.path, d.Name.Name, n, maxFunc)
		}
		if d.Recv == nil && d.Name.Name == "init" {
			t.Errorf("%s: init() registers or holds state; construct it in internal/app", f.path)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			ts, ok := s.(*ast.TypeSpec)
			if !ok {
				continue
			}
			it, ok := ts.Type.(*ast.InterfaceType)
			if !ok {
				continue
			}
			n := 0
			for _, m := range it.Methods.List {
				n += max(1, len(m.Names))
			}
			if n > maxMethods {
				t.Errorf("%s: interface %s has %d methods, at most %d", f.path, ts.Name.Name, n, maxMethods)
			}
		}
	}
}

func TestGoroutinesHaveAnOwner(t *testing.T) {
	for _, p := range packages(t) {
		if p.path == "lspbridge/rpc" {
			continue // the connection starts and joins its own
		}
		for _, f := range p.files {
			ast.Inspect(f.ast, func(n ast.Node) bool {
				if g, ok := n.(*ast.GoStmt); ok {
					t.Errorf("%s: bare go statement; use conc's WaitGroup or pool", fset.Position(g.Pos()))
				}
				return true
			})
		}
	}
}

func TestNoPackageLevelState(t *testing.T) {
	for _, p := range packages(t) {
		for _, f := range p.files {
			for _, d := range f.ast.Decls {
				g, ok := d.(*ast.GenDecl)
				if !ok || g.Tok != token.VAR {
					continue
				}
				for _, s := range g.Specs {
					if spec := s.(*ast.ValueSpec); len(spec.Values) == 0 && !embedded(g, spec) && spec.Names[0].Name != "_" {
						t.Errorf("%s: package variable %s waits to be set: no package-level mutable state", fset.Position(spec.Pos()), spec.Names[0].Name)
					}
				}
			}
		}
	}
}

// embedded tells of variables that "//go:embed" fills.
func embedded(g *ast.GenDecl, spec *ast.ValueSpec) bool {
	for _, doc := range []*ast.CommentGroup{g.Doc, spec.Doc} {
		if doc == nil {
			continue
		}
		for _, c := range doc.List {
			if strings.HasPrefix(c.Text, "//go:embed") {
				return true
			}
		}
	}
	return false
}
