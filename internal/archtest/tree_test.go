package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
)

type file struct {
	path  string // from the top
	src   string
	ast   *ast.File
	lines int
}

type pkg struct {
	path    string // from the top, slashes
	files   []file // without tests
	imports []string
}

func (p pkg) lines() int {
	n := 0
	for _, f := range p.files {
		n += f.lines
	}
	return n
}

var fset = token.NewFileSet()

// top is the module's folder.
func top(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// packages parses every Go file of the module that is no test and no test data.
func packages(t *testing.T) []pkg {
	t.Helper()
	root := top(t)
	byPath := map[string]*pkg{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if name == "testdata" || name == "node_modules" || name == "editors" || name == "devtools" || strings.HasPrefix(name, ".") && path != root {
				return fs.SkipDir
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
		tree, err := parser.ParseFile(fset, path, src, parser.ParseComments)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		dir := filepath.ToSlash(filepath.Dir(rel))
		p := byPath[dir]
		if p == nil {
			p = &pkg{path: dir}
			byPath[dir] = p
		}
		p.files = append(p.files, file{filepath.ToSlash(rel), string(src), tree, strings.Count(string(src), "\n")})
		for _, imp := range tree.Imports {
			s, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				return err
			}
			p.imports = append(p.imports, s)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var out []pkg
	for _, p := range byPath {
		sort.Strings(p.imports)
		out = append(out, *p)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].path < out[j].path })
	if len(out) < 8 {
		t.Fatalf("only %d packages found: the walk is broken", len(out))
	}
	return out
}
