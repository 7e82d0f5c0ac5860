//go:build unix

package shell

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
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
		x := ExecCommand(ws, nil)
		res, err := prepare(t, x, root, args{Command: string(command)}).Run(context.Background(), newConsole())
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

func TestTheWatchdogEndsWithItsCommand(t *testing.T) {
	x, root := bench(t)
	p, err := start("exit 7", root, x.env, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if p.dog == nil {
		t.Fatal("no watchdog")
	}
	if e := p.wait(context.Background(), time.Minute); e.code != 7 || e.signal != "" {
		t.Errorf("ended with %+v", e)
	}
	if p.dog.cmd.ProcessState == nil {
		t.Error("the watchdog was not waited for")
	}
}
