package gemini

import (
	"bytes"
	"errors"
	"io"
	"net/http"
)

// tee stands between the network and the SDK for one stream. It keeps the data
// lines as they came, since the SDK yields one chunk per line; it leaves out
// comments and fields that the SDK takes for a broken stream; and it keeps a
// read error to itself, which the SDK would write to the process's log, and ends
// the stream instead.
type tee struct {
	nextTrip http.RoundTripper
	body     io.ReadCloser
	partial  []byte   // a line that is not whole yet
	out      []byte   // what the SDK is to read
	lines    [][]byte // data lines not handed out
	ended    bool
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
	for len(t.out) == 0 {
		if t.ended {
			return 0, io.EOF
		}
		t.fill(p)
	}
	n := copy(p, t.out)
	t.out = t.out[n:]
	return n, nil
}

// fill reads more, with p as its buffer.
func (t *tee) fill(p []byte) {
	n, err := t.body.Read(p)
	t.partial = append(t.partial, p[:n]...)
	for {
		line, rest, whole := bytes.Cut(t.partial, []byte("\n"))
		if !whole {
			break
		}
		t.line(line)
		t.partial = rest
	}
	if err != nil {
		t.line(t.partial)
		t.partial, t.ended = nil, true
		if !errors.Is(err, io.EOF) {
			t.failed = err
		}
	}
}

// line passes one line on: data as an event of its own; what is no field of an
// event stream (an error as plain JSON) as it is, for the SDK to report.
func (t *tee) line(line []byte) {
	line = bytes.TrimRight(line, "\r")
	name, data, field := bytes.Cut(line, []byte(":"))
	switch {
	case len(line) == 0:
	case field && string(name) == "data":
		t.lines = append(t.lines, bytes.Clone(bytes.TrimSpace(data)))
		t.out = append(append(t.out, line...), "\n\n"...)
	case field && (len(name) == 0 || string(name) == "event" || string(name) == "id" || string(name) == "retry"):
	default:
		t.out = append(append(t.out, line...), '\n')
	}
}

// Close implements io.Closer.
func (t *tee) Close() error {
	_ = t.body.Close()
	return nil
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
