package pick

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestAPatternIsCutWhereItsNamesEnd(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"app/[id]/x", "app/[[...slug]]", "{a}"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(d)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for pattern, want := range map[string][2]string{
		"app/[id]/**": {"app/[id]", "**"}, "app/[[...slug]]/*.ts": {"app/[[...slug]]", "*.ts"}, "app/[ab]/x": {"app", "[ab]/x"},
		"{a}": {"{a}", ""}, "./app/": {"app", ""}, "none/x": {"", "none/x"}, "*": {"", "*"}, "app/../{a}/*": {"{a}", "*"},
	} {
		if name, rest := Literally(dir, pattern); name != want[0] || rest != want[1] {
			t.Errorf("%s: %q, %q", pattern, name, rest)
		}
	}
}

// What ripgrep is told of names leaves out no file that the filter takes.
func TestNamesForRipgrepAreNoNarrowerThanTheFilter(t *testing.T) {
	for pattern, want := range map[string][]string{
		"*.go": {"*.go"}, "src/**/*.{ts,tsx}": {"*.ts", "*.tsx"}, "Makefile": {"Makefile"}, "**/go.mod": {"go.mod"},
		"**": nil, "*": nil, "!*.go": nil, "a*b": nil, "[ab].go": nil, "*.{a,{b,c}}": nil, "*.g?": nil, "é*": nil, "*.ts,*.js": nil, "src/": nil,
	} {
		if got := NewFilter(t.TempDir(), "", pattern, nil).Names(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
	if got := NewFilter(t.TempDir(), "", "a/**", []string{"*.c"}).Names(); !slices.Equal(got, []string{"*.c"}) {
		t.Errorf("a kind and a glob: %q", got)
	}
}

func TestKindsAreNamesOrEndings(t *testing.T) {
	for name, globs := range types() {
		list, _, ok := Kind(name)
		if !ok || len(list) == 0 {
			t.Errorf("%s: %q", name, globs)
		}
	}
	for name, file := range map[string]string{"go": "x.go", "py": "x.pyi", "ts": "x.tsx", "js": "x.mjs", "rust": "x.rs", "java": "X.java", "c": "x.h", "cpp": "x.hpp", "md": "x.md", "json": "x.json", "yaml": "x.yml", "html": "x.html", "css": "x.css", "sh": "x.bash", ".mdx": "x.mdx", "Go": "x.go", "make": "Makefile"} {
		globs, _, ok := Kind(name)
		if !ok || !kindOf(globs, file) || kindOf(globs, "x.other") {
			t.Errorf("%s: %q, %v", name, globs, ok)
		}
	}
}
