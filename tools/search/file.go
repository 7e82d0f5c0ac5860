package search

import (
	"bytes"
	"context"
	"errors"
	"io"

	"companion/tools/search/match"
)

// Bounds of what is read of one file, in bytes. Larger files are searched in
// pieces of whole lines, in which context ends at a piece; a match across lines
// needs all of a text at once and is not looked for beyond mostSpanned.
const (
	mostWhole   = 64 << 20
	piece       = 16 << 20
	mostSpanned = 16 << 20
)

var (
	errNotFile  = errors.New("not a regular file")
	errTooLarge = errors.New("too large to be searched across lines")
)

// reader is an open regular file.
type reader interface {
	io.ReadCloser
	Size() int64
}

// searchFile looks through a file on disk; path's last part is no link. buf is
// used for its bytes and may be replaced by a larger one.
func searchFile(ctx context.Context, m *match.Matcher, path string, multiline bool, l match.Limits, buf *[]byte) (match.Found, error) {
	f, err := open(path)
	if err != nil {
		return match.Found{}, err
	}
	defer f.Close()
	size := f.Size()
	if multiline && size > mostSpanned {
		return match.Found{}, errTooLarge
	}
	if size > mostWhole {
		return inPieces(ctx, f, m, l, make([]byte, piece))
	}
	b := (*buf)[:0]
	if int64(cap(b)) <= size {
		b = make([]byte, 0, size+size/4+512)
	}
	for {
		if len(b) == cap(b) {
			if len(b) > mostWhole {
				break // it grows as it is read
			}
			b = append(b, 0)[:len(b)]
		}
		n, err := f.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if *buf = b; errors.Is(err, io.EOF) || err == nil && (n == 0 || int64(len(b)) == size) {
			break
		}
		if err != nil {
			return match.Found{}, err
		}
		if len(b) == n && looksBinary(b) {
			return match.Found{Binary: true}, nil
		}
		if ctx.Err() != nil {
			return match.Found{}, ctx.Err()
		}
	}
	return m.Search(ctx, b, l), nil
}

// looksBinary judges by the beginning, so that all of a video is not read.
func looksBinary(b []byte) bool {
	utf16 := len(b) > 1 && (b[0] == 0xff && b[1] == 0xfe || b[0] == 0xfe && b[1] == 0xff)
	return !utf16 && bytes.IndexByte(b[:min(len(b), 8<<10)], 0) >= 0
}

// inPieces searches a file of any size, as many whole lines at a time as fit
// into buf; a line that does not fit is cut.
func inPieces(ctx context.Context, f io.Reader, m *match.Matcher, l match.Limits, buf []byte) (match.Found, error) {
	var all match.Found
	lines, kept := 0, 0
	for {
		n, err := io.ReadFull(f, buf[kept:])
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return all, err
		}
		end, last := kept+n, err != nil
		if i := bytes.LastIndexByte(buf[:end], '\n'); !last && i >= 0 {
			end = i + 1
		}
		part := l
		part.Most -= len(all.Hits)
		if l.Stop > 0 {
			part.Stop -= all.Count
		}
		got := m.Search(ctx, buf[:end], part)
		if got.Binary || bytes.IndexByte(buf[:end], 0) >= 0 {
			return match.Found{Binary: true}, nil
		}
		for _, h := range got.Hits {
			h.Line += lines
			all.Hits = append(all.Hits, h)
		}
		all.Count += got.Count
		if last || ctx.Err() != nil || l.Stop > 0 && all.Count >= l.Stop {
			return all, ctx.Err()
		}
		lines += bytes.Count(buf[:end], []byte("\n"))
		kept = copy(buf, buf[end:kept+n])
	}
}
