package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxFrame bounds one message, in bytes.
const maxFrame = 64 << 20

// A FrameError says what on the wire was no LSP frame. Nothing after it can be
// trusted.
type FrameError struct {
	Reason string
	Bytes  string // the first of the offending bytes
}

func (e *FrameError) Error() string {
	return fmt.Sprintf("not an LSP frame: %s: %q", e.Reason, e.Bytes)
}

// ReadFrame reads one message. A header other than Content-Length and
// Content-Type, a body that is not exactly one JSON value of that many UTF-8
// bytes, or anything before the header is a *FrameError; a clean end is io.EOF.
func ReadFrame(r *bufio.Reader) ([]byte, error) {
	length := -1
	for first := true; ; first = false {
		line, err := r.ReadString('\n')
		if err != nil {
			if err == io.EOF && line == "" && first {
				return nil, io.EOF
			}
			if err == io.EOF {
				return nil, &FrameError{"the stream ends inside a header", Cut(line)}
			}
			return nil, err
		}
		head, ok := strings.CutSuffix(line, "\r\n")
		if !ok {
			return nil, &FrameError{"a header line without CR LF", Cut(line)}
		}
		if head == "" {
			break
		}
		name, value, ok := strings.Cut(head, ": ")
		switch {
		case ok && name == "Content-Length" && length < 0:
			length, err = strconv.Atoi(value)
			if err != nil || length < 0 || length > maxFrame {
				return nil, &FrameError{"a bad Content-Length", Cut(line)}
			}
		case ok && name == "Content-Type":
		default:
			return nil, &FrameError{"an unknown header", Cut(line)}
		}
	}
	if length < 0 {
		return nil, &FrameError{"no Content-Length", ""}
	}
	body := make([]byte, length)
	if n, err := io.ReadFull(r, body); err != nil {
		if err == io.ErrUnexpectedEOF || err == io.EOF {
			return nil, &FrameError{fmt.Sprintf("the stream ends %d bytes into a body of %d", n, length), Cut(string(body[:n]))}
		}
		return nil, err
	}
	switch {
	case !utf8.Valid(body):
		return nil, &FrameError{"the body is no UTF-8", Cut(string(body))}
	case !json.Valid(body):
		return nil, &FrameError{"the body is not one JSON value of Content-Length bytes", Cut(string(body))}
	}
	return body, nil
}

// AppendFrame adds one message with its header to dst.
func AppendFrame(dst, body []byte) []byte {
	dst = fmt.Appendf(dst, "Content-Length: %d\r\n\r\n", len(body))
	return append(dst, body...)
}

// Cut shortens a text for an error.
func Cut(s string) string {
	const most = 120
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

// Encode is JSON with nothing escaped that need not be.
func Encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // a value of ours that is no JSON
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
