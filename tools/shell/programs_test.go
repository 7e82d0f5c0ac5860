//go:build unix

package shell

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"companion/tools"
)

// need skips, loudly, where a program is missing.
func need(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("SKIPPED: %s is not installed here, so what it does at a terminal is not tried", program)
	}
}

func TestServersOfPythonsREPL(t *testing.T) {
	need(t, "python3")
	x, root := bench(t, "HOME="+t.TempDir())
	id, _ := begin(t, x, root, execArgs{Command: "python3 -q", TTY: true, YieldMs: 1000})
	until(t, x, root, id, "6*7\n", `(?m)^42`)
	until(t, x, root, id, "def f(a):\n    return a * 2\n\nf('ab')\n", `(?m)^'abab'`)
	until(t, x, root, id, "while True: pass\n", `while`)
	until(t, x, root, id, "\x03", `KeyboardInterrupt`)
	res, _ := run(t, x, root, stdinArgs{Session: id, Chars: "exit()\n", YieldMs: 30_000})
	want(t, res, tools.OK, "has ended. Exit code 0")
}

func TestServersOfNodesREPL(t *testing.T) {
	need(t, "node")
	x, root := bench(t, "HOME="+t.TempDir())
	id, _ := begin(t, x, root, execArgs{Command: "node", TTY: true, YieldMs: 1000})
	until(t, x, root, id, "[1,2,3].map(n => n*n).join('-')\r", `(?m)^'1-4-9'`)
	res, _ := run(t, x, root, stdinArgs{Session: id, Chars: "\x04", YieldMs: 30_000})
	want(t, res, tools.OK, "has ended. Exit code 0")
}

func TestServersOfAShellThatIsTalkedTo(t *testing.T) {
	x, root := bench(t, "HOME="+t.TempDir())
	id, _ := begin(t, x, root, execArgs{Command: "bash --norc -i", TTY: true})
	until(t, x, root, id, "echo $((20+22))\n", `(?m)^42`)
	until(t, x, root, id, "sleep 600\n", `sleep`)
	until(t, x, root, id, "\x03", `\^C`)
	until(t, x, root, id, "sleep 601 &\n", `(?m)^\[1\] \d+`)
	res, _ := run(t, x, root, stopArgs{Session: id})
	want(t, res, tools.OK, "Stopped after ")
}

func TestServersOfVim(t *testing.T) {
	need(t, "vim")
	x, root := bench(t, "HOME="+t.TempDir())
	if err := os.WriteFile(filepath.Join(root, "f.txt"), []byte("first line\nsecond line\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	id, res := begin(t, x, root, execArgs{Command: "vim -u NONE -n f.txt", TTY: true, YieldMs: 2000})
	want(t, res, tools.OK, "Its screen (120 columns, 40 lines; cursor in line 1, column 1):\n", "first line\nsecond line\n~")
	res, _ = run(t, x, root, stdinArgs{Session: id, Chars: "ihello \x1b", Resize: &size{60, 10}})
	want(t, res, tools.OK, "Its screen (60 columns, 10 lines;", "hello first line\n")
	res, _ = run(t, x, root, stdinArgs{Session: id, Chars: "\x1b:q!\n", YieldMs: 30_000})
	want(t, res, tools.OK, "has ended. Exit code 0")
	data, err := os.ReadFile(filepath.Join(root, "f.txt"))
	if err != nil || string(data) != "first line\nsecond line\n" {
		t.Errorf("%q, %v", data, err)
	}
}

func TestServersOfLessAndTop(t *testing.T) {
	x, root := bench(t, "HOME="+t.TempDir())
	for line, shows := range map[string]string{"seq 1000 | less": "1\n2\n3\n", "top -d 1": "PID"} {
		t.Run(line, func(t *testing.T) {
			need(t, strings.Fields(line[strings.LastIndex(line, "|")+1:])[0])
			id, res := begin(t, x, root, execArgs{Command: line, TTY: true, YieldMs: 2000})
			want(t, res, tools.OK, shows)
			res, _ = run(t, x, root, stdinArgs{Session: id, Chars: "q", YieldMs: 30_000})
			want(t, res, tools.OK, "has ended. Exit code 0")
		})
	}
}

// A watch mode as npm scripts have it: it runs, redraws, and never ends.
func TestServersOfAWatchModeThatIsStopped(t *testing.T) {
	need(t, "npm")
	x, root := bench(t, "HOME="+t.TempDir())
	for name, text := range map[string]string{
		"package.json": `{"name":"w","version":"1.0.0","scripts":{"test":"node --test --watch"}}`,
		"a.test.js":    "require('node:test')('adds', () => require('node:assert').equal(1 + 1, 2))\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tty := range []bool{true, false} {
		id, res := begin(t, x, root, execArgs{Command: "npm test", TTY: tty, YieldMs: 3000})
		if !strings.Contains(res.Text, "adds") {
			until(t, x, root, id, "\x00", "adds")
		}
		list, _ := run(t, x, root, nil)
		want(t, list, tools.OK, "running for", "npm test")
		res, _ = run(t, x, root, stopArgs{Session: id})
		want(t, res, tools.OK, "Stopped after ")
		if strings.ContainsAny(res.Text, "\x1b\r") {
			t.Errorf("%q", res.Text)
		}
	}
}
