package wire

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestReadFrameTakesOnlyFrames(t *testing.T) {
	tests := []struct{ name, in, want, reason string }{
		{"one", "Content-Length: 2\r\n\r\n{}", "{}", ""},
		{"content type", "Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{}", "{}", ""},
		{"bytes and not characters are counted", "Content-Length: 5\r\n\r\n\"ä€\"", "", "UTF-8"},
		{"utf-8", "Content-Length: 7\r\n\r\n\"ä€\"", "\"ä€\"", ""},
		{"a log line on stdout", "starting up\nContent-Length: 2\r\n\r\n{}", "", "without CR LF"},
		{"length too short", "Content-Length: 1\r\n\r\n{}", "", "not one JSON value"},
		{"length too long", "Content-Length: 3\r\n\r\n{}", "", "ends 2 bytes into a body of 3"},
		{"length missing", "Content-Type: x\r\n\r\n{}", "", "no Content-Length"},
		{"length no number", "Content-Length: two\r\n\r\n{}", "", "bad Content-Length"},
		{"unknown header", "X: y\r\n\r\n{}", "", "unknown header"},
		{"end inside a header", "Content-Le", "", "inside a header"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ReadFrame(bufio.NewReader(strings.NewReader(tt.in)))
			var bad *FrameError
			switch {
			case tt.reason == "" && (err != nil || string(got) != tt.want):
				t.Fatalf("got %q, %v; want %q", got, err, tt.want)
			case tt.reason != "" && (!errors.As(err, &bad) || !strings.Contains(bad.Reason, tt.reason)):
				t.Fatalf("got %q, %v; want a FrameError with %q", got, err, tt.reason)
			}
		})
	}
	if _, err := ReadFrame(bufio.NewReader(strings.NewReader(""))); err != io.EOF {
		t.Fatalf("a clean end: %v, want io.EOF", err)
	}
}
