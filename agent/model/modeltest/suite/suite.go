package suite

import (
	"bytes"
	"context"
	"errors"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sourcegraph/conc"

	"companion/agent/model"
	"companion/agent/model/modeltest"
)

// Setup is a provider as Run sees it.
type Setup struct {
	Vendor modeltest.Vendor
	// New makes the provider; client may be nil.
	New func(t *testing.T, baseURL string, client *http.Client) model.Provider
	// Env are variables that the vendor's SDK reads; Run sets each to point
	// to a stranger.
	Env []string
	// Update rewrites the goldens.
	Update bool
}

// Run is what every provider must keep; call it from the provider's tests.
func Run(t *testing.T, s Setup) {
	t.Run("text comes as deltas, one item, usage and one end", s.text)
	t.Run("parallel calls come in order with their bytes", s.calls)
	t.Run("a split at each byte position changes nothing", s.split)
	t.Run("a stream that ends early is never taken as whole", s.truncated)
	t.Run("faults have their kind", s.faults)
	t.Run("the output limit leaves the last item incomplete", s.length)
	t.Run("a refusal has a reason", s.refusal)
	t.Run("cancel ends a hanging stream within 100 ms", s.cancel)
	t.Run("a consumer may stop at any event", s.stop)
	t.Run("a redirect is not followed", s.redirect)
	t.Run("an answer that is no stream is named", s.noStream)
	t.Run("the environment redirects nothing", s.environment)
	t.Run("unknown events are ignored", s.unknown)
	t.Run("comments and other fields of the stream are ignored", s.comments)
	t.Run("one provider serves streams side by side", s.sideBySide)
	t.Run("garbled bytes never break the contract", s.garbled)
	s.requests(t)
}

// turn is a whole answer: reasoning, text, two parallel calls, usage.
func turn() modeltest.Turn {
	return modeltest.Turn{
		Reasoning: "First look at the größe.",
		Text:      "I read two files – \"both\".",
		Calls:     []modeltest.Call{{Name: "read", Arguments: `{"path":"a.go"}`}, {Name: "editor__show", Arguments: `{"zeta":"é","path":"b.go"}`}},
		Usage:     model.Usage{Input: 120, Cached: 100, Output: 33, Reasoning: 7},
	}
}

func tools() []model.Tool {
	return []model.Tool{
		{Name: "read", Description: "Reads a file.", Strict: true, Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string"},"a":{"type":["integer","null"]}},"required":["path","a"],"additionalProperties":false}`)},
		{Name: "show", Namespace: "editor", Description: "Shows a file.", Parameters: []byte(`{"properties":{"zeta":{"type":"string"},"path":{"type":"string"}}}`)},
	}
}

func ask() model.Request {
	return model.Request{
		Model: "m-1", System: "You are brief.", Tools: tools(),
		Items:   []model.Item{{Kind: model.Message, ID: "u1", Role: model.User, Text: "Read a.go and b.go"}},
		Options: model.Options{CacheKey: "thread-1"},
	}
}

// inProcess hears one stream of given bytes, split at a position.
func (s Setup) inProcess(t *testing.T, body []byte, at int) modeltest.Heard {
	t.Helper()
	p := s.New(t, "http://model.invalid/v1", &http.Client{Transport: modeltest.RoundTripper(body, at)})
	return modeltest.Hear(p.Stream(t.Context(), ask()))
}

func (s Setup) over(t *testing.T, turns ...modeltest.Turn) (modeltest.Heard, *modeltest.Server) {
	t.Helper()
	server := modeltest.NewServer(t, s.Vendor, turns...)
	p := s.New(t, server.URL, nil)
	return modeltest.Hear(p.Stream(t.Context(), ask())), server
}

func (s Setup) text(t *testing.T) {
	h, _ := s.over(t, modeltest.Turn{Expect: []string{"Read a.go"}, Text: "Hello wörld", Usage: turn().Usage})
	if h.Err != nil || h.Broken != "" || h.Stop != model.StopEnd || len(h.Items) != 1 {
		t.Fatalf("heard %+v", h)
	}
	it := h.Items[0]
	if it.Kind != model.Message || it.Role != model.Assistant || it.Text != "Hello wörld" || h.Deltas[it.ID] != it.Text || it.Incomplete {
		t.Errorf("item %+v, deltas %q", it, h.Deltas)
	}
	if h.Usage != turn().Usage {
		t.Errorf("usage %+v, want %+v", h.Usage, turn().Usage)
	}
}

func (s Setup) calls(t *testing.T) {
	h, _ := s.over(t, turn())
	s.wantWhole(t, h)
}

func (s Setup) wantWhole(t *testing.T, h modeltest.Heard) {
	t.Helper()
	if h.Err != nil || h.Broken != "" || h.Stop != model.StopTools || len(h.Items) != 4 {
		t.Fatalf("heard %+v", h)
	}
	if r := h.Items[0]; r.Kind != model.Reasoning || r.Text != turn().Reasoning || h.Deltas[r.ID] != r.Text {
		t.Errorf("reasoning %+v, deltas %q", r, h.Deltas[r.ID])
	}
	if m := h.Items[1]; m.Text != turn().Text || h.Deltas[m.ID] != m.Text {
		t.Errorf("text %+v", m)
	}
	a, b := h.Items[2], h.Items[3]
	if a.Name != "read" || a.Namespace != "" || b.Name != "show" || b.Namespace != "editor" || a.CallID == b.CallID {
		t.Errorf("calls %+v, %+v", a, b)
	}
	for i, c := range []model.Item{a, b} {
		if c.Kind != model.ToolCall || c.Incomplete || c.Arguments != turn().Calls[i].Arguments || h.Deltas[c.ID] != c.Arguments {
			t.Errorf("call %d: %+v, deltas %q", i, c, h.Deltas[c.ID])
		}
	}
	if h.Usage != turn().Usage {
		t.Errorf("usage %+v, want %+v", h.Usage, turn().Usage)
	}
}

// split tries every position in process and a few over a socket.
func (s Setup) split(t *testing.T) {
	body := modeltest.Stream(s.Vendor, 0, turn())
	for at := 0; at <= len(body); at += stride {
		s.wantWhole(t, s.inProcess(t, body, at))
		if t.Failed() {
			t.Fatalf("split at %d: %q | %q", at, body[:at], body[at:])
		}
	}
	crlf := bytes.ReplaceAll(body, []byte("\n"), []byte("\r\n"))
	s.wantWhole(t, s.inProcess(t, crlf, len(crlf)/2))
	for _, at := range []int{1, len(body) / 3, len(body) / 2, len(body) - 1} {
		one := turn()
		one.SplitAt = at
		h, _ := s.over(t, one)
		s.wantWhole(t, h)
	}
}

func (s Setup) truncated(t *testing.T) {
	body := modeltest.Stream(s.Vendor, 0, turn())
	for at := 0; at < len(body); at += 5 * stride {
		h := s.inProcess(t, body[:at], at)
		if h.Broken != "" {
			t.Fatalf("cut at %d: %s", at, h.Broken)
		}
		if h.Err == nil {
			if len(h.Items) != 4 || at < len(body)*2/3 {
				t.Fatalf("cut at %d of %d was taken as whole: %+v", at, len(body), h)
			}
			continue
		}
		if k := h.Kind(); k != model.ErrEmpty && k != model.ErrStreamCut && k != model.ErrProtocol {
			t.Fatalf("cut at %d: %v", at, h.Err)
		}
	}
}

func (s Setup) faults(t *testing.T) {
	var logged bytes.Buffer
	before := log.Writer()
	log.SetOutput(&logged)
	defer log.SetOutput(before)
	half := len(modeltest.Stream(s.Vendor, 0, turn())) / 2
	cut, broken := turn(), turn()
	cut.CutAfterBytes, broken.BrokenJSON = half, true
	for _, c := range []struct {
		name string
		turn modeltest.Turn
		kind model.ErrorKind
		says string
	}{
		{"key refused", modeltest.Turn{Status: 401, Message: "Incorrect API key provided: " + modeltest.Key}, model.ErrAuth, "Incorrect API key provided: [key]"},
		{"forbidden", modeltest.Turn{Status: 403, Message: "no access to m-1"}, model.ErrAuth, "no access to m-1"},
		{"bad request", modeltest.Turn{Status: 400, Message: "unknown parameter 'x'"}, model.ErrRequest, "unknown parameter 'x'"},
		{"no such model", modeltest.Turn{Status: 404, Message: "model m-1 does not exist"}, model.ErrRequest, "model m-1 does not exist"},
		{"too long", modeltest.Turn{Status: 400, Message: "prompt is too long: 300000 tokens"}, model.ErrContext, "new thread"},
		{"rate", modeltest.Turn{Status: 429, RetryAfter: "7", Message: "slow down"}, model.ErrRate, "slow down"},
		{"overload", modeltest.Turn{Status: 503, Message: "try later"}, model.ErrOverload, "try later"},
		{"529", modeltest.Turn{Status: 529, Message: "Overloaded"}, model.ErrOverload, "Overloaded"},
		{"empty", modeltest.Turn{Empty: true}, model.ErrEmpty, "ask again"},
		{"cut", cut, model.ErrStreamCut, "middle"},
		{"broken JSON", broken, model.ErrProtocol, "cannot be read"},
	} {
		h, _ := s.over(t, c.turn)
		var e *model.Error
		if !errors.As(h.Err, &e) || e.Kind != c.kind || e.Provider != string(s.Vendor) || h.Broken != "" {
			t.Errorf("%s: %v (%+v)", c.name, h.Err, h)
			continue
		}
		if !strings.Contains(e.Error(), c.says) {
			t.Errorf("%s: %q lacks %q", c.name, e.Error(), c.says)
		}
		if c.turn.RetryAfter != "" && e.RetryAfter != 7*time.Second {
			t.Errorf("%s: retry after %v", c.name, e.RetryAfter)
		}
		if strings.Contains(e.Error(), modeltest.Key) {
			t.Errorf("%s: the key is in the error: %v", c.name, e)
		}
	}
	dead := httptest.NewServer(http.NotFoundHandler())
	dead.Close()
	h := modeltest.Hear(s.New(t, dead.URL, nil).Stream(t.Context(), ask()))
	if h.Kind() != model.ErrNetwork {
		t.Errorf("nobody listens: %v", h.Err)
	}
	if strings.Contains(logged.String(), modeltest.Key) {
		t.Errorf("the key was logged: %s", logged.String())
	}
}

func (s Setup) length(t *testing.T) {
	text, _ := s.over(t, modeltest.Turn{Text: "a long story", Stop: model.StopLength})
	if text.Err != nil || text.Broken != "" || text.Stop != model.StopLength || len(text.Items) != 1 || !text.Items[0].Incomplete {
		t.Errorf("text: %+v", text)
	}
	call, _ := s.over(t, modeltest.Turn{Text: "x", Calls: []modeltest.Call{{Name: "read", Arguments: `{"path":"a.go","a":1}`}}, Stop: model.StopLength})
	if call.Err != nil || call.Broken != "" || call.Stop != model.StopLength {
		t.Fatalf("call: %+v", call)
	}
	for _, it := range call.Items {
		if it.Kind == model.ToolCall && (!it.Incomplete || it.Raw != nil) {
			t.Errorf("a cut call must be incomplete and never replayed: %+v", it)
		}
	}
}

func (s Setup) refusal(t *testing.T) {
	h, _ := s.over(t, modeltest.Turn{Text: "I cannot help with that", Stop: model.StopRefusal})
	if h.Err != nil || h.Broken != "" || h.Stop != model.StopRefusal || h.Detail == "" {
		t.Errorf("heard %+v", h)
	}
}

// cancel takes the best of three: the machine may pause, the provider may not.
func (s Setup) cancel(t *testing.T) {
	some := len(modeltest.Stream(s.Vendor, 0, turn())) / 2
	stalled := turn()
	stalled.StallAfterBytes = some
	for name, hang := range map[string]modeltest.Turn{"headers": {StallHeaders: true}, "body": stalled} {
		best := time.Hour
		for range 3 {
			ctx, cancel := context.WithCancel(t.Context())
			began := make(chan time.Time, 1)
			hang.Stalled = func() {
				began <- time.Now()
				cancel()
			}
			server := modeltest.NewServer(t, s.Vendor, hang)
			h := modeltest.Hear(s.New(t, server.URL, nil).Stream(ctx, ask()))
			best = min(best, time.Since(<-began))
			cancel()
			server.Close()
			if !errors.Is(h.Err, context.Canceled) || h.Broken != "" {
				t.Fatalf("%s: %+v", name, h)
			}
		}
		if best > 100*time.Millisecond {
			t.Errorf("%s: ended %v after the cancel", name, best)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if h := modeltest.Hear(s.New(t, "http://127.0.0.1:1", nil).Stream(ctx, ask())); !errors.Is(h.Err, context.Canceled) {
		t.Errorf("cancelled before: %v", h.Err)
	}
}

func (s Setup) stop(t *testing.T) {
	body := modeltest.Stream(s.Vendor, 0, turn())
	all := s.inProcess(t, body, 0).Events
	for n := range all {
		p := s.New(t, "http://model.invalid/v1", &http.Client{Transport: modeltest.RoundTripper(body, 0)})
		left := n
		for range p.Stream(t.Context(), ask()) {
			if left == 0 {
				break
			}
			left--
		}
	}
}

func (s Setup) redirect(t *testing.T) {
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the stranger was asked") }))
	defer stranger.Close()
	here := httptest.NewServer(http.RedirectHandler(stranger.URL, http.StatusTemporaryRedirect))
	defer here.Close()
	h := modeltest.Hear(s.New(t, here.URL, nil).Stream(t.Context(), ask()))
	if h.Kind() != model.ErrRequest || !strings.Contains(h.Err.Error(), "redirect") {
		t.Errorf("heard %v", h.Err)
	}
}

func (s Setup) noStream(t *testing.T) {
	for _, media := range []string{"text/html; charset=utf-8", "application/json"} {
		here := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", media)
			_, _ = w.Write([]byte(`{"message":"hi"}`))
		}))
		defer here.Close()
		h := modeltest.Hear(s.New(t, here.URL, nil).Stream(t.Context(), ask()))
		if h.Kind() != model.ErrProtocol || !strings.Contains(h.Err.Error(), "base URL") {
			t.Errorf("%s: %v", media, h.Err)
		}
	}
}

func (s Setup) environment(t *testing.T) {
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the stranger was asked") }))
	defer stranger.Close()
	for _, name := range s.Env {
		v := "stranger-" + name
		switch {
		case strings.Contains(name, "URL"):
			v = stranger.URL
		case strings.Contains(name, "HEADERS"):
			v = "X-Stranger: yes\nAuthorization: Bearer stranger"
		case strings.Contains(name, "USE_"):
			v = "true"
		}
		t.Setenv(name, v)
	}
	h, server := s.over(t, modeltest.Turn{Text: "ok"})
	if h.Err != nil {
		t.Fatal(h.Err)
	}
	r := server.Requests()[0]
	var all strings.Builder
	_ = r.Header.Write(&all)
	if strings.Contains(strings.ToLower(all.String()), "stranger") || strings.Contains(string(r.Body), "stranger") {
		t.Errorf("the environment reached the wire: %s", all.String())
	}
	if !strings.Contains(all.String(), modeltest.Key) {
		t.Errorf("our key did not: %s", all.String())
	}
}

func (s Setup) unknown(t *testing.T) {
	data := modeltest.Events(s.Vendor, 0, turn())
	strange := []string{data[0], `{"type":"response.brand.new","what":{"ever":[1]},"output_index":9}`}
	if s.Vendor == modeltest.Compatible {
		strange[1] = `{"object":"brand.new","choices":[]}`
	}
	h := s.inProcess(t, modeltest.Stream(s.Vendor, 0, modeltest.Turn{RawEvents: append(strange, data[1:]...)}), 0)
	s.wantWhole(t, h)
}

// garbled changes a few bytes of a stream, with a fixed seed.
func (s Setup) garbled(t *testing.T) {
	body := modeltest.Stream(s.Vendor, 0, turn())
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		bad := bytes.Clone(body)
		for range 1 + rng.IntN(4) {
			at := rng.IntN(len(bad))
			switch rng.IntN(3) {
			case 0:
				bad[at] = byte(rng.IntN(256))
			case 1:
				bad = slices.Delete(bad, at, min(at+rng.IntN(40), len(bad)))
			case 2:
				bad = slices.Insert(bad, at, body[at/2:at/2+rng.IntN(20)]...)
			}
		}
		if h := s.inProcess(t, bad, 0); h.Broken != "" {
			t.Fatalf("%s: %q", h.Broken, bad)
		}
	}
}

func (s Setup) comments(t *testing.T) {
	body := string(modeltest.Stream(s.Vendor, 0, turn()))
	body = ": keep-alive\n\n" + strings.ReplaceAll(body, "\n\n", "\nid: 7\n\n: ping\n\nretry: 10\n\n")
	s.wantWhole(t, s.inProcess(t, []byte(body), len(body)/2))
}

func (s Setup) sideBySide(t *testing.T) {
	p := s.New(t, "http://model.invalid/v1", &http.Client{Transport: modeltest.RoundTripper(modeltest.Stream(s.Vendor, 0, turn()), 100)})
	heard := make([]modeltest.Heard, 8)
	var all conc.WaitGroup
	for i := range heard {
		all.Go(func() { heard[i] = modeltest.Hear(p.Stream(t.Context(), ask())) })
	}
	all.Wait()
	for _, h := range heard {
		s.wantWhole(t, h)
	}
}
