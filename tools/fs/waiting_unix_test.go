//go:build unix

package fs

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sourcegraph/conc"

	"companion/tools"
)

// within fails a test whose reading waits.
func within(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	var w conc.WaitGroup
	w.Go(func() { f(); close(done) })
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal("it waits")
	}
}

func TestWhatCouldWaitForEverIsNotOpened(t *testing.T) {
	b := newBench(t, map[string]string{"f": "x\n"})
	if err := syscall.Mkfifo(filepath.Join(b.root, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(b.root, "s"))
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	for link, target := range map[string]string{"zero": "/dev/zero", "null": os.DevNull, "fifo": "pipe", "tty": "/dev/tty"} {
		if err := os.Symlink(target, filepath.Join(b.root, link)); err != nil {
			t.Fatal(err)
		}
	}
	for path, kind := range map[string]string{
		"pipe": "a named pipe", "fifo": "a named pipe", "s": "a socket", "zero": "a device", "null": "a device", "/dev/zero": "a device", "tty": "a device", "/dev/random": "a device",
	} {
		if _, err := os.Stat(filepath.Join(b.root, path)); err != nil && !filepath.IsAbs(path) {
			continue // this machine has none
		}
		within(t, func() { want(t, b.read(readArgs{Path: path}), tools.Failed, kind, "not opened") })
	}
	within(t, func() {
		_, res := b.run(List(b.ws), listArgs{})
		want(t, res, tools.OK, "pipe  (named pipe)\n", "s  (socket)\n", "zero -> /dev/zero\n", "f  2 bytes\n")
	})
}

func TestFilesOfTheSystemAreReadThoughTheyHaveNoSize(t *testing.T) {
	b := newBench(t, nil)
	for path, part := range map[string]string{"/proc/self/status": "Name:\t", "/proc/sys/kernel/pid_max": "1\t", "/proc/version": "Linux version"} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Skipf("no %s on this system", path)
		}
		within(t, func() { want(t, b.read(readArgs{Path: path}), tools.OK, part) })
		if path == "/proc/sys/kernel/pid_max" {
			want(t, b.read(readArgs{Path: path}), tools.OK, "1\t"+strings.TrimSpace(string(data))+"\n")
		}
	}
	for _, path := range []string{"/proc/kmsg", "/proc/self/mem", "/proc/self/pagemap"} {
		within(t, func() {
			if res := b.read(readArgs{Path: path}); res.Outcome != tools.Failed || len(res.Text) > 500 {
				t.Errorf("%s: %s %.300s", path, res.Outcome, res.Text)
			}
		})
	}
}

func TestAFileThatGrowsWhileItIsReadEndsAtWhatItHad(t *testing.T) {
	b := newBench(t, map[string]string{"log": strings.Repeat("line\n", 250_000)})
	f, err := os.OpenFile(filepath.Join(b.root, "log"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ctx, cancel := context.WithCancel(context.Background())
	var w conc.WaitGroup
	w.Go(func() {
		for ctx.Err() == nil {
			_, _ = f.WriteString(strings.Repeat("more\n", 1000))
		}
	})
	for _, at := range []int{1, 249_999, 250_001} {
		within(t, func() {
			res := b.read(readArgs{Path: "log", Offset: at, Limit: 2})
			if at < 250_000 {
				want(t, res, tools.OK, fmt.Sprintf("%d\tline\n", at))
			}
		})
	}
	cancel()
	w.Wait()
}

func TestASparseFileLargerThanMemoryIsReadByItsFirstBytes(t *testing.T) {
	b := newBench(t, map[string]string{"huge": "text\n"})
	if err := os.Truncate(filepath.Join(b.root, "huge"), 1<<40); err != nil {
		t.Skip(err)
	}
	within(t, func() { want(t, b.read(readArgs{Path: "huge"}), tools.Failed, "binary file", "1099511627776 bytes") })
}

func TestWhatMayNotBeReadIsSaid(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	b := newBench(t, map[string]string{"f": "x\n", "dir/g": "x\n"})
	for name, mode := range map[string]os.FileMode{"f": 0, "dir": 0} {
		path := filepath.Join(b.root, name)
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(path, 0o700) })
	}
	want(t, b.read(readArgs{Path: "f"}), tools.Failed, "f cannot be read: permission denied")
	want(t, b.read(readArgs{Path: "dir/g"}), tools.Failed, "dir/g cannot be read", "permission denied")
	want(t, b.read(readArgs{Path: "dir"}), tools.Failed, "dir cannot be listed")
}

func TestALinkToNothingIsToldByRead(t *testing.T) {
	b := newBench(t, nil)
	for link, target := range map[string]string{"gone": "nowhere", "loop": "loop"} {
		if err := os.Symlink(target, filepath.Join(b.root, link)); err != nil {
			t.Fatal(err)
		}
	}
	want(t, b.read(readArgs{Path: "gone"}), tools.Failed, "gone is a symbolic link to nowhere, where nothing is.", "There is no file nowhere")
	want(t, b.read(readArgs{Path: "loop"}), tools.Failed, "loop")
}

func TestAFolderSwappedForALinkLeadsNoReadElsewhere(t *testing.T) {
	b := newBench(t, map[string]string{"sub/f": "mine\n", "sub/g.x": "mine\n"})
	outside := t.TempDir()
	for _, name := range []string{"f", "g.x"} {
		if err := os.WriteFile(filepath.Join(outside, name), []byte("secret\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read, err := b.prepare(b.reader(), readArgs{Path: "sub/f"})
	if err != nil {
		t.Fatal(err)
	}
	list, err := b.prepare(List(b.ws), listArgs{Path: "sub"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(b.root, "sub"), filepath.Join(b.root, "was")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(b.root, "sub")); err != nil {
		t.Fatal(err)
	}
	for _, action := range []tools.Action{read, list} {
		if res, err := action.Run(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "leads to") {
			t.Errorf("%s, %v", res.Text, err)
		}
	}
}
