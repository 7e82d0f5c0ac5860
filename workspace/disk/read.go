package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"companion/text"
	"companion/workspace/place"
)

// Errors of reading and writing.
var (
	// ErrNotFile: a directory, device, socket or FIFO where a file is needed.
	ErrNotFile = place.ErrNotFile
	// ErrBinary: the bytes are no text that can be shown and spliced.
	ErrBinary = errors.New("a binary file")
	// ErrTooLarge: more bytes than the limit.
	ErrTooLarge = errors.New("too large")
	// ErrStale: the file is not what was read before.
	ErrStale = errors.New("changed since it was read")
	// ErrExists: something is where nothing should be.
	ErrExists = errors.New("exists already")
	// ErrOutside: the file's folder leads out of its root.
	ErrOutside = errors.New("outside the workspace")
)

// File is one state of a file on disk; the zero value is no file.
type File struct {
	Exists bool
	Bytes  []byte
	Text   string // of Bytes
	Format text.Format
	Hash   string      // of Text, where the caller knows it; "" = not computed
	Info   fs.FileInfo // nil for a file that was not there before
	made   []string    // folders that Put made for it, the outermost first
}

// With is the file with another text, in the same format and with the same
// mode. A character that the charset cannot hold is a *text.CharsetError.
func (f File) With(s string) (File, error) {
	b, err := text.Encode(s, f.Format)
	if err != nil {
		return File{}, err
	}
	return File{Exists: true, Bytes: b, Text: s, Format: f.Format, Info: f.Info}, nil
}

// Read reads a file of at most limit bytes. Nothing there is no error but
// Exists false. What is no regular file is ErrNotFile and is not opened; Bytes
// and Info are set also with ErrBinary.
func Read(ctx context.Context, path string, limit int64) (File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return File{}, notFile(path, info)
	}
	var f *os.File
	if err == nil {
		f, err = os.OpenFile(path, os.O_RDONLY|openNonblock, 0)
	}
	if errors.Is(err, fs.ErrNotExist) || isNotDir(err) {
		return File{}, nil
	}
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return File{}, err
	}
	if !info.Mode().IsRegular() {
		return File{}, notFile(path, info)
	}
	b, err := readAll(ctx, f, info.Size(), limit)
	if err != nil {
		return File{}, fmt.Errorf("%s: %w", path, err)
	}
	out := File{Exists: true, Bytes: b, Info: info}
	out.Text, out.Format, err = text.Decode(b)
	if err != nil {
		err = fmt.Errorf("%s: %w: %w", path, ErrBinary, err)
	}
	return out, err
}

// firstPiece is the least that is asked for at once, in bytes: files that a system
// makes up (/proc) have no size, and some give all at the first read or nothing.
const firstPiece = 4 << 10

// patience is how long a file may keep its reader waiting for a piece, where the
// system can wait for it at all.
const patience = 2 * time.Second

// readAll reads in pieces of 1 MiB, so that ctx ends it soon.
func readAll(ctx context.Context, f *os.File, size, limit int64) ([]byte, error) {
	if size > limit {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, size, limit)
	}
	buf := make([]byte, 0, max(size+1, firstPiece))
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		_ = f.SetReadDeadline(time.Now().Add(patience)) // ordinary files have none, and do not wait
		n, err := f.Read(buf[len(buf):min(cap(buf), len(buf)+1<<20)])
		buf = buf[:len(buf)+n]
		if int64(len(buf)) > limit {
			return nil, fmt.Errorf("%w: over %d bytes", ErrTooLarge, limit)
		}
		if err == io.EOF {
			return buf, nil
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil, fmt.Errorf("%w: it keeps its reader waiting", ErrNotFile)
		}
		if err != nil {
			return nil, err
		}
	}
}

func notFile(path string, info fs.FileInfo) error {
	kind := "neither a file nor a folder"
	switch m := info.Mode(); {
	case m.IsDir():
		kind = "a folder"
	case m&fs.ModeNamedPipe != 0:
		kind = "a named pipe"
	case m&fs.ModeSocket != 0:
		kind = "a socket"
	case m&fs.ModeDevice != 0:
		kind = "a device"
	}
	return fmt.Errorf("%s: %w: it is %s", path, ErrNotFile, kind)
}
