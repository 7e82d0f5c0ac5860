//go:build unix

package search

import (
	"io"
	"os"
	"syscall"
)

// raw is a file without a place in the runtime's poller, which regular files
// have no use for: a tree holds many and most are small.
type raw struct {
	fd   int
	size int64
}

// open opens a regular file. A pipe does not block it, and a link is not
// followed.
func open(path string) (reader, error) {
	fd, err := again(func() (int, error) {
		return syscall.Open(path, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC|syscall.O_NOFOLLOW, 0)
	})
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	f := &raw{fd: fd}
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		_ = f.Close()
		return nil, &os.PathError{Op: "stat", Path: path, Err: err}
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		_ = f.Close()
		return nil, errNotFile
	}
	f.size = st.Size
	return f, nil
}

func (f *raw) Size() int64 { return f.size }

func (f *raw) Read(b []byte) (int, error) {
	n, err := again(func() (int, error) { return syscall.Read(f.fd, b) })
	if n = max(n, 0); err == nil && n == 0 && len(b) > 0 {
		err = io.EOF
	}
	return n, err
}

func (f *raw) Close() error { return syscall.Close(f.fd) }

func again(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != syscall.EINTR { //nolint:errorlint // an errno, unwrapped
			return n, err
		}
	}
}
