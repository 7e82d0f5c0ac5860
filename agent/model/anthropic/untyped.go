package anthropic

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go/v2/option"
)

// untyped watches a stream for data without an event line. The SDK drops such
// data without a word: an error in it would look like an empty stream.
type untyped struct {
	line  []byte // its beginning, at most maxSeen bytes
	typed bool   // the event at hand has a type
	data  string // of the event at hand, its first line
	first string // the first data without a type, "" = none
}

// maxSeen bytes of a line are kept: enough to say what came.
const maxSeen = 500

// watch puts u behind the body of the answer.
func (u *untyped) watch() option.RequestOption {
	return option.WithMiddleware(func(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		resp, err := next(req)
		if err == nil && resp.Body != nil {
			resp.Body = &watched{resp.Body, u}
		}
		return resp, err
	})
}

type watched struct {
	io.ReadCloser
	u *untyped
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.ReadCloser.Read(b)
	w.u.feed(b[:n])
	if errors.Is(err, io.EOF) { // ends the line and the event at hand
		w.u.feed([]byte("\n\n"))
	}
	return n, err
}

func (u *untyped) feed(b []byte) {
	for len(b) > 0 && u.first == "" {
		part, rest, whole := bytes.Cut(b, []byte("\n"))
		u.line = append(u.line, part[:min(len(part), maxSeen-len(u.line))]...)
		if b = rest; whole {
			u.take(bytes.TrimSuffix(u.line, []byte("\r")))
			u.line = u.line[:0]
		}
	}
}

// take handles one line as WHATWG HTML, 9.2.6, has it.
func (u *untyped) take(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimSpace(value)
	switch {
	case len(line) == 0:
		if !u.typed {
			u.first = u.data
		}
		u.typed, u.data = false, ""
	case string(name) == "event":
		u.typed = len(value) > 0
	case string(name) == "data" && u.data == "" && string(value) != "[DONE]":
		u.data = string(value)
	}
}
