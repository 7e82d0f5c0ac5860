package syntax

import (
	"strings"
	"testing"
)

func TestEnclosingFunction(t *testing.T) {
	if !Available() {
		if _, ok := Enclosing("go", "package p\nfunc f() {}\n", 15); ok {
			t.Fatal("found something without a parser")
		}
		return
	}
	for name, c := range map[string]struct{ lang, src, want string }{
		"go function":            {"go", "package p\n\nfunc f(a int) int {\n\treturn ‸a\n}\n", "f"},
		"go method":              {"main.go", "package p\n\nfunc (t *T) Get() int {\n\treturn ‸1\n}\n", "T.Get"},
		"go generic method":      {".go", "package p\n\nfunc (t *T[K, V]) Get() int {\n\treturn ‸1\n}\n", "T.Get"},
		"go closure":             {"go", "package p\n\nfunc f() {\n\tgo func() { ‸g() }()\n}\n", "f"},
		"go package level":       {"go", "package p\n\nvar x = ‸1\n", "-"},
		"go end of body":         {"go", "package p\n\nfunc f() {}‸\n", "f"},
		"go broken code":         {"go", "package p\n\nfunc f() {\n\tx := ‸(1\n}\n", "f"},
		"typescript function":    {"typescript", "export function f(a: number): number { return ‸a }\n", "f"},
		"typescript method":      {"a.ts", "class C { m(): void { ‸x() } }\n", "C.m"},
		"typescript arrow":       {"ts", "const f = (a: number) => { return ‸a };\n", "f"},
		"typescript field":       {"ts", "class C { f = () => { ‸x() } }\n", "C.f"},
		"typescript callback":    {"ts", "function f() { xs.map(x => ‸x) }\n", "f"},
		"tsx component":          {"tsx", "function App() { return <div>{‸x}</div> }\n", "App"},
		"javascript function":    {"js", "function f() { return ‸1 }\n", "f"},
		"python function":        {"python", "def f(a):\n    return ‸a\n", "f"},
		"python method":          {"a.py", "class C:\n    @dec\n    def m(self):\n        return ‸1\n", "C.m"},
		"python nested":          {"py", "def f():\n    def g():\n        return ‸1\n    return g\n", "g"},
		"python module level":    {"py", "x = ‸1\n", "-"},
		"a language without one": {"rust", "fn f() { ‸1 }\n", "-"},
		"unicode before":         {"go", "package p\n\n// 😀é\nfunc f() int { return ‸1 }\n", "f"},
	} {
		t.Run(name, func(t *testing.T) {
			at := strings.Index(c.src, "‸")
			src := strings.Replace(c.src, "‸", "", 1)
			f, ok := Enclosing(c.lang, src, at)
			got := f.Name
			if !ok {
				got = "-"
			}
			if got != c.want {
				t.Fatalf("got %q, want %q (%+v)", got, c.want, f)
			}
			if ok && (f.Start > at || f.End < at || f.StartLine != strings.Count(src[:f.Start], "\n") || f.EndLine != strings.Count(src[:f.End], "\n")) {
				t.Fatalf("%+v does not hold %d", f, at)
			}
		})
	}
}

func TestADecoratorBelongsToItsFunction(t *testing.T) {
	if !Available() {
		t.Skip("no parser in this build")
	}
	src := "@dec\ndef f():\n    return 1\n"
	f, ok := Enclosing("python", src, strings.Index(src, "return"))
	if !ok || f.Start != 0 {
		t.Fatalf("%+v %v", f, ok)
	}
}

func TestEnclosingTakesAnyOffset(t *testing.T) {
	src := "package p\n\nfunc f() { x() }\n"
	for i := -1; i <= len(src)+1; i++ {
		if f, ok := Enclosing("go", src, i); ok && (i < f.Start || i > f.End) {
			t.Fatalf("at %d: %+v", i, f)
		}
	}
}
