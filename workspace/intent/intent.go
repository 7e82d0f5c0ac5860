package intent

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"companion/filelock"
)

const (
	suffix  = ".intent"
	version = 1
	tries   = 3
)

// errCut: the process died while it wrote the entry, before it did anything.
var errCut = errors.New("it is cut off")

// The first byte of an entry.
const (
	open   = 'O' // to be taken back, if its process is gone
	closed = 'C' // complete
)

// File is one file that is about to change.
type File struct {
	Path    string   `json:"path"` // canonical absolute
	Root    string   `json:"root,omitempty"`
	Rel     string   `json:"rel,omitempty"` // from Root, slashes
	Existed bool     `json:"existed,omitempty"`
	Mode    uint32   `json:"mode,omitempty"` // fs.FileMode of the old file
	Size    int      `json:"size,omitempty"` // of Old
	New     string   `json:"new,omitempty"`  // Hash of the new bytes, "" = it goes
	Temp    string   `json:"temp,omitempty"` // name of its temporary file
	Made    []string `json:"made,omitempty"` // folders that are made for it, the outermost first
	Buffer  bool     `json:"buffer,omitempty"`
	Old     []byte   `json:"-"`
}

// header is what stands before the old bytes.
type header struct {
	Version int    `json:"version"`
	Label   string `json:"label"`
	Time    string `json:"time"` // RFC 3339
	PID     int    `json:"pid"`
	Files   []File `json:"files"`
}

// Hash of a file's bytes.
func Hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Log is the folder of entries; the nil Log keeps none.
type Log struct{ dir string }

// Open is the log in a folder, which is made when there is something to write.
// "" gives nil.
func Open(dir string) *Log {
	if dir == "" {
		return nil
	}
	return &Log{dir}
}

// Entry is a set of changes on its way.
type Entry struct {
	f    *os.File
	path string
}

// Token is a part of names that nobody else has.
func Token() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails, says its documentation
	return hex.EncodeToString(b[:])
}

// Begin writes a set down. durable: it is on the disk when Begin returns.
func (l *Log) Begin(label string, files []File, durable bool) (e *Entry, err error) {
	if l == nil || len(files) == 0 {
		return nil, nil
	}
	h := header{Version: version, Label: label, Time: time.Now().UTC().Format(time.RFC3339), PID: os.Getpid(), Files: files}
	size := 0
	for i := range files {
		files[i].Size = len(files[i].Old)
		size += files[i].Size
	}
	head, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	data := make([]byte, 0, 1+len(head)+1+size)
	data = append(append(append(data, open), head...), '\n')
	for _, f := range files {
		data = append(data, f.Old...)
	}
	e, err = l.create()
	if err != nil {
		return nil, fmt.Errorf("the record of changes: %w", err)
	}
	_, err = e.f.Write(data)
	if err == nil && durable {
		err = e.f.Sync()
	}
	if err != nil {
		return nil, fmt.Errorf("the record of changes: %w", errors.Join(err, e.End()))
	}
	if durable {
		syncDir(l.dir)
	}
	return e, nil
}

// create makes a locked, empty entry.
func (l *Log) create() (*Entry, error) {
	for try := 1; ; try++ {
		path := filepath.Join(l.dir, fmt.Sprintf("%d-%s%s", os.Getpid(), Token(), suffix))
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrNotExist) {
			if err = os.MkdirAll(l.dir, 0o700); err == nil {
				f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
			}
		}
		if err != nil {
			return nil, err
		}
		busy, err := filelock.Try(f)
		if err == nil && !busy {
			return &Entry{f, path}, nil
		}
		f.Close()
		if err != nil || try == tries { // busy: a repair found it empty, and removes it
			_ = os.Remove(path)
			return nil, errors.Join(err, errors.New("it cannot be locked"))
		}
	}
}

// End says that the set is complete, or taken back. The nil Entry takes it.
func (e *Entry) End() error {
	if e == nil {
		return nil
	}
	_, err := e.f.WriteAt([]byte{closed}, 0)
	if e := e.f.Close(); err == nil {
		err = e
	}
	if gone := os.Remove(e.path); gone == nil {
		return nil // whatever it held
	} else if err != nil {
		return fmt.Errorf("the record of changes: %w", err)
	}
	return nil
}

// parse reads an entry; done: it is complete.
func parse(data []byte) (h header, done bool, err error) {
	if len(data) == 0 {
		return h, false, errCut
	}
	head, rest, ok := bytes.Cut(data[1:], []byte{'\n'})
	if !ok {
		return h, false, errCut
	}
	if data[0] == closed {
		return h, true, nil
	}
	if err := json.Unmarshal(head, &h); err != nil {
		return h, false, err
	}
	if data[0] != open || h.Version != version {
		return h, false, fmt.Errorf("its version %d is not known", h.Version)
	}
	for i := range h.Files {
		f := &h.Files[i]
		if f.Size < 0 || f.Size > len(rest) {
			return h, false, errCut
		}
		f.Old, rest = rest[:f.Size:f.Size], rest[f.Size:]
	}
	return h, false, nil
}

// syncDir brings the names in a folder to the disk, where the system can.
func syncDir(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		f.Close()
	}
}
