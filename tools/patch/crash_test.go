package patch

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"companion/workspace"
)

// crashStates are trees, and patches of which each leads from one to the next
// and the last to the first: of several files, of one.
func crashStates() (states []map[string]string, patches []string) {
	lines := func(s string) string { return strings.Repeat(s+"\n", 40) }
	crlf := strings.ReplaceAll(lines("b"), "\n", "\r\n")
	one := map[string]string{
		"a.txt": "first\n" + lines("a"), "sub/b.txt": "second\r\n" + crlf, "gone.txt": lines("gone"), "old/name.txt": "moved\n" + lines("m"), "single.txt": "one\n",
	}
	two := map[string]string{
		"a.txt": "FIRST\n" + lines("a"), "sub/b.txt": "SECOND\r\n" + crlf, "new/deep/c.txt": "fresh\n", "renamed/name.txt": "MOVED\n" + lines("m"), "single.txt": "one\n",
	}
	plus := "+" + strings.TrimSuffix(strings.ReplaceAll(lines("gone"), "\n", "\n+"), "+")
	there := "*** Begin Patch\n*** Update File: a.txt\n@@\n-first\n+FIRST\n*** Update File: sub/b.txt\n@@\n-second\n+SECOND\n*** Delete File: gone.txt\n" +
		"*** Add File: new/deep/c.txt\n+fresh\n*** Update File: old/name.txt\n*** Move to: renamed/name.txt\n@@\n-moved\n+MOVED\n*** End Patch"
	back := "*** Begin Patch\n*** Update File: a.txt\n@@\n-FIRST\n+first\n*** Update File: sub/b.txt\n@@\n-SECOND\n+second\n*** Add File: gone.txt\n" + plus +
		"*** Delete File: new/deep/c.txt\n*** Update File: renamed/name.txt\n*** Move to: old/name.txt\n@@\n-MOVED\n+moved\n*** End Patch"
	single := func(from, to string) string {
		return "*** Begin Patch\n*** Update File: single.txt\n@@\n-" + from + "\n+" + to + "\n*** End Patch"
	}
	with := func(m map[string]string, s string) map[string]string {
		m = maps.Clone(m)
		m["single.txt"] = s
		return m
	}
	return []map[string]string{one, two, with(two, "two\n"), with(one, "two\n")},
		[]string{there, single("one", "two"), back, single("two", "one")}
}

const crashDir = "COMPANION_TEST_CRASH_DIR"

// crashKills is how many processes are killed; make soak asks for more.
func crashKills(t *testing.T) int {
	n, err := strconv.Atoi(os.Getenv("COMPANION_KILLS"))
	if err != nil {
		n = 100
	}
	if testing.Short() {
		n = 10
	}
	t.Logf("%d kills", n)
	return n
}

// patches until it is killed; each patch that landed is a byte on stdout.
func crashChild(dir string) {
	ws, err := workspace.New(workspace.Options{Roots: []string{filepath.Join(dir, "tree")}, Intents: filepath.Join(dir, "intents")})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	states, patches := crashStates()
	at := 0
	for at < len(states) && !maps.Equal(mustContents(filepath.Join(dir, "tree")), states[at]) {
		at++
	}
	for ; ; at++ {
		if _, _, err := Apply(context.Background(), ws, patches[at%len(patches)], false); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		if _, err := os.Stdout.WriteString("."); err != nil {
			os.Exit(1)
		}
	}
}

func mustContents(dir string) map[string]string {
	out := map[string]string{}
	_ = filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			data, _ := os.ReadFile(path)
			rel, _ := filepath.Rel(dir, path)
			out[filepath.ToSlash(rel)] = string(data)
		}
		return nil
	})
	return out
}

// A process that is killed at any moment leaves every tree wholly as before or
// wholly as after, once the next one has started.
func TestKillsLeaveTheTreeWhole(t *testing.T) {
	if dir := os.Getenv(crashDir); dir != "" {
		crashChild(dir)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tree := filepath.Join(dir, "tree")
	states, _ := crashStates()
	for name, text := range states[0] {
		put(t, filepath.Join(tree, name), text)
	}
	seen, repaired := map[int]int{}, 0
	for range crashKills(t) {
		out := killed(t, dir)
		ws, err := workspace.New(workspace.Options{Roots: []string{tree}, Intents: filepath.Join(dir, "intents")})
		if err != nil {
			t.Fatal(err)
		}
		told, err := ws.Repair(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		repaired += len(told)
		for _, s := range told {
			if strings.Contains(s, "changed afterwards") || strings.Contains(s, "Could not") {
				t.Fatal(s)
			}
		}
		got, whole := contents(t, tree), -1
		for i, s := range states {
			if maps.Equal(got, s) {
				whole = i
			}
		}
		if whole < 0 {
			t.Fatalf("half a patch (%s; %s): %q", out, told, sorted(got))
		}
		seen[whole]++
	}
	if left, err := os.ReadDir(filepath.Join(dir, "intents")); err != nil || len(left) > 0 {
		t.Errorf("records stay: %v, %v", left, err)
	}
	t.Logf("trees found: %v; repaired: %d", seen, repaired)
}

// killed runs a child, kills it after some patches and some time, and gives
// what it said.
func killed(t *testing.T, dir string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKillsLeaveTheTreeWhole$")
	cmd.Env = append(os.Environ(), crashDir+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := make([]byte, rand.IntN(4)+1)
	if _, err := io.ReadFull(out, said); err != nil || strings.Trim(string(said), ".") != "" {
		rest, _ := io.ReadAll(out)
		t.Fatalf("the child: %s%s (%v)", said, rest, err)
	}
	<-time.After(time.Duration(rand.Int64N(int64(15 * time.Millisecond)))) // any moment
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	return string(said)
}
