package modeltest

import (
	"bytes"
	"io"
	"net/http"
)

// Stream is a turn as the bytes of the vendor's event stream; n tells turns
// apart in the ids that are made up.
func Stream(vendor Vendor, n int, turn Turn) []byte {
	return render(vendor, n, turn, read(vendor, nil))
}

// Events is a turn as the data of the vendor's events.
func Events(vendor Vendor, n int, turn Turn) []string { return read(vendor, nil).events(n, turn) }

// RoundTripper answers every request with body, in process and without a
// network: first the bytes before at, then the rest. A split of each stream at
// each position takes milliseconds.
func RoundTripper(body []byte, at int) http.RoundTripper {
	return splitter{body: body, at: min(max(at, 0), len(body))}
}

type splitter struct {
	body []byte
	at   int
}

// RoundTrip implements http.RoundTripper.
func (s splitter) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:  http.Header{"Content-Type": {"text/event-stream"}},
		Body:    io.NopCloser(io.MultiReader(bytes.NewReader(s.body[:s.at]), bytes.NewReader(s.body[s.at:]))),
		Request: req,
	}, nil
}
