//go:build !unix

package search

import "os"

type file struct {
	*os.File
	size int64
}

// open opens a regular file; a link is not followed.
func open(path string) (reader, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotFile
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return file{f, info.Size()}, nil
}

func (f file) Size() int64 { return f.size }
