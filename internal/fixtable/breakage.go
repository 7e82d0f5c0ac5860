package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// kinds of breakage, one of each for a seed, in this order.
func kinds() []string {
	return []string{"import removed", "import unused", "missing return", "missing return values", "unused variable", "misspelt package", "duplicate case"}
}

// splice is one way to break a file: bytes [start, end) become text. sign is
// what the compiler says of it, in part.
type splice struct {
	file       string
	start, end int
	text, sign string
}

// broken is one breakage that was made.
type broken struct{ kind, file, sign string }

// breakModule breaks dir's packages by seed, each kind once, in files of their
// own as far as there are enough.
func breakModule(dir string, seed int64) ([]broken, error) {
	files, err := sources(dir)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewSource(seed))
	rng.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	var done []broken
	for _, kind := range kinds() {
		for i, f := range files {
			options, err := candidates(f, kind)
			if err != nil {
				return nil, err
			}
			if len(options) == 0 {
				continue
			}
			s := options[rng.Intn(len(options))]
			src, err := os.ReadFile(f)
			if err != nil {
				return nil, err
			}
			out := string(src[:s.start]) + s.text + string(src[s.end:])
			if err := os.WriteFile(f, []byte(out), 0o644); err != nil {
				return nil, err
			}
			done = append(done, broken{kind, f, s.sign})
			files = append(append(files[:i:i], files[i+1:]...), f) // the next kind takes another file first
			break
		}
	}
	return done, nil
}

// sources lists the Go files that this platform builds: no tests, no build
// constraints, no test data.
func sources(dir string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != dir && (name == "testdata" || name == "internal" || name == "cmd" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil && path != dir {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.Count(name, "_") > 0 || strings.Contains(string(src), "//go:build") || strings.Contains(string(src), "\npackage main") {
			return nil
		}
		out = append(out, path)
		return nil
	})
	sort.Strings(out)
	return out, err
}

func candidates(path, kind string) ([]splice, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	at := func(p token.Pos) int { return fset.Position(p).Offset }
	var out []splice
	add := func(start, end token.Pos, text, sign string) {
		out = append(out, splice{path, at(start), at(end), text, sign})
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			if kind == "import removed" && n.Tok == token.IMPORT && n.Lparen.IsValid() {
				for _, s := range n.Specs {
					if imp := s.(*ast.ImportSpec); imp.Name == nil {
						add(imp.Pos(), imp.End(), "", "undefined: "+lastElement(imp.Path.Value))
					}
				}
			}
			if kind == "import unused" && n.Tok == token.IMPORT {
				add(n.Pos(), n.Pos(), "import \"container/ring\"\n\n", `"container/ring" imported and not used`)
			}
		case *ast.FuncDecl:
			out = append(out, inFunc(path, kind, n, at)...)
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && kind == "misspelt package" && imported(f, id.Name) {
				wrong := id.Name + id.Name[len(id.Name)-1:]
				add(id.Pos(), id.End(), wrong, "undefined: "+wrong)
			}
		case *ast.SwitchStmt:
			if kind != "duplicate case" || n.Tag == nil {
				return true
			}
			for _, s := range n.Body.List {
				c := s.(*ast.CaseClause)
				if len(c.List) == 0 {
					continue
				}
				if lit, ok := c.List[0].(*ast.BasicLit); ok {
					add(c.Pos(), c.Pos(), fmt.Sprintf("case %s:\n", lit.Value), "duplicate case "+lit.Value)
				}
			}
		}
		return true
	})
	return out, nil
}

func inFunc(path, kind string, n *ast.FuncDecl, at func(token.Pos) int) []splice {
	if n.Body == nil || len(n.Body.List) == 0 {
		return nil
	}
	switch last := n.Body.List[len(n.Body.List)-1].(type) {
	case *ast.ReturnStmt:
		if n.Type.Results == nil || len(last.Results) == 0 {
			return nil
		}
		switch kind {
		case "missing return":
			return []splice{{path, at(last.Pos()), at(last.End()), "", "missing return"}}
		case "missing return values":
			return []splice{{path, at(last.Pos()), at(last.End()), "return", "not enough return values"}}
		}
	}
	if kind == "unused variable" {
		p := at(n.Body.Lbrace) + 1
		return []splice{{path, p, p, "\n\tforgotten := 1\n", "declared and not used: forgotten"}}
	}
	return nil
}

// imported tells whether name is the last element of an import of f.
func imported(f *ast.File, name string) bool {
	for _, imp := range f.Imports {
		if imp.Name == nil && lastElement(imp.Path.Value) == name {
			return true
		}
	}
	return false
}

func lastElement(quoted string) string {
	p, err := strconv.Unquote(quoted)
	if err != nil {
		return ""
	}
	return p[strings.LastIndexByte(p, '/')+1:]
}
