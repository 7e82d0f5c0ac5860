package model

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// maxErrorBody bounds what is read of an error answer, in bytes; vendors send
// a few hundred, proxies a page of HTML.
const maxErrorBody = 64 << 10

// Transport is the http.RoundTripper under every provider: what it reports is
// an *Error (inside an *url.Error), free of the secrets, or ctx's own error.
// Answers that are no stream (status of 300 and above, HTML, plain JSON) are
// errors: a redirect is never followed, since it would carry the key to
// another host.
type Transport struct {
	Provider string
	Secrets  []string // never shown in an error's text
	Next     http.RoundTripper
	// Idle is how long a server may send nothing, before its headers or in the
	// middle, until it is given up; 0 = 10 minutes, which leaves a local server
	// time to load a model and to read a long prompt.
	Idle time.Duration
}

// errIdle is the cause of a request that was given up.
var errIdle = errors.New("the server sends nothing")

// Client is a copy of c (nil: a new one) that speaks through a Transport.
func Client(c *http.Client, provider string, secrets []string) *http.Client {
	var own http.Client
	if c != nil {
		own = *c
	}
	next := own.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	own.Transport = &Transport{Provider: provider, Secrets: secrets, Next: next}
	return &own
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	b := &body{t: t, caller: req.Context(), own: ctx, cancel: cancel, idle: cmp.Or(t.Idle, 10*time.Minute)}
	b.timer = time.AfterFunc(b.idle, func() { cancel(errIdle) })
	resp, err := t.Next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		b.stop()
		return nil, b.name(ErrNetwork, "no answer from "+req.URL.Host+"; check the network and the base URL: ", err)
	}
	b.ReadCloser = resp.Body
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode >= 300 || media == "text/html" || media == "application/json" {
		defer b.Close()
		said, _ := io.ReadAll(io.LimitReader(b, maxErrorBody))
		if ctxErr := req.Context().Err(); ctxErr != nil {
			return nil, ctxErr
		}
		return nil, t.refusal(resp, said)
	}
	resp.Body = b
	return resp, nil
}

// body is a stream's bytes: it names their errors and watches for silence.
type body struct {
	io.ReadCloser
	t      *Transport
	caller context.Context // of the request as it came
	own    context.Context // cancelled also by silence
	cancel context.CancelCauseFunc
	idle   time.Duration
	timer  *time.Timer
}

func (b *body) Read(p []byte) (int, error) {
	b.timer.Reset(b.idle)
	n, err := b.ReadCloser.Read(p)
	b.timer.Stop() // time that the caller takes is not silence
	if err == nil || errors.Is(err, io.EOF) {
		return n, err
	}
	return n, b.name(ErrStreamCut, "the connection broke in the middle of the answer: ", err)
}

func (b *body) Close() error {
	b.stop()
	return b.ReadCloser.Close()
}

func (b *body) stop() {
	b.timer.Stop()
	b.cancel(nil)
}

// name is err as the caller's own cancel, or as an *Error.
func (b *body) name(kind ErrorKind, what string, err error) error {
	if ctxErr := b.caller.Err(); ctxErr != nil {
		return ctxErr
	}
	why := Redact(err.Error(), b.t.Secrets...)
	if errors.Is(context.Cause(b.own), errIdle) {
		why = fmt.Sprintf("nothing came for %v", b.idle)
	}
	return &Error{Kind: kind, Provider: b.t.Provider, Text: what + why}
}

func (t *Transport) refusal(resp *http.Response, body []byte) *Error {
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		where := "elsewhere"
		if u, err := url.Parse(resp.Header.Get("Location")); err == nil && u.Host != "" {
			where = u.Host
		}
		return &Error{Kind: ErrRequest, Provider: t.Provider, Status: resp.StatusCode, Text: "the server redirects to " + where + ", which is not followed; correct the base URL"}
	}
	if resp.StatusCode < 300 {
		text := "the answer is no event stream; check the base URL"
		if said := vendorSays(body).message; said != "" {
			text += ": " + Redact(said, t.Secrets...)
		}
		return &Error{Kind: ErrProtocol, Provider: t.Provider, Status: resp.StatusCode, Text: text}
	}
	return Refusal(t.Provider, resp.StatusCode, resp.Header, body, t.Secrets)
}

// Refusal is the *Error for an error answer or for an error event with the same
// JSON: kind by status and the vendor's own code, the vendor's message in the
// text, secrets taken out. A status of 0 leaves the kind to the vendor's code.
func Refusal(provider string, status int, header http.Header, body []byte, secrets []string) *Error {
	said := vendorSays(body)
	kind := kindOf(status, said)
	text := cmp.Or(said.message, http.StatusText(status), said.code, "an error without a word")
	return &Error{
		Kind: kind, Provider: provider, Status: status,
		Text:       advice(kind) + Redact(text, secrets...),
		RetryAfter: RetryAfter(header, time.Now()),
	}
}

func advice(kind ErrorKind) string {
	switch kind {
	case ErrAuth:
		return "the key was refused; check this provider's API key and account: "
	case ErrContext:
		return "the thread is too long for this model; start a new thread or take a model with a larger window: "
	case ErrRate:
		return "the rate limit is reached; wait, then ask again: "
	case ErrOverload:
		return "the service fails or is overloaded; ask again later: "
	default:
		return "the service refused the request: "
	}
}

// said is what an error body tells.
type said struct{ message, code string }

// vendorSays finds message and code in the error bodies of all vendors:
// {"error":{…}}, [{"error":{…}}], {"error":"…"}, {"message":…}, {"detail":…}.
func vendorSays(body []byte) said {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var top struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  string          `json:"detail"`
	}
	if json.Unmarshal(body, &top) != nil {
		text := strings.TrimSpace(string(body))
		if strings.HasPrefix(text, "<") {
			return said{}
		}
		return said{message: text[:min(len(text), 500)]}
	}
	var inner struct {
		Message string          `json:"message"`
		Type    string          `json:"type"`
		Status  string          `json:"status"`
		Code    json.RawMessage `json:"code"`
	}
	if len(top.Error) == 0 {
		_ = json.Unmarshal(body, &inner)
	} else if json.Unmarshal(top.Error, &inner) != nil {
		_ = json.Unmarshal(top.Error, &inner.Message)
	}
	code := strings.Trim(string(inner.Code), `"`)
	return said{
		message: cmp.Or(inner.Message, top.Message, top.Detail),
		code:    strings.Join([]string{code, inner.Type, inner.Status}, " "),
	}
}

func kindOf(status int, s said) ErrorKind {
	all := strings.ToLower(s.code + " " + s.message)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(all, w) {
				return true
			}
		}
		return false
	}
	switch {
	case status == 401 || status == 402 || status == 403,
		has("insufficient_quota", "invalid_api_key", "authentication_error", "api key not valid", "permission_error"):
		return ErrAuth
	case has("context_length", "context length", "context window", "prompt is too long", "maximum number of tokens", "request_too_large", "exceed_context_size"):
		return ErrContext
	case status == 429 || has("rate_limit", "resource_exhausted"):
		return ErrRate
	case status >= 500 || status == 408 || status == 409 || has("overloaded", "timeout_error", "server_error", "api_error", "unavailable"):
		return ErrOverload
	default:
		return ErrRequest
	}
}

// RetryAfter is the wait a server asks for: retry-after-ms (milliseconds),
// then Retry-After as seconds or as an HTTP date seen from now. 0 = none.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return clampWait(ms, time.Millisecond)
	}
	v := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil && s > 0 {
		return clampWait(s, time.Second)
	}
	if at, err := http.ParseTime(v); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

// clampWait guards the conversion to Duration: more than a day is a day.
func clampWait(n float64, unit time.Duration) time.Duration {
	if n*float64(unit) > float64(24*time.Hour) {
		return 24 * time.Hour
	}
	return time.Duration(n * float64(unit))
}

// Redact takes the secrets out of a text, plain or escaped for a URL.
func Redact(text string, secrets ...string) string {
	for _, s := range secrets {
		if len(s) < 4 {
			continue
		}
		text = strings.ReplaceAll(text, s, "[key]")
		text = strings.ReplaceAll(text, url.QueryEscape(s), "[key]")
	}
	return text
}

// Secrets are the strings that must never be shown: the key and the values of
// all extra headers.
func Secrets(apiKey string, headers map[string]string) []string {
	secrets := []string{apiKey}
	for _, v := range headers {
		secrets = append(secrets, v)
		if _, token, ok := strings.Cut(v, " "); ok {
			secrets = append(secrets, token)
		}
	}
	return secrets
}

// StreamError names what ended a vendor SDK's stream: ctx's error, what
// Transport reported, or else bytes that are not the vendor's wire.
func StreamError(ctx context.Context, provider string, err error, secrets []string) error {
	if ctxErr := ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	return &Error{Kind: ErrProtocol, Provider: provider, Text: "the answer cannot be read: " + Redact(err.Error(), secrets...)}
}

// CutStream is the error for a stream that ended without its end: ErrEmpty when
// not one event came, else ErrStreamCut.
func CutStream(ctx context.Context, provider string, events int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if events == 0 {
		return &Error{Kind: ErrEmpty, Provider: provider, Text: "the service sent an empty stream; ask again"}
	}
	return &Error{Kind: ErrStreamCut, Provider: provider, Text: "the answer broke off before its end; ask again"}
}

// CheckBaseURL refuses what is no absolute http or https URL.
func CheckBaseURL(provider, base string) error {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return &Error{Kind: ErrRequest, Provider: provider, Text: "the base URL is not an absolute http or https URL; correct it in the settings"}
	}
	return nil
}
