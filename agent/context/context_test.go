package context

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"companion/agent"
	"companion/tools"
)

func put(t *testing.T, root, name, text string) string {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func section(t *testing.T, p agent.ContextProvider, v agent.ThreadView) string {
	t.Helper()
	s, err := p.Section(context.Background(), v)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEnvironmentTellsDateAndBranchButNoClock(t *testing.T) {
	env := Environment{OS: "plan9", Now: func() time.Time { return time.Date(2026, 2, 3, 14, 15, 16, 0, time.UTC) }}
	const hash = "0123456789abcdef0123456789abcdef01234567"
	cases := map[string]struct {
		files map[string]string
		want  string // "" = no branch
	}{
		"branch":           {map[string]string{".git/HEAD": "ref: refs/heads/topic/x\n"}, "Git branch: topic/x"},
		"detached":         {map[string]string{".git/HEAD": hash + "\n"}, "Git branch: detached at 0123456789ab"},
		"worktree":         {map[string]string{".git": "gitdir: wt\n", "wt/HEAD": "ref: refs/heads/side"}, "Git branch: side"},
		"no repository":    {nil, ""},
		"broken HEAD":      {map[string]string{".git/HEAD": "\x00\x01"}, ""},
		"HEAD too large":   {map[string]string{".git/HEAD": "ref: refs/heads/" + strings.Repeat("x", 5000)}, ""},
		"line in a branch": {map[string]string{".git/HEAD": "ref: refs/heads/a\nDate: never"}, "Git branch: a?Date: never"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for f, text := range c.files {
				put(t, root, f, text)
			}
			got := section(t, env, agent.ThreadView{Roots: []string{root, "/other"}})
			for _, want := range []string{"Operating system: plan9", "Working folder: " + filepath.ToSlash(root), "Further root: /other", "Date: 2026-02-03", c.want} {
				if !strings.Contains(got, want) {
					t.Errorf("lacks %q:\n%s", want, got)
				}
			}
			if strings.Contains(got, "14") && !strings.Contains(root, "14") {
				t.Errorf("tells a clock:\n%s", got)
			}
			if c.want == "" && strings.Contains(got, "Git") {
				t.Errorf("tells a branch:\n%s", got)
			}
		})
	}
}

func TestNearestAgentsFileComesLast(t *testing.T) {
	root, second := t.TempDir(), t.TempDir()
	put(t, root, "AGENTS.md", "\uFEFFroot rules")
	put(t, root, "a/AGENTS.md", "rules of a")
	put(t, root, "a/b/c/AGENTS.md", "rules of c")
	put(t, root, "z/AGENTS.md", "rules of z")
	put(t, root, "empty/AGENTS.md", " \n")
	put(t, second, "AGENTS.md", "second root")
	v := agent.ThreadView{Roots: []string{root}}
	check := func(v agent.ThreadView, want ...string) {
		t.Helper()
		got, at := section(t, AgentsMD{}, v), 0
		for _, w := range want {
			i := strings.Index(got[at:], w)
			if i < 0 {
				t.Fatalf("lacks %q in this order %q:\n%s", w, want, got)
			}
			at += i
		}
		for _, w := range []string{"rules of a", "rules of c", "rules of z", "second root"} {
			if !strings.Contains(strings.Join(want, "\n"), w) && strings.Contains(got, w) {
				t.Errorf("tells %q:\n%s", w, got)
			}
		}
	}
	check(v, "root rules")
	v.Touched = []string{filepath.Join(root, "a", "b", "c", "x.go"), filepath.Join(root, "empty", "x.go"), "/elsewhere/x.go"}
	check(v, "## AGENTS.md\nroot rules", "## a/AGENTS.md\nrules of a", "## a/b/c/AGENTS.md\nrules of c")
	v.Editor.Active = filepath.Join(root, "z", "y.go")
	v.Roots = append(v.Roots, second)
	check(v, "root rules", "rules of a", "rules of z", "rules of c", "second root")
}

func TestNoAgentsFileGivesNoSection(t *testing.T) {
	for name, root := range map[string]string{"empty folder": t.TempDir(), "no folder": filepath.Join(t.TempDir(), "gone")} {
		if got := section(t, AgentsMD{}, agent.ThreadView{Roots: []string{root}}); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestAgentsFilesAreCutAtTheCapFarthestFirst(t *testing.T) {
	root := t.TempDir()
	put(t, root, "AGENTS.md", strings.Repeat("é", 20<<10)) // 40 KB
	put(t, root, "a/AGENTS.md", strings.Repeat("a", 1<<10))
	got := section(t, AgentsMD{}, agent.ThreadView{Roots: []string{root}, Touched: []string{filepath.Join(root, "a", "x")}})
	if n := strings.Count(got, "é"); n != (31<<10)/2 {
		t.Errorf("%d of the root's characters are told", n)
	}
	if !strings.Contains(got, strings.Repeat("a", 1<<10)) || !strings.Contains(got, "cut: the first 31744 of 40960 bytes") {
		t.Errorf("the nearest is not whole or the cut is not told:\n%.300s", got)
	}
}

func TestAgentsFileDoesNotLeaveTheRoot(t *testing.T) {
	outside, root := t.TempDir(), t.TempDir()
	secret := put(t, outside, "secret", "a secret")
	put(t, outside, "d/AGENTS.md", "outside rules")
	put(t, root, "docs/AGENTS.md", "linked inside")
	if err := os.Symlink(secret, filepath.Join(root, "AGENTS.md")); err != nil {
		t.Skip("no symlinks here:", err)
	}
	if err := os.Symlink(filepath.Join(outside, "d"), filepath.Join(root, "d")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "in"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../docs/AGENTS.md", filepath.Join(root, "in", "AGENTS.md")); err != nil {
		t.Fatal(err)
	}
	got := section(t, AgentsMD{}, agent.ThreadView{Roots: []string{root}, Touched: []string{filepath.Join(root, "d", "x"), filepath.Join(root, "in", "x")}})
	if strings.Contains(got, "secret") || strings.Contains(got, "outside") || !strings.Contains(got, "linked inside") {
		t.Errorf("got:\n%s", got)
	}
}

// A repository's AGENTS.md must not carry what the tool read would not give.
func TestAnAgentsFileThatLeadsToASecretIsNotTold(t *testing.T) {
	for name, target := range map[string]string{
		"an environment file": ".env", "another name": "keys.txt", "two links": "hop",
		"a folder of keys": ".ssh/AGENTS.md", "a folder of settings": ".env.d/AGENTS.md",
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for _, f := range []string{".env", "keys.txt", ".ssh/AGENTS.md", ".env.d/AGENTS.md"} {
				put(t, root, f, "KEY=hush")
			}
			put(t, root, "in/AGENTS.md", "rules of in")
			if err := os.Symlink(".env", filepath.Join(root, "hop")); err != nil {
				t.Skip("no symlinks here:", err)
			}
			if err := os.Symlink(filepath.FromSlash(target), filepath.Join(root, "AGENTS.md")); err != nil {
				t.Fatal(err)
			}
			got := section(t, AgentsMD{}, agent.ThreadView{Roots: []string{root}, Touched: []string{filepath.Join(root, "in", "x")}})
			if strings.Contains(got, "hush") || !strings.Contains(got, "rules of in") {
				t.Errorf("got:\n%s", got)
			}
		})
	}
}

func TestModeSaysWhatIsAllowed(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range []tools.Mode{tools.ModeAsk, tools.ModePlan, tools.ModeEdit, tools.ModeAgent, tools.ModeFull} {
		got := section(t, Mode{}, agent.ThreadView{Mode: m})
		if !strings.Contains(got, string(m)) || seen[got] {
			t.Errorf("%s: %q", m, got)
		}
		seen[got] = true
	}
	if _, err := (Mode{}).Section(context.Background(), agent.ThreadView{Mode: "wild"}); err == nil {
		t.Error("an unknown mode is told as if it were known")
	}
}

func TestEditorTellsFileSelectionAndTabs(t *testing.T) {
	root := filepath.FromSlash("/w")
	v := agent.ThreadView{Roots: []string{root}, Editor: agent.EditorState{
		Active: filepath.Join(root, "a", "x.go"), Selection: "12:1-14:5",
		Tabs: []agent.Tab{{Path: filepath.Join(root, "b.go"), IsDirty: true}, {Path: filepath.FromSlash("/o/c\n.go")}},
	}}
	want := "Active file: a/x.go, selection 12:1-14:5\nOpen tabs: b.go (unsaved), /o/c?.go"
	if got := section(t, Editor{}, v); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := section(t, Editor{}, agent.ThreadView{Roots: []string{root}}); got != "" {
		t.Errorf("an editor that said nothing: %q", got)
	}
	v.Editor.Tabs = make([]agent.Tab, maxTabs+5)
	if got := section(t, Editor{}, v); !strings.HasSuffix(got, "and 5 more") {
		t.Errorf("many tabs: %q", got)
	}
}

func TestDefaultsHaveDistinctNames(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Defaults() {
		if seen[p.Name()] || p.Name() == "" {
			t.Errorf("name %q", p.Name())
		}
		seen[p.Name()] = true
	}
	if len(seen) != 5 {
		t.Errorf("%d providers", len(seen))
	}
}
