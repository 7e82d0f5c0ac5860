//go:build unix

package shell

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"companion/workspace"
)

// victimVar names the folder in which this test binary, started again, runs a
// command until it is killed.
const victimVar = "SHELL_TEST_VICTIM"

func TestNothingOfACommandOutlivesAKilledCompanion(t *testing.T) {
	if root := os.Getenv(victimVar); root != "" {
		ws, err := workspace.New(workspace.Options{Roots: []string{root}})
		if err != nil {
			t.Fatal(err)
		}
		command, err := os.ReadFile(filepath.Join(root, "command"))
		if err != nil {
			t.Fatal(err)
		}
		x := New(Options{Workspace: ws})
		a := execArgs{Command: string(command), TTY: strings.Contains(string(command), "terminal")}
		res, err := prepare(t, x, root, a).Run(context.Background(), newConsole())
		t.Fatalf("not killed: %v, %v", res, err)
	}
	for name, c := range map[string]struct {
		prefix, suffix string
		linux          bool
	}{
		"a child of the group":             {"", "touch up; sleep 600", false},
		"a child that takes no polite end": {"trap '' TERM HUP;", "touch up; sleep 600", false},
		"a child that left the group":      {"setsid", "touch up; sleep 600", true},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat("/proc/self/environ"); err != nil && c.linux {
				t.Skip("children that left the group are found by /proc only")
			}
			root, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			command, pidFile := grandchild(t, root, c.prefix, c.suffix)
			if err := os.WriteFile(filepath.Join(root, "command"), []byte(command), 0o600); err != nil {
				t.Fatal(err)
			}
			victim := exec.Command(os.Args[0], "-test.run=^TestNothingOfACommandOutlivesAKilledCompanion$")
			victim.Env = append(os.Environ(), victimVar+"="+root)
			if err := victim.Start(); err != nil {
				t.Fatal(err)
			}
			for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
				if _, err := os.Stat(filepath.Join(root, "up")); err == nil {
					break
				}
				if time.Now().After(deadline) {
					_ = victim.Process.Kill()
					t.Fatal("the command did not come up")
				}
			}
			if err := victim.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = victim.Wait() // killed
			gone(t, pidFile)
		})
	}
}
