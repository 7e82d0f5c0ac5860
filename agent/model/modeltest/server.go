package modeltest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"companion/agent/model"
)

// Key is the API key for providers under test; it must never be seen in an error
// or a log.
const Key = "sk-secret-0123456789-do-not-show"

// Vendor is whose wire a server speaks.
type Vendor string

// Vendors, named as the providers.
const (
	OpenAI     Vendor = "openai"     // POST /v1/responses
	Compatible Vendor = "compatible" // POST /v1/chat/completions
	Anthropic  Vendor = "anthropic"  // POST /v1/messages
	Gemini     Vendor = "gemini"     // POST /v1beta/models/M:streamGenerateContent
)

// Call is a tool call that the scripted model makes.
type Call struct {
	ID        string // "" = one is made up
	Name      string // namespace__name, however the wire has it; "tool_search" is the search
	Arguments string // bytes; need be no JSON
	// Input is the text of a freeform tool; it takes the place of Arguments.
	Input string
}

// Search is a search of the web that the scripted vendor runs.
type Search struct {
	Query      string
	Title, URL string // of what it found
}

// Turn is one scripted answer; the zero value of a fault means that all is well.
type Turn struct {
	// Expect are strings that the request's body must contain.
	Expect []string

	Reasoning string
	Searches  []Search
	Text      string
	Calls     []Call
	Usage     model.Usage
	// Stop: "" = by what was said; StopLength leaves the last item unfinished;
	// StopRefusal refuses with Text.
	Stop model.Stop

	Status          int    // an error answer instead of a stream
	Message         string // its text
	RetryAfter      string // its Retry-After header, as it stands
	CutAfterBytes   int    // the connection is closed after so many bytes of the stream
	StallAfterBytes int    // nothing more comes after so many bytes
	StallHeaders    bool   // not even headers come
	Empty           bool   // 200, and no event
	BrokenJSON      bool   // an event in the middle is no JSON
	SplitAt         int    // the stream is flushed after so many bytes
	// RawEvents are sent instead of the turn: each the data of one event.
	RawEvents []string

	Stalled func() // called when the stall begins
}

// Request is what was asked.
type Request struct {
	Path   string
	Header http.Header
	Body   []byte
}

// TB is what of testing.TB a Server needs.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Cleanup(func())
}

// Server is a running loopback server.
type Server struct {
	// URL is the base URL to give to the provider.
	URL string

	vendor Vendor
	t      TB
	http   *httptest.Server
	closed chan struct{}
	once   sync.Once

	mu       sync.Mutex // guards all below
	turns    []Turn
	next     int
	requests []Request
	strict   bool
}

// NewServer starts a server that plays the turns in order and stops with t's
// cleanup.
func NewServer(t TB, vendor Vendor, turns ...Turn) *Server {
	t.Helper()
	s := &Server{vendor: vendor, t: t, turns: turns, closed: make(chan struct{})}
	s.http = httptest.NewServer(s)
	s.URL = s.http.URL
	if vendor == OpenAI || vendor == Compatible {
		s.URL += "/v1"
	}
	t.Cleanup(func() {
		s.Close()
		s.mu.Lock()
		defer s.mu.Unlock()
		if left := len(s.turns) - s.next; left > 0 {
			t.Errorf("modeltest %s: %d of %d turns were never asked for", vendor, left, len(s.turns))
		}
	})
	return s
}

// Close stops the server and lets go of stalled requests. It may be called
// more than once.
func (s *Server) Close() {
	s.once.Do(func() {
		close(s.closed)
		s.http.CloseClientConnections()
		s.http.Close()
	})
}

// Strict has the test fail when the script calls a tool that the request did not
// tell of, as no model would; one that is known to be deferred and was not
// loaded fails it in any case.
func (s *Server) Strict() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.strict = true
}

// Prefix tells where the requests so far do not extend each other.
func (s *Server) Prefix() []Break { return Prefix(s.vendor, s.Requests()) }

// Add appends turns to the script.
func (s *Server) Add(turns ...Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turns = append(s.turns, turns...)
}

// Requests are the requests so far, in order of arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	n := s.next
	s.requests = append(s.requests, Request{Path: r.URL.Path, Header: r.Header.Clone(), Body: body})
	var turn Turn
	wanted := strings.Contains(r.URL.Path, s.vendor.path()) && n < len(s.turns)
	if wanted {
		turn = s.turns[n]
		s.next++
	}
	s.mu.Unlock()
	if !wanted {
		s.t.Errorf("modeltest %s: request %d to %s was not expected: %.400s", s.vendor, n+1, r.URL.Path, body)
		turn = Turn{Status: http.StatusBadRequest, Message: "modeltest: no turn is left for this request"}
	}
	for _, want := range turn.Expect {
		if !strings.Contains(string(body), want) {
			s.t.Errorf("modeltest %s: request %d lacks %q: %s", s.vendor, n+1, want, body)
		}
	}
	asked := read(s.vendor, body)
	if len(asked.problems) > 0 {
		s.t.Errorf("modeltest %s: request %d would be refused: %s: %s", s.vendor, n+1, strings.Join(asked.problems, "; "), body)
		turn = Turn{Status: http.StatusBadRequest, Message: strings.Join(asked.problems, "; ")}
	}
	s.callable(n, turn, asked)
	s.play(w, r, n, turn, asked)
}

// callable fails the test where the script does what no model could.
func (s *Server) callable(n int, turn Turn, asked *wire) {
	s.mu.Lock()
	strict := s.strict
	s.mu.Unlock()
	for _, c := range turn.Calls {
		switch d := asked.find(c); {
		case d == nil && strict:
			s.t.Errorf("modeltest %s: turn %d calls %s, of which the request does not tell", s.vendor, n+1, c.Name)
		case d != nil && d.deferred && !d.loaded:
			s.t.Errorf("modeltest %s: turn %d calls %s, which is deferred and was not loaded", s.vendor, n+1, c.Name)
		}
	}
	if len(turn.Searches) > 0 && !asked.offers("hosted") {
		s.t.Errorf("modeltest %s: turn %d searches the web, which the request does not offer", s.vendor, n+1)
	}
}

func (s *Server) play(w http.ResponseWriter, r *http.Request, n int, turn Turn, asked *wire) {
	if turn.StallHeaders {
		s.stall(r, turn)
		return
	}
	if turn.Status != 0 {
		if turn.RetryAfter != "" {
			w.Header().Set("Retry-After", turn.RetryAfter)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(turn.Status)
		_, _ = io.WriteString(w, s.vendor.errorBody(turn.Status, turn.Message))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	stream := render(s.vendor, n, turn, asked)
	flush := http.NewResponseController(w)
	send := func(b []byte) {
		_, _ = w.Write(b)
		_ = flush.Flush()
	}
	switch {
	case turn.CutAfterBytes > 0:
		send(stream[:min(turn.CutAfterBytes, len(stream))])
		panic(http.ErrAbortHandler)
	case turn.StallAfterBytes > 0:
		send(stream[:min(turn.StallAfterBytes, len(stream))])
		s.stall(r, turn)
	case turn.SplitAt > 0:
		at := min(turn.SplitAt, len(stream))
		send(stream[:at])
		send(stream[at:])
	default:
		send(stream)
	}
}

func (s *Server) stall(r *http.Request, turn Turn) {
	if turn.Stalled != nil {
		turn.Stalled()
	}
	select {
	case <-r.Context().Done():
	case <-s.closed:
	}
}

func (v Vendor) path() string {
	switch v {
	case OpenAI:
		return "/v1/responses"
	case Compatible:
		return "/v1/chat/completions"
	case Anthropic:
		return "/v1/messages"
	case Gemini:
		return "/v1beta/models/"
	}
	return "unknown vendor " + string(v)
}

func (v Vendor) errorBody(status int, message string) string {
	kind := map[int]string{
		400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
		429: "rate_limit_error", 529: "overloaded_error",
	}[status]
	if kind == "" {
		kind = "api_error"
	}
	switch v {
	case Anthropic:
		return fmt.Sprintf(`{"type":"error","error":{"type":%s,"message":%s}}`, quote(kind), quote(message))
	case Gemini:
		return fmt.Sprintf(`{"error":{"code":%d,"message":%s,"status":"STATUS_%d"}}`, status, quote(message), status)
	default:
		return fmt.Sprintf(`{"error":{"message":%s,"type":%s,"param":null,"code":null}}`, quote(message), quote(kind))
	}
}
