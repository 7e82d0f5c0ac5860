package output

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// MostFile is how many bytes of one output are kept on disk.
const MostFile = 64 << 20

// most stays in memory until somebody wants a file.
const most = 32 << 10

// age is how long files are kept (tools.md, Results: 7 days).
const age = 7 * 24 * time.Hour

// file holds the beginning of an output: small ones in memory, until they are
// shown or grow.
type file struct {
	dir, name string
	early     []byte
	f         *os.File
	path      string
	size      int64
	cut       bool
	broken    bool // it could not be written: then there is none
}

func (f *file) add(b []byte) {
	if f.dir == "" || f.broken {
		return
	}
	if room := MostFile - f.size; int64(len(b)) > room {
		b, f.cut = b[:room], true
	}
	f.size += int64(len(b))
	if f.path == "" && len(f.early)+len(b) <= most {
		f.early = append(f.early, b...)
		return
	}
	f.open()
	f.write(b)
}

func (f *file) open() {
	if f.path != "" || f.broken {
		return
	}
	if f.broken = os.MkdirAll(f.dir, 0o700) != nil; f.broken {
		return
	}
	forget(f.dir, time.Now().Add(-age))
	made, err := os.CreateTemp(f.dir, f.name+"-*.txt") // 0600
	if err != nil {
		f.broken = true
		return
	}
	f.f, f.path = made, made.Name()
	f.write(f.early)
	f.early = nil
}

func (f *file) write(b []byte) {
	if f.broken || len(b) == 0 {
		return
	}
	if f.f == nil {
		var err error
		if f.f, err = os.OpenFile(f.path, os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
			f.fail()
			return
		}
	}
	if _, err := f.f.Write(b); err != nil {
		f.fail()
	}
}

// fail takes the file away: a part that looks whole is worse than none.
func (f *file) fail() {
	f.close()
	_ = os.Remove(f.path)
	f.path, f.broken = "", true
}

func (f *file) show() (path string, cut bool) {
	if f.size == 0 || f.dir == "" {
		return "", false
	}
	f.open()
	return f.path, f.cut
}

func (f *file) close() {
	if f.f != nil {
		_ = f.f.Close() // every write was seen to succeed
		f.f = nil
	}
}

// forget removes the files of outputs from before.
func forget(dir string, before time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), ".txt") && info.ModTime().Before(before) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
