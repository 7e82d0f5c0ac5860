package walk

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree writes files below a new folder; a path that ends in a slash is a folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		put(t, dir, name, text)
	}
	return dir
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if strings.HasSuffix(name, "/") {
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func noEnv(string) string { return "" }

func list(dir string, o Options) []string {
	if o.Getenv == nil {
		o.Getenv = noEnv
	}
	var out []string
	for f := range Open(dir, o).Files(context.Background()) {
		out = append(out, f.Rel)
	}
	return out
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return string(out)
}

func needGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT RUN: git, which is the truth here, is not installed")
	}
}

// gitLists is what git thinks is not ignored, in our order, hidden files left out.
func gitLists(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	for f := range strings.SplitSeq(git(t, dir, "ls-files", "-z", "-o", "--exclude-standard"), "\x00") {
		if f != "" && !strings.HasPrefix(f, ".") && !strings.Contains(f, "/.") {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, Compare)
	return out
}

func TestIgnoreFilesAreReadAsGitReadsThem(t *testing.T) {
	needGit(t)
	files := map[string]string{}
	for _, d := range []string{"", "a/", "a/b/", "build/", "a/build/", "foo/", "foo/keep/", "x/foo/bar/", "docs/deep/er/"} {
		for _, f := range []string{"x.go", "y.log", "keep.log", "foo", "a b", "#c", "!d", "tail ", "b[1].txt", "z.min.js", "UP.TXT", "1.dat", "-x", `back\slash`} {
			files[d+"f/"+f], files[d+f+"_"] = "", ""
			if !files2dir(d + f) {
				files[d+f] = ""
			}
		}
	}
	dir := tree(t, files)
	git(t, dir, "init", "-q")
	for _, ignore := range []string{
		"*.log\n!keep.log\n", "build/\n", "/build\n", "foo/**\n!foo/keep\n", "foo/*\n!foo/keep/\n", "**/foo\n", "**/foo/**\n", "a/**/x.go\n", "a/**\n!a/b/\n",
		"foo\n!foo/\n", "/*\n!/a\n", "*\n!*/\n!*.go\n", "\\#c\n\\!d\n", "#c\n", "tail\\ \n", "tail \n", "b[[]1].txt\n", "[!a-w]*\n", "[^x]*.go\n", "?.dat\n", "[[:upper:]]*\n",
		"*.min.*\r\n", "a/b\n", "b/x.go\n", "/**/b/x.go\n", "x/**/bar\n", "foo**\n", "f**/x.go\n", "a/*/x.go\n", "\xef\xbb\xbfbuild\n", "[\n*.log\n", "[z-a]\n", "-x\n", "back\\\\slash\n", "/\n", "!\n", "*.go/\n", "docs/*/er\n", "docs/**/er/\n",
		"*\n", "a b\n", "f/*\n!f/x.go\n", "**\n!x.go\n", "***/x.go\n", "a/**b/x.go\n",
	} {
		put(t, dir, ".gitignore", ignore)
		if got, want := list(dir, Options{}), gitLists(t, dir); !slices.Equal(got, want) {
			t.Errorf("%q:\n%s", ignore, differs(got, want))
		}
	}
}

// files2dir tells whether the tree above has a folder of that name.
func files2dir(name string) bool { return name == "foo" || name == "x/foo" }

func differs(got, want []string) string {
	var b strings.Builder
	for _, g := range got {
		if !slices.Contains(want, g) {
			fmt.Fprintf(&b, "  only we: %q\n", g)
		}
	}
	for _, w := range want {
		if !slices.Contains(got, w) {
			fmt.Fprintf(&b, "  only git: %q\n", w)
		}
	}
	if b.Len() == 0 {
		return fmt.Sprintf("  another order:\n  %q\n  %q", got, want)
	}
	return b.String()
}

// Random trees with random ignore files at random depths.
func TestRandomIgnoreFilesAreReadAsGitReadsThem(t *testing.T) {
	needGit(t)
	r := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "b", "ab", "c.x", "d.y", "a.x"}
	atoms := []string{"a", "b", "ab", "*", "**", "?", "*.x", "[ab]", "a*", "*b", "c.x", "d.?", "[!a]*", "\\a", "**a"}
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	for round := range 30 {
		files := map[string]string{}
		var dirs []string
		var grow func(dir string, depth int)
		grow = func(dir string, depth int) {
			dirs = append(dirs, dir)
			for _, n := range names {
				if depth < 3 && r.IntN(3) == 0 {
					grow(dir+n+"/", depth+1)
				} else {
					files[dir+n] = ""
				}
			}
		}
		grow("", 0)
		for range 1 + r.IntN(3) {
			var b strings.Builder
			for range 1 + r.IntN(4) {
				if r.IntN(3) == 0 {
					b.WriteString("!")
				}
				if r.IntN(4) == 0 {
					b.WriteString("/")
				}
				b.WriteString(pick(atoms))
				for range r.IntN(3) {
					b.WriteString("/" + pick(atoms))
				}
				if r.IntN(4) == 0 {
					b.WriteString("/")
				}
				b.WriteString("\n")
			}
			files[pick(dirs)+".gitignore"] = b.String()
		}
		dir := tree(t, files)
		git(t, dir, "init", "-q")
		got, want := list(dir, Options{}), gitLists(t, dir)
		if !slices.Equal(got, want) {
			var rules []string
			for f, text := range files {
				if text != "" {
					rules = append(rules, fmt.Sprintf("%s: %q", f, text))
				}
			}
			t.Fatalf("round %d, %v:\n%s", round, rules, differs(got, want))
		}
		// What the walk comes by and what Visible says is one thing.
		tr := Open(dir, Options{Getenv: noEnv})
		for f := range files {
			if tr.Visible(f) != slices.Contains(got, f) {
				t.Fatalf("Visible(%q) is %v, the walk says otherwise", f, tr.Visible(f))
			}
		}
		// From a folder below, the rules above still count.
		below := pick(dirs)
		if below == "" {
			continue
		}
		var sub []string
		for _, w := range want {
			if rest, ok := strings.CutPrefix(w, below); ok {
				sub = append(sub, rest)
			}
		}
		tr = Open(filepath.Join(dir, below), Options{Getenv: noEnv})
		if got := list(filepath.Join(dir, below), Options{}); !tr.All() && !slices.Equal(got, sub) {
			t.Fatalf("from %s:\n%s", below, differs(got, sub))
		}
	}
}

func TestExcludesOfTheRepositoryAndOfThePersonCount(t *testing.T) {
	dir := tree(t, map[string]string{
		"r/.git/info/exclude": "secretly\n*.tmp\n", "r/.git/HEAD": "", "r/secretly": "", "r/a.tmp": "", "r/b.bak": "", "r/c.own": "", "r/x.xdg": "",
		"r/.gitignore": "!c.own\n", "r/sub/.git/HEAD": "", "r/sub/a.tmp": "", "r/sub/b.bak": "",
		"home/.gitconfig": "[user]\n\texcludesfile = no\n[core]\n\texcludesFile = ~/mine # comment\n", "home/mine": "*.bak\n*.own\n",
		"xdg/git/ignore": "*.xdg\n", "linked/.git": "gitdir: ../r/.git/worktrees/l\n", "r/.git/worktrees/l/commondir": "../..\n", "linked/a.tmp": "", "linked/z": "",
	})
	env := func(vars map[string]string) func(string) string {
		return func(k string) string {
			if k == "GIT_CONFIG_NOSYSTEM" {
				return "1"
			}
			return vars[k]
		}
	}
	home, xdg := filepath.Join(dir, "home"), filepath.Join(dir, "xdg")
	for _, c := range []struct {
		root string
		env  map[string]string
		want string
	}{
		{"r", nil, "b.bak c.own sub/a.tmp sub/b.bak x.xdg"},
		{"r", map[string]string{"HOME": home}, "c.own sub/a.tmp x.xdg"},
		{"r", map[string]string{"XDG_CONFIG_HOME": xdg}, "b.bak c.own sub/a.tmp sub/b.bak"},
		{"linked", nil, "z"},
	} {
		if got := strings.Join(list(filepath.Join(dir, c.root), Options{Getenv: env(c.env)}), " "); got != c.want {
			t.Errorf("%s, %v: %s, want %s", c.root, c.env, got, c.want)
		}
	}
}

func TestHiddenAndIgnoredFilesOnRequest(t *testing.T) {
	dir := tree(t, map[string]string{".git/x": "", ".gitignore": "out/\n", ".h": "", ".d/f": "", "out/f": "", "out/.g": "", "a": "", "sub/.git/y": "", "sub/b": ""})
	for _, c := range []struct {
		o    Options
		at   string
		want string
	}{
		{Options{}, "", "a sub/b"},
		{Options{Hidden: true}, "", ".d/f .gitignore .h a sub/b"},
		{Options{Ignored: true}, "", "a out/f sub/b"},
		{Options{Hidden: true, Ignored: true}, "", ".d/f .gitignore .h a out/.g out/f sub/b"},
		{Options{}, "out", "f"}, // asked for by name
		{Options{}, ".d", "f"},
	} {
		if got := strings.Join(list(filepath.Join(dir, c.at), c.o), " "); got != c.want {
			t.Errorf("%+v in %q: %s, want %s", c.o, c.at, got, c.want)
		}
	}
}

func TestAFolderWithoutGitHonoursIgnoreFilesFromItsTop(t *testing.T) {
	dir := tree(t, map[string]string{"w/.gitignore": "*.log\n/sub/only\n", "w/a.log": "", "w/b": "", "w/sub/c.log": "", "w/sub/only": "", "w/sub/d": "", ".gitignore": "*\n"})
	w := filepath.Join(dir, "w")
	if got := strings.Join(list(w, Options{}), " "); got != "b sub/d" {
		t.Errorf("the top: %s", got)
	}
	if got := strings.Join(list(filepath.Join(w, "sub"), Options{Top: w}), " "); got != "d" {
		t.Errorf("below it: %s", got)
	}
}

func TestAWalkInOrderEndsWhenItIsToldTo(t *testing.T) {
	files := map[string]string{}
	for i := range 20 {
		for j := range 15 {
			files[fmt.Sprintf("d%d/e%d/f", i, j)] = ""
		}
	}
	files["d1.go"], files["d"] = "", ""
	dir := tree(t, files)
	all := list(dir, Options{})
	if len(all) != 302 || !slices.IsSortedFunc(all, Compare) {
		t.Fatalf("%d files, sorted %v", len(all), slices.IsSortedFunc(all, Compare))
	}
	n := 0
	for range Open(dir, Options{}).Files(context.Background()) {
		if n++; n == 10 {
			break
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n = 0
	for range Open(dir, Options{}).Files(ctx) {
		if n++; n == 10 {
			cancel()
		}
	}
	if n > 100 { // what one folder still held
		t.Errorf("%d files came after the stop", n)
	}
}

// An ignore file of a stranger costs no more than its length allows.
func TestPurposeMadePatternsEnd(t *testing.T) {
	for _, p := range []string{strings.Repeat("*a", 40) + "b", "x/" + strings.Repeat("**/*a*/", 20) + "b", strings.Repeat("**/a/", 30) + "b"} {
		if r, _ := parseLine(p); r.matches(strings.Repeat("a/", 120)+strings.Repeat("a", 250), strings.Repeat("a", 250), false) {
			t.Errorf("%s matches", p)
		}
	}
}

func FuzzWild(f *testing.F) {
	f.Add("a/**/b*[!c-", "a/x/bb")
	f.Add("[[:alpha:]]\\", "x")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		wild(pattern, path)
		if r, ok := parseLine(pattern); ok {
			r.matches(path, path, true)
		}
	})
}
