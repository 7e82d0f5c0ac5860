package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestBreakingIsSeededAndBreaksTheBuild(t *testing.T) {
	write := func(dir string) {
		t.Helper()
		src := "package p\n\nimport (\n\t\"fmt\"\n\t\"strings\"\n)\n\nfunc F(s string) string {\n\tswitch s {\n\tcase \"a\":\n\t\tfmt.Println(s)\n\t}\n\treturn strings.ToUpper(s)\n}\n"
		for _, name := range []string{"a.go", "b.go", "c.go", "d.go", "e.go", "f.go", "g.go"} {
			text := "package p\n" + src[len("package p\n"):]
			text = text[:len(text)-2] + "}\n"
			text = replaceFunc(text, name[:1])
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module p\n\ngo 1.26\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	one, two := t.TempDir(), t.TempDir()
	write(one)
	write(two)
	if errs := compile(one); len(errs) != 0 {
		t.Fatalf("the module is whole before: %v", errs)
	}
	a, err := breakModule(one, 7)
	if err != nil {
		t.Fatal(err)
	}
	b, err := breakModule(two, 7)
	if err != nil {
		t.Fatal(err)
	}
	if len(a) != len(kinds()) {
		t.Fatalf("one of each kind: %v", a)
	}
	for i := range a {
		if a[i].kind != b[i].kind || filepath.Base(a[i].file) != filepath.Base(b[i].file) || a[i].sign != b[i].sign {
			t.Fatalf("one seed, one breakage: %v %v", a, b)
		}
	}
	errs := compile(one)
	for _, b := range a {
		if !slices.ContainsFunc(errs, func(e string) bool { return strings.Contains(e, b.sign) }) {
			t.Errorf("%v is no error of the compiler: %v", b, errs)
		}
	}
}

func replaceFunc(src, letter string) string {
	out := []byte(src)
	for i := range out {
		if i > 5 && string(out[i-5:i+1]) == "func F" {
			out[i] = letter[0] - 'a' + 'A'
		}
	}
	return string(out)
}
