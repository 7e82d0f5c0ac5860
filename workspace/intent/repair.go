package intent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"companion/filelock"
	"companion/workspace/disk"
)

// Report is what was found of one set that a dead process left.
type Report struct {
	Label   string
	Time    string   // when it began, RFC 3339
	Back    []string // files that have their old content again, or are gone again
	Same    int      // files that still were as before
	Changed []string // left: another hand has changed them since
	Buffers []string // were open in an editor, which may show the new text
	Failed  []string // "path: why"; they are tried again at the next start
}

// String says it to a person, in sentences.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q was cut off in the middle (%s).", r.Label, r.Time)
	for _, p := range []struct {
		what  string
		files []string
	}{
		{"Taken back", r.Back},
		{"Left as they are, since they were changed afterwards", r.Changed},
		{"Open in an editor at the time and not taken back there, look at them", r.Buffers},
		{"Could not be taken back", r.Failed},
	} {
		if len(p.files) > 0 {
			b.WriteString(" " + p.what + ": " + list(p.files) + ".")
		}
	}
	return b.String()
}

const shownFiles = 10

func list(files []string) string {
	if len(files) > shownFiles {
		return fmt.Sprintf("%s and %d more", strings.Join(files[:shownFiles], ", "), len(files)-shownFiles)
	}
	return strings.Join(files, ", ")
}

// Repair takes back the sets of processes that died. Sets of which nothing had
// happened are not reported. It does nothing where there are none.
func (l *Log) Repair(ctx context.Context) (out []Report, err error) {
	if l == nil {
		return nil, nil
	}
	names, err := os.ReadDir(l.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, d := range names {
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		if filepath.Ext(d.Name()) != suffix {
			continue
		}
		path := filepath.Join(l.dir, d.Name())
		r, told, e := repair(path)
		if e != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", path, e))
		}
		if told {
			out = append(out, r)
		}
	}
	return out, err
}

// Told is Repair with its reports as sentences.
func (l *Log) Told(ctx context.Context) (told []string, err error) {
	reports, err := l.Repair(ctx)
	for _, r := range reports {
		told = append(told, r.String())
	}
	return told, err
}

// repair takes back the set of one entry, unless somebody works on it.
func repair(path string) (r Report, told bool, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return r, false, nil
	}
	if err != nil {
		return r, false, err
	}
	e := &Entry{f: f, path: path}
	if busy, err := filelock.Try(f); busy || err != nil {
		f.Close()
		return r, false, err
	}
	now, err := os.Stat(path)
	own, err2 := f.Stat()
	if err != nil || err2 != nil || !os.SameFile(now, own) { // another process was faster
		f.Close()
		return r, false, nil
	}
	data, err := io.ReadAll(f)
	var h header
	var done bool
	if err == nil {
		h, done, err = parse(data)
	}
	if done || errors.Is(err, errCut) {
		return r, false, e.End()
	}
	if err != nil {
		f.Close()
		return r, false, err
	}
	r.Label, r.Time = h.Label, h.Time
	for _, file := range slices.Backward(h.Files) {
		file.repair(&r)
	}
	for _, file := range slices.Backward(h.Files) {
		for _, dir := range slices.Backward(file.Made) {
			_ = os.Remove(dir) // stays unless it is empty
		}
	}
	if len(r.Failed) > 0 {
		f.Close()
		return r, true, nil
	}
	return r, len(r.Back)+len(r.Changed)+len(r.Buffers) > 0, e.End()
}

// repair takes one file back.
func (f File) repair(r *Report) {
	if f.Buffer {
		r.Buffers = append(r.Buffers, f.Path)
		return
	}
	if f.Temp != "" {
		if info, err := os.Lstat(filepath.Join(filepath.Dir(f.Path), f.Temp)); err == nil && info.Mode().IsRegular() {
			_ = os.Remove(filepath.Join(filepath.Dir(f.Path), f.Temp))
		}
	}
	now, err := disk.Read(context.Background(), f.Path, math.MaxInt64)
	switch {
	case err != nil && !errors.Is(err, disk.ErrBinary):
		if errors.Is(err, disk.ErrNotFile) {
			r.Changed = append(r.Changed, f.Path)
			return
		}
		r.Failed = append(r.Failed, f.Path+": "+err.Error())
		return
	case !now.Exists && !f.Existed, now.Exists && f.Existed && string(now.Bytes) == string(f.Old):
		r.Same++
		return
	case now.Exists != (f.New != "") || now.Exists && Hash(now.Bytes) != f.New:
		r.Changed = append(r.Changed, f.Path)
		return
	}
	s := disk.Spot{Path: f.Path, Root: f.Root, Rel: f.Rel}
	if f.Existed {
		_, err = disk.Put(s, now, disk.File{Exists: true, Bytes: f.Old, Info: oldInfo{fs.FileMode(f.Mode)}})
	} else {
		err = disk.Remove(s, now)
	}
	if err != nil {
		r.Failed = append(r.Failed, f.Path+": "+err.Error())
		return
	}
	r.Back = append(r.Back, f.Path)
}

// oldInfo is the mode of a file that is to be made anew.
type oldInfo struct{ mode fs.FileMode }

func (i oldInfo) Name() string       { return "" }
func (i oldInfo) Size() int64        { return 0 }
func (i oldInfo) Mode() fs.FileMode  { return i.mode }
func (i oldInfo) ModTime() time.Time { return time.Time{} }
func (i oldInfo) IsDir() bool        { return false }
func (i oldInfo) Sys() any           { return nil }
