package output

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestAllOfAnOutputIsInItsFile(t *testing.T) {
	for name, c := range map[string]struct {
		piece string
		times int
		made  bool // before it is asked for
	}{
		"small":     {"\x1b[31mred\x1b[0m\r\n", 1, false},
		"of a size": {strings.Repeat("x", most), 1, false},
		"large":     {"0123456789\n", 10_000, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			o := New(Options{Dir: dir, Name: "s-1"})
			defer o.Close()
			for range c.times {
				o.add([]byte(c.piece))
			}
			if _, err := os.Stat(dir); (err == nil) != c.made {
				t.Errorf("before it was asked for: %v", err)
			}
			path, cut := o.File()
			if cut || !strings.HasPrefix(filepath.Base(path), "s-1-") {
				t.Errorf("%s, cut %v", path, cut)
			}
			o.add([]byte("end"))
			o.Close()
			o.add([]byte("."))
			got, err := os.ReadFile(path)
			if err != nil || string(got) != strings.Repeat(c.piece, c.times)+"end." {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			info, err := os.Stat(path)
			if err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
		})
	}
}

func TestAFileHasABoundAndSaysSo(t *testing.T) {
	o := New(Options{Dir: t.TempDir(), Name: "s"})
	defer o.Close()
	b := make([]byte, 1<<20)
	for range MostFile>>20 + 1 {
		o.add(b)
	}
	path, cut := o.File()
	info, err := os.Stat(path)
	if err != nil || info.Size() != MostFile || !cut {
		t.Errorf("%v, cut %v, %v", info, cut, err)
	}
}

func TestWithoutAFolderThereIsNoFile(t *testing.T) {
	o := New(Options{})
	o.add([]byte("x"))
	if path, _ := o.File(); path != "" {
		t.Error(path)
	}
	blocked := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o = New(Options{Dir: blocked, Name: "s"})
	o.add([]byte("x"))
	if path, _ := o.File(); path != "" {
		t.Error(path)
	}
	if got := o.Take(true); got.Text != "x" {
		t.Errorf("%q", got.Text)
	}
}

func TestHeadAndTailAreKeptAndTheMiddleIsCounted(t *testing.T) {
	o := New(Options{})
	for i := range 300 {
		o.add([]byte(strings.Repeat(string(rune('a'+i%26)), 9_999) + "\n"))
	}
	got := o.Take(true)
	if !strings.HasPrefix(got.Text, "aaa") || !strings.HasSuffix(got.Text, "nnn\n") || got.Lost != 3_000_000-1<<20 {
		t.Errorf("%d bytes, %d lost", len(got.Text), got.Lost)
	}
	if o.Total() != 3_000_000 {
		t.Error(o.Total())
	}
	if again := o.Take(true); again.New || again.Text != "" {
		t.Errorf("given again: %q", again.Text)
	}
}

func TestAListenerHearsAllThatIsSlowAndCountsWhatIsFast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := New(Options{})
		var mu sync.Mutex
		var heard []string
		o.add([]byte("before "))
		o.Listen(func(s string) { mu.Lock(); defer mu.Unlock(); heard = append(heard, s) })
		o.add([]byte("a"))
		o.add([]byte("b"))
		o.add([]byte("c"))
		time.Sleep(time.Second)
		synctest.Wait()
		o.add(make([]byte, 3))
		o.add([]byte(strings.Repeat("x", 3*pieceBytes)))
		o.Listen(nil)
		o.add([]byte("after"))
		time.Sleep(time.Second)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if len(heard) != 3 || heard[0] != "a" || heard[1] != "bc" || len(heard[2]) < pieceBytes ||
			!strings.HasSuffix(heard[2], "bytes came faster than they are shown …]\n") {
			t.Errorf("%d pieces: %.200q", len(heard), heard)
		}
	})
}
