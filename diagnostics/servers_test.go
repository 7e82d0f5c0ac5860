package diagnostics

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"companion/diagnostics/preset"
	"companion/text"
	"companion/tools"
	"companion/workspace"
)

// env is the environment for servers: tools of the developer cache first, no
// module downloads.
func env(t testing.TB) []string {
	t.Helper()
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			t.Fatal(err)
		}
		cache = filepath.Join(home, ".cache")
	}
	dev := filepath.Join(cache, "companion-dev")
	path := strings.Join([]string{filepath.Join(dev, "bin"), filepath.Join(dev, "npm", "node_modules", ".bin"), os.Getenv("PATH")}, string(os.PathListSeparator))
	return append(os.Environ(), "PATH="+path, "GOFLAGS=-mod=mod", "GOPROXY=off", "GOTOOLCHAIN=local")
}

// need skips, loudly, when a server is not installed.
func need(t testing.TB, command string) {
	t.Helper()
	if _, err := preset.LookPath(command, env(t)); err != nil {
		t.Skipf("SKIPPED: %s is not installed: the real server was not tested", command)
	}
}

// project writes files into a temporary folder that is the only root, headless.
func project(t testing.TB, files map[string]string) (*workspace.Workspace, func(name string) string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.New(workspace.Options{Roots: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	return ws, func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
}

// start gives a service that ends with the test.
func start(t testing.TB, o Options) *Service {
	t.Helper()
	s := New(o)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = s.Close(ctx)
	})
	return s
}

// write changes a file as the edit tools do and gives the call as the barrier
// sees it.
func write(t testing.TB, ws *workspace.Workspace, path, after string) tools.Finished {
	t.Helper()
	snap, err := ws.Read(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	ch := workspace.Change{Kind: workspace.Modify, Path: path, Base: snap.Hash, Before: snap.Text, After: after}
	if !snap.Exists {
		ch = workspace.Change{Kind: workspace.Create, Path: path, After: after}
	}
	if _, err := ws.Apply(t.Context(), "test", []workspace.Change{ch}); err != nil {
		t.Fatal(err)
	}
	return tools.Finished{
		Inv: &tools.Invocation{Call: tools.Call{Thread: "t1", ID: path}},
		Result: &tools.Result{Outcome: tools.OK, Text: "Wrote it.", Changed: []tools.Change{
			{Path: path, Before: snap.Text, After: after, Created: !snap.Exists},
		}},
	}
}

// step runs one edit through the barrier.
func step(t testing.TB, s *Service, path, after string) *tools.Result {
	t.Helper()
	f := write(t, s.ws, path, after)
	s.AfterStep(t.Context(), []tools.Finished{f})
	if f.Result.Report == nil {
		t.Fatalf("the edit of %s got no report", path)
	}
	return f.Result
}

const (
	goodGo = "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(double(2))\n}\n\nfunc double(n int) int { return 2 * n }\n"
	badGo  = "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(double(2))\n\tx := 1\n}\n\nfunc double(n int) int { return 2 * n }\n"
)

func TestServersGoplsTellsWhatAnEditBrokeAndFixed(t *testing.T) {
	need(t, "gopls")
	ws, at := project(t, map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n", "main.go": goodGo})
	s := start(t, Options{Workspace: ws, Env: env(t)})
	s.Open(at("main.go"))
	rep, items, err := s.Diagnostics(t.Context(), []string{at("main.go")}, tools.Warning)
	if err != nil || rep.Status != tools.Complete || len(items) != 0 {
		t.Fatalf("before: %+v %v %v", rep, items, err)
	}
	r := step(t, s, at("main.go"), badGo)
	if r.Report.Status != tools.Complete || len(r.Report.New) != 1 || r.Report.New[0].Range.Start != (text.Position{Line: 6, Character: 1}) {
		t.Fatalf("after breaking: %+v\n%s", r.Report, r.Text)
	}
	if !strings.Contains(r.Text, "main.go:7:2: error: declared and not used: x [compiler UnusedVar]") {
		t.Fatalf("the text does not say it:\n%s", r.Text)
	}
	r = step(t, s, at("main.go"), goodGo)
	if r.Report.Status != tools.Complete || len(r.Report.New) != 0 || len(r.Report.Fixed) != 1 {
		t.Fatalf("after repair: %+v\n%s", r.Report, r.Text)
	}
	if runtime.GOOS == "linux" {
		t.Log(r.Text)
	}
}

func TestServersGoplsTellsOtherFiles(t *testing.T) {
	need(t, "gopls")
	files := map[string]string{
		"go.mod":   "module example.com/m\n\ngo 1.24\n",
		"lib/l.go": "package lib\n\nfunc Double(n int) int { return 2 * n }\n",
	}
	users := []string{"a", "b", "c", "d", "e"}
	for _, u := range users {
		files[u+"/"+u+".go"] = "package " + u + "\n\nimport \"example.com/m/lib\"\n\nvar V = lib.Double(2)\n"
	}
	ws, at := project(t, files)
	s := start(t, Options{Workspace: ws, Env: env(t)})
	rep, _, err := s.Diagnostics(t.Context(), []string{at("lib/l.go"), at("a/a.go")}, tools.Warning)
	if err != nil || rep.Status != tools.Complete {
		t.Fatalf("before: %+v %v", rep, err)
	}
	r := step(t, s, at("lib/l.go"), "package lib\n\nfunc Double(n string) string { return n }\n")
	seen := map[string]bool{}
	for _, d := range r.Report.New {
		seen[s.rel(d.Path)] = true
	}
	for _, u := range users {
		if !seen[u+"/"+u+".go"] {
			t.Errorf("nothing was told of %s", u)
		}
	}
	t.Logf("%d ms\n%s", r.Report.SettleMs, r.Text)
	r = step(t, s, at("lib/l.go"), files["lib/l.go"])
	if len(r.Report.Fixed) != len(users) || len(r.Report.New) != 0 {
		t.Errorf("repaired: %+v\n%s", r.Report, r.Text)
	}
	t.Logf("%d ms\n%s", r.Report.SettleMs, r.Text)
}

func TestServersGoplsForgetsNoDependentAndTellsNothingStale(t *testing.T) {
	need(t, "gopls")
	const users, rounds = 18, 20
	good, bad := "package lib\n\nfunc Double(n int) int { return 2 * n }\n", "package lib\n\nfunc Double(n string) string { return n }\n"
	files := map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n", "lib/l.go": good}
	for i := range users {
		files[fmt.Sprintf("u%02d/u.go", i)] = "package u\n\nimport \"example.com/m/lib\"\n\nvar V = lib.Double(2)\n"
	}
	ws, at := project(t, files)
	s := start(t, Options{Workspace: ws, Env: env(t), Bounds: Bounds{Soft: 10 * time.Second, Hard: 20 * time.Second}})
	if rep, items, err := s.Diagnostics(t.Context(), []string{at("lib/l.go")}, tools.Warning); err != nil || rep.Status != tools.Complete || len(items) != 0 {
		t.Fatalf("%+v %v %v", rep, items, err)
	}
	for i := range rounds {
		if r := step(t, s, at("lib/l.go"), bad); r.Report.Status != tools.Complete || len(r.Report.New) != users || len(r.Report.Fixed) != 0 {
			t.Fatalf("round %d, broken: %s, %d new, %d fixed\n%s", i, r.Report.Status, len(r.Report.New), len(r.Report.Fixed), r.Text)
		}
		if r := step(t, s, at("lib/l.go"), good); r.Report.Status != tools.Complete || len(r.Report.New) != 0 || len(r.Report.Fixed) != users {
			t.Fatalf("round %d, repaired: %s, %d new, %d fixed\n%s", i, r.Report.Status, len(r.Report.New), len(r.Report.Fixed), r.Text)
		}
	}
}

func TestServersGoplsQuickFix(t *testing.T) {
	need(t, "gopls")
	ws, at := project(t, map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n", "main.go": "package main\n\nfunc main() {\n\tfmt.Println(1)\n}\n"})
	s := start(t, Options{Workspace: ws, Env: env(t)})
	_, items, err := s.Diagnostics(t.Context(), []string{at("main.go")}, tools.Error)
	if err != nil || len(items) != 1 {
		t.Fatalf("%v %v", items, err)
	}
	actions, err := s.CodeActions(t.Context(), at("main.go"), items[0].Range, []string{"quickfix", "source.organizeImports"})
	if err != nil || len(actions) == 0 {
		t.Fatalf("%v %v", actions, err)
	}
	t.Logf("%+v", actions)
	edits, err := s.ResolveAction(t.Context(), at("main.go"), actions[0].ID)
	if err != nil || len(edits) != 1 || edits[0].Path != at("main.go") {
		t.Fatalf("%+v %v", edits, err)
	}
	x := text.NewIndex("package main\n\nfunc main() {\n\tfmt.Println(1)\n}\n")
	byOffset, err := text.ByOffset(x, edits[0].Edits, text.UTF16)
	if err != nil {
		t.Fatal(err)
	}
	after, err := text.Apply(x.Text(), byOffset)
	if err != nil || !strings.Contains(after, "import \"fmt\"") {
		t.Fatalf("%s %v", after, err)
	}
	if r := step(t, s, at("main.go"), after); len(r.Report.Fixed) != 1 || r.Report.Status != tools.Complete {
		t.Fatalf("%+v\n%s", r.Report, r.Text)
	}
}

func TestServersTypeScript(t *testing.T) {
	need(t, "typescript-language-server")
	ws, at := project(t, map[string]string{
		"tsconfig.json": `{"compilerOptions":{"strict":true,"module":"esnext","target":"es2022","types":[]},"include":["*.ts"]}`,
		"lib.ts":        "export function double(n: number): number { return 2 * n; }\n",
		"use.ts":        "import { double } from './lib';\nexport const v: number = double(2);\n",
		"far.ts":        "import { double } from './lib';\nexport const w: number = double(3);\n",
	})
	s := start(t, Options{Workspace: ws, Env: env(t)})
	rep, items, err := s.Diagnostics(t.Context(), []string{at("lib.ts"), at("use.ts")}, tools.Warning)
	if err != nil || rep.Status != tools.Complete || len(items) != 0 {
		t.Fatalf("before: %+v %v %v", rep, items, err)
	}
	t.Log(rep.Text)
	r := step(t, s, at("lib.ts"), "export function double(n: string): string { return n; }\nconst bad: number = 'x';\n")
	t.Logf("%d ms\n%s", r.Report.SettleMs, r.Text)
	if r.Report.Status != tools.Complete || len(r.Report.New) < 3 {
		t.Errorf("%+v", r.Report)
	}
	seen := map[string]bool{}
	for _, d := range r.Report.New {
		seen[s.rel(d.Path)] = true
	}
	if !seen["lib.ts"] || !seen["use.ts"] || !seen["far.ts"] {
		t.Errorf("told of %v", seen)
	}
	actions, err := s.CodeActions(t.Context(), at("lib.ts"), r.Report.New[0].Range, nil)
	t.Logf("%d actions, %v", len(actions), err)
	r = step(t, s, at("lib.ts"), "export function double(n: number): number { return 2 * n; }\n")
	t.Logf("%d ms\n%s", r.Report.SettleMs, r.Text)
	if len(r.Report.Fixed) < 3 || len(r.Report.New) != 0 {
		t.Errorf("%+v", r.Report)
	}
}

func TestServersTypeScriptKnowsWhatImportersHadBefore(t *testing.T) {
	need(t, "typescript-language-server")
	ws, at := project(t, map[string]string{
		"tsconfig.json": `{"compilerOptions":{"strict":true,"module":"esnext","target":"es2022","types":[]},"include":["*.ts"]}`,
		"lib.ts":        "export function double(n: number): number { return 2 * n; }\n",
		"far.ts":        "import { double } from './lib';\nexport const w: number = double(3);\nexport const old: number = 'was there';\n",
	})
	s := start(t, Options{Workspace: ws, Env: env(t)})
	s.Open(at("lib.ts"))
	// The importers are asked about in the background.
	for end := time.Now().Add(60 * time.Second); ; time.Sleep(10 * time.Millisecond) { // polls another process
		if cs := s.clients(at("far.ts")); len(cs) > 0 {
			if _, lists := cs[0].History(at("far.ts")); len(lists) > 0 {
				break
			}
		}
		if time.Now().After(end) {
			t.Fatal("the importer was not asked about")
		}
	}
	r := step(t, s, at("lib.ts"), "export function double(n: number): string { return '' + n; }\n")
	if len(r.Report.New) != 1 || r.Report.New[0].Path != at("far.ts") || r.Report.New[0].Range.Start.Line != 1 {
		t.Fatalf("%+v\n%s", r.Report, r.Text)
	}
}

func TestServersPyright(t *testing.T) {
	need(t, "pyright-langserver")
	ws, at := project(t, map[string]string{
		"pyproject.toml": "[project]\nname = 'm'\n",
		"lib.py":         "def double(n: int) -> int:\n    return 2 * n\n",
		"use.py":         "from lib import double\nv: int = double(2)\n",
	})
	s := start(t, Options{Workspace: ws, Env: env(t)})
	rep, items, err := s.Diagnostics(t.Context(), []string{at("lib.py"), at("use.py")}, tools.Warning)
	if err != nil || rep.Status != tools.Complete || len(items) != 0 {
		t.Fatalf("before: %+v %v %v", rep, items, err)
	}
	t.Log(rep.Text)
	r := step(t, s, at("lib.py"), "def double(n: str) -> str:\n    return n\nx: int = 'a'\n")
	t.Logf("%d ms\n%s", r.Report.SettleMs, r.Text)
	if r.Report.Status != tools.Complete || len(r.Report.New) < 2 {
		t.Errorf("%+v", r.Report)
	}
	r = step(t, s, at("lib.py"), "def double(n: int) -> int:\n    return 2 * n\n")
	t.Logf("%d ms\n%s", r.Report.SettleMs, r.Text)
	if len(r.Report.Fixed) < 2 || len(r.Report.New) != 0 {
		t.Errorf("%+v", r.Report)
	}
}

func TestServersClangd(t *testing.T) {
	need(t, "clangd")
	ws, at := project(t, map[string]string{
		"compile_flags.txt": "-Wall\n",
		"lib.h":             "#pragma once\nint twice(int n);\n",
		"use.c":             "#include \"lib.h\"\nint v(void) { return twice(2); }\n",
	})
	s := start(t, Options{Workspace: ws, Env: env(t)})
	rep, items, err := s.Diagnostics(t.Context(), []string{at("lib.h"), at("use.c")}, tools.Warning)
	if err != nil || rep.Status != tools.Complete || len(items) != 0 {
		t.Fatalf("before: %+v %v %v", rep, items, err)
	}
	t.Log(rep.Text)
	r := step(t, s, at("use.c"), "#include \"lib.h\"\nint v(void) { return twice(2) }\n")
	t.Logf("%d ms\n%s", r.Report.SettleMs, r.Text)
	if r.Report.Status != tools.Complete || len(r.Report.New) != 1 {
		t.Errorf("%+v", r.Report)
	}
	r = step(t, s, at("use.c"), "#include \"lib.h\"\nint v(void) { return twice(2); }\n")
	if len(r.Report.Fixed) != 1 || len(r.Report.New) != 0 {
		t.Errorf("%+v", r.Report)
	}
	r = step(t, s, at("lib.h"), "#pragma once\nint twice(int n, int m);\n")
	t.Logf("%d ms\n%s", r.Report.SettleMs, r.Text)
	if len(r.Report.New) != 1 {
		t.Errorf("the includer was not told: %+v", r.Report)
	}
}

func TestServersGoplsTellsTheWholeProjectFromACleanStart(t *testing.T) {
	need(t, "gopls")
	ws, at := project(t, map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.24\n", "a/a.go": "package a\n", "z/z.go": "package z\n\nvar X int = \"no\"\n",
	})
	s := start(t, Options{Workspace: ws, Env: env(t)})
	rep, items, err := s.Diagnostics(t.Context(), nil, tools.Warning)
	if err != nil || rep.Status != tools.Complete || len(items) != 1 || items[0].Path != at("z/z.go") {
		t.Fatalf("%+v %+v %v", rep, items, err)
	}
	if !strings.Contains(rep.Text, "z/z.go:3:13: error: ") {
		t.Fatal(rep.Text)
	}
}

// No list of an older text is ever told for the newer one, whatever the speed
// of edits: each text has its own error, which names it.
func TestServersGoplsRapidEditsAreNeverToldStale(t *testing.T) {
	need(t, "gopls")
	ws, at := project(t, map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n", "main.go": goodGo})
	s := start(t, Options{Workspace: ws, Env: env(t), Bounds: Bounds{Hard: 20 * time.Second}})
	if rep, _, err := s.Diagnostics(t.Context(), []string{at("main.go")}, tools.Warning); err != nil || rep.Status != tools.Complete {
		t.Fatalf("%+v %v", rep, err)
	}
	told := 0
	for i := range 200 {
		src := strings.Replace(goodGo, "double(2)", fmt.Sprintf("undefined%d", i), 1)
		f := write(t, s.ws, at("main.go"), src)
		if i%3 == 1 {
			continue // the next edit comes before the answer
		}
		s.AfterStep(t.Context(), []tools.Finished{f})
		for _, d := range f.Result.Report.New {
			if told++; d.Message != fmt.Sprintf("undefined: undefined%d", i) {
				t.Fatalf("edit %d was told %q", i, d.Message)
			}
		}
		if f.Result.Report.Status == tools.Complete && len(f.Result.Report.New) != 1 {
			t.Fatalf("edit %d: complete, but %d new\n%s", i, len(f.Result.Report.New), f.Result.Text)
		}
	}
	if told == 0 {
		t.Fatal("nothing was told at all")
	}
}
