package search

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// HB-059: brackets and parentheses in names are no patterns where there is
// something of that name.
func TestHB059NamesWithBracketsAreNames(t *testing.T) {
	r := build(t, map[string]string{
		"app/(auth)/[id]/page.tsx": "hit", "app/[[...slug]]/p.tsx": "hit", "app/[id]/page.tsx": "hit", "app/i/page.tsx": "hit", "app/[...all]/x.tsx": "hit", "{a,b}/f": "hit", "q?/f": "hit", "a*/f": "hit", "ab/f": "hit",
	})
	for _, c := range []struct{ pattern, want string }{
		{"app/[id]/**", "app/[id]/page.tsx"},
		{"app/(auth)/**", "app/(auth)/[id]/page.tsx"},
		{"app/(auth)/[id]/*.tsx", "app/(auth)/[id]/page.tsx"},
		{"app/[[...slug]]/**", "app/[[...slug]]/p.tsx"},
		{"app/[[...slug]]/p.tsx", "app/[[...slug]]/p.tsx"},
		{"app/[...all]/*", "app/[...all]/x.tsx"},
		{"app/[hi]/*.tsx", "app/i/page.tsx"}, // no such name: a class
		{"**/[id]/page.tsx", "app/(auth)/[id]/page.tsx app/[id]/page.tsx app/i/page.tsx"},
		{"**/[[...slug]]/*", "app/[[...slug]]/p.tsx"},
		{"[[...slug]]", ""},
		{"{a,b}/f", "{a,b}/f"},
		{"a*/f", "a*/f"},
		{"q?/*", "q?/f"},
		{"app/[id]", "app/[id]/page.tsx"},
		{"app/[z-a]/*", ""},
		{"[", ""},
	} {
		got := r.glob(args{"pattern": c.pattern})
		names, _, _ := strings.Cut(strings.ReplaceAll(got, "\n", " "), " (")
		if c.want == "" && !strings.HasPrefix(got, "No file matches") || c.want != "" && sorted(names) != c.want {
			t.Errorf("%s: %s\nwant %s", c.pattern, got, c.want)
		}
	}
	for path, want := range map[string]string{"app/[id]": "app/[id]/page.tsx:1:hit\n(1 hit", "app/(auth)": "app/(auth)/[id]/page.tsx:1:hit\n(1", "app/[[...slug]]/p.tsx": "app/[[...slug]]/p.tsx:1:hit\n(1"} {
		if got := r.grep(args{"pattern": "hit", "path": path}); !strings.HasPrefix(got, want) {
			t.Errorf("grep in %s: %s", path, got)
		}
	}
	for pattern, want := range map[string]string{"app/[id]/**": "app/[id]/page.tsx:1:hit\n(1 hit", "app/[[...slug]]/*": "app/[[...slug]]/p.tsx:1:hit\n(1"} {
		if got := r.grep(args{"pattern": "hit", "glob": pattern}); !strings.HasPrefix(got, want) {
			t.Errorf("grep of %s: %s", pattern, got)
		}
	}
}

func sorted(names string) string {
	f := strings.Fields(names)
	for i := range f {
		for j := i; j > 0 && f[j] < f[j-1]; j-- {
			f[j], f[j-1] = f[j-1], f[j]
		}
	}
	return strings.Join(f, " ")
}

func TestTheNewestFilesComeFirst(t *testing.T) {
	r := build(t, map[string]string{"a.go": "", "b.go": "", "c/d.go": "", "e.txt": ""})
	now := time.Now()
	for name, age := range map[string]time.Duration{"a.go": 3, "b.go": 1, "c/d.go": 2} {
		if err := os.Chtimes(filepath.Join(r.dir, name), now, now.Add(-age*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.glob(args{"pattern": "*.go"}); got != "b.go\nc/d.go\na.go\n(3 files.)\n" {
		t.Error(got)
	}
	if got := r.glob(args{"pattern": "**/*.go", "limit": 1, "offset": 1}); got != "c/d.go\n(Files 2 to 2 of 3 files, newest first. Go on with offset 2, or narrow the pattern.)\n" {
		t.Error(got)
	}
}

func TestPatternsOfNames(t *testing.T) {
	r := build(t, map[string]string{
		".gitignore": "out/\n", "out/gen.go": "", "package.json": "", "web/package.json": "", "web/.eslintrc": "", ".github/ci.yml": "", "caf\u00e9/a": "", "nai\u0308ve/b": "", "web/a b.txt": "", "web/a%20b.txt": "", "web/c+.txt": "", "x.d.ts": "", "v1.2/f": "",
	})
	for _, c := range []struct{ pattern, path, want string }{
		{"package.json", "", "package.json web/package.json"},
		{"web/package.json", "", "web/package.json"},
		{"./web/*.json", "", "web/package.json"},
		{"*.go", "", ""},
		{"out/*.go", "", "out/gen.go"},
		{"out", "", "out/gen.go"},
		{"*", "out", "out/gen.go"},
		{".eslintrc", "", "web/.eslintrc"},
		{"**/.eslint*", "", "web/.eslintrc"},
		{".github/**", "", ".github/ci.yml"},
		{"*.yml", ".github", ".github/ci.yml"},
		{"cafe\u0301/*", "", "caf\u00e9/a"},
		{"**/na\u00efve/b", "", "nai\u0308ve/b"},
		{"web/*%20*", "", "web/a%20b.txt"},
		{"web/c+.*", "", "web/c+.txt"},
		{"*.d.ts", "", "x.d.ts"},
		{"**/*.{json,ts}", "", "package.json web/package.json x.d.ts"},
		{"web/", "", "web/a%20b.txt web/a b.txt web/c+.txt web/package.json"},
		{"v1.2/*", "", "v1.2/f"},
		{"**", "web", "web/a%20b.txt web/a b.txt web/c+.txt web/package.json"},
	} {
		got := r.glob(args{"pattern": c.pattern, "path": c.path})
		var names []string
		for n := range strings.Lines(got) {
			if n = strings.TrimSuffix(n, "\n"); !strings.HasPrefix(n, "(") && !strings.HasPrefix(n, "No file") {
				names = append(names, n)
			}
		}
		want := strings.ReplaceAll(strings.ReplaceAll(c.want, "a b.txt", "a_b.txt"), " ", "\n")
		if sorted(strings.ReplaceAll(strings.Join(names, "\n"), "a b.txt", "a_b.txt")) != sorted(want) {
			t.Errorf("%s in %q: %s\nwant %s", c.pattern, c.path, got, c.want)
		}
	}
	for pattern, want := range map[string]string{"": "empty", "*/../x": "goes up", "nope/*.go": "No file matches"} {
		if got := r.glob(args{"pattern": pattern}); !strings.Contains(got, want) {
			t.Errorf("%q: %s", pattern, got)
		}
	}
}
