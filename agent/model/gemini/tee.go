package gemini

import (
	"bytes"
	"errors"
	"io"
	"net/http"
)

// tee keeps the data lines of one stream as they came, beside the SDK, which
// yields one chunk per line. It also keeps a read error to itself (the SDK
// would write it to the process's log) and ends the stream instead.
type tee struct {
	nextTrip http.RoundTripper
	body     io.ReadCloser
	partial  []byte
	lines    [][]byte
	failed   error
}

func (t *tee) over(next http.RoundTripper) *tee {
	t.nextTrip = next
	return t
}

// RoundTrip implements http.RoundTripper.
func (t *tee) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.nextTrip.RoundTrip(req)
	if err == nil {
		t.body, resp.Body = resp.Body, t
	}
	return resp, err
}

// Read implements io.Reader.
func (t *tee) Read(p []byte) (int, error) {
	n, err := t.body.Read(p)
	t.partial = append(t.partial, p[:n]...)
	for {
		line, rest, whole := bytes.Cut(t.partial, []byte("\n"))
		if !whole {
			break
		}
		t.keep(line)
		t.partial = rest
	}
	if err != nil {
		t.keep(t.partial)
		t.partial = nil
		if !errors.Is(err, io.EOF) {
			t.failed = err
		}
		return n, io.EOF
	}
	return n, nil
}

// Close implements io.Closer.
func (t *tee) Close() error {
	_ = t.body.Close()
	return nil
}

func (t *tee) keep(line []byte) {
	if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
		t.lines = append(t.lines, bytes.Clone(bytes.TrimSpace(data)))
	}
}

// next is the oldest line not handed out, nil when there is none.
func (t *tee) next() []byte {
	if len(t.lines) == 0 {
		return nil
	}
	line := t.lines[0]
	t.lines = t.lines[1:]
	return line
}
