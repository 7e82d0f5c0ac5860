//go:build unix

package context

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"companion/agent"
)

func TestAnAgentsFileThatIsNoFileHoldsNothingUp(t *testing.T) {
	for name, makeIt := range map[string]func(path string) error{
		"FIFO":             func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"device":           func(path string) error { return os.Symlink("/dev/zero", path) },
		"folder":           func(path string) error { return os.Mkdir(path, 0o700) },
		"link to itself":   func(path string) error { return os.Symlink("AGENTS.md", path) },
		"a terabyte, thin": func(path string) error { return thin(path, 1<<40) },
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			if err := makeIt(filepath.Join(root, "AGENTS.md")); err != nil {
				t.Skip("cannot be made here:", err)
			}
			put(t, root, "in/AGENTS.md", "rules of in")
			done := make(chan string, 1)
			time.AfterFunc(0, func() {
				got, err := AgentsMD{}.Section(t.Context(), agent.ThreadView{Roots: []string{root}, Touched: []string{filepath.Join(root, "in", "x")}})
				if err != nil {
					got = err.Error()
				}
				done <- got
			})
			select {
			case got := <-done:
				if !strings.Contains(got, "rules of in") || len(got) > agentsCap+1000 {
					t.Errorf("%d bytes: %.300q", len(got), got)
				}
			case <-time.After(30 * time.Second):
				t.Fatal("it waits")
			}
		})
	}
}

func thin(path string, size int64) error {
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		return err
	}
	return os.Truncate(path, size)
}
