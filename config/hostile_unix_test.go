//go:build unix

package config

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// later gives what f comes to; f may never end.
func later(f func() bool) <-chan bool {
	out := make(chan bool, 1)
	time.AfterFunc(0, func() { out <- f() })
	return out
}

func TestWhatIsNoFileIsNeitherTrustedNorWaitedFor(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"a pipe":            func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"an endless device": func(path string) error { return os.Symlink("/dev/zero", path) },
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			file := filepath.Join(root, ProjectFiles()[0])
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := put(file); err != nil {
				t.Fatal(err)
			}
			trust := NewTrust(t.TempDir())
			done := later(func() bool { before := trust.Trusted(root); _ = trust.Set(root, true); return before })
			select {
			case before := <-done:
				if before {
					t.Error("trusted without a yes")
				}
			case <-time.After(20 * time.Second):
				t.Fatal("reads without end")
			}
		})
	}
}
