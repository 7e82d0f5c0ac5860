package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"companion/text"
)

// diskFile is one state of a file on disk.
type diskFile struct {
	exists bool
	bytes  []byte
	text   string
	format text.Format
	info   fs.FileInfo // nil for a new file
	// folders that were made for it, the outermost first
	folders []string
}

func (f diskFile) snapshot(id File) Snapshot {
	s := Snapshot{File: id, Exists: f.exists, Text: f.text, Format: f.format}
	if f.exists {
		s.Hash = hashOf(f.text)
	}
	return s
}

func hashOf(s string) string {
	h := sha256.New()
	_, _ = io.WriteString(h, s)
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// Read gives the state of a file: the open buffer's, else the disk's. Nothing
// there is no error but Exists false. A folder, device, socket or FIFO is
// ErrNotFile (and is not opened), bytes that are no text ErrBinary, more than
// Options.MaxFile ErrTooLarge.
func (w *Workspace) Read(ctx context.Context, path string) (Snapshot, error) {
	f, err := w.locate(path)
	if err != nil {
		return Snapshot{}, err
	}
	w.mu.Lock()
	if d := w.docAt(f.Path); d != nil {
		defer w.mu.Unlock()
		return w.snapshotOf(d), nil
	}
	w.mu.Unlock()
	disk, err := w.readDisk(ctx, f.Path)
	if err != nil {
		return Snapshot{File: f}, err
	}
	return disk.snapshot(f), nil
}

// locate is Resolve that also takes the Path of an open document that is no
// file.
func (w *Workspace) locate(path string) (File, error) {
	w.mu.Lock()
	d := w.docs[path]
	w.mu.Unlock()
	if d != nil && d.path == path {
		return virtual(path), nil
	}
	return w.Resolve(path)
}

// readDisk reads a canonical path.
func (w *Workspace) readDisk(ctx context.Context, path string) (diskFile, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return diskFile{}, fmt.Errorf("%s: %w: it is %s", path, ErrNotFile, kindOf(info.Mode()))
	}
	var f *os.File
	if err == nil {
		f, err = os.OpenFile(path, os.O_RDONLY|openNonblock, 0)
	}
	if errors.Is(err, fs.ErrNotExist) || isNotDir(err) {
		return diskFile{}, nil
	}
	if err != nil {
		return diskFile{}, err
	}
	defer f.Close()
	return readOpen(ctx, f, path, w.maxFile)
}

func readOpen(ctx context.Context, f *os.File, path string, maxFile int64) (diskFile, error) {
	info, err := f.Stat()
	if err != nil {
		return diskFile{}, err
	}
	if !info.Mode().IsRegular() {
		return diskFile{}, fmt.Errorf("%s: %w: it is %s", path, ErrNotFile, kindOf(info.Mode()))
	}
	if info.Size() > maxFile {
		return diskFile{}, fmt.Errorf("%s: %w: %d bytes, the limit is %d", path, ErrTooLarge, info.Size(), maxFile)
	}
	out := diskFile{exists: true, info: info}
	buf := make([]byte, 0, info.Size()+1)
	for {
		if ctx.Err() != nil {
			return diskFile{}, ctx.Err()
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := f.Read(buf[len(buf):min(cap(buf), len(buf)+1<<20)])
		buf = buf[:len(buf)+n]
		if int64(len(buf)) > maxFile {
			return diskFile{}, fmt.Errorf("%s: %w: over %d bytes", path, ErrTooLarge, maxFile)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return diskFile{}, err
		}
	}
	out.bytes = buf
	out.text, out.format, err = text.Decode(buf)
	if errors.Is(err, text.ErrBinary) {
		err = fmt.Errorf("%s: %w (%w)", path, ErrBinary, err)
	}
	return out, err
}

func kindOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	case m&fs.ModeSymlink != 0:
		return "a symbolic link that leads nowhere"
	}
	return "no regular file"
}
