package retry_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"companion/agent/model"
	"companion/agent/model/anthropic"
	"companion/agent/model/compatible"
	"companion/agent/model/gemini"
	"companion/agent/model/modeltest"
	"companion/agent/model/openai"
	"companion/agent/model/retry"
)

// tries is a provider that plays one answer a try.
type tries struct {
	answers [][]any // model.Event or error
	asked   int
	at      []time.Time
}

func (f *tries) Name() string { return "fake" }

func (f *tries) Stream(context.Context, model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		answer := f.answers[f.asked]
		f.asked++
		f.at = append(f.at, time.Now())
		for _, a := range answer {
			if err, ok := a.(error); ok {
				yield(model.Event{}, err)
				return
			}
			if !yield(a.(model.Event), nil) {
				return
			}
		}
	}
}

func fail(kind model.ErrorKind, after time.Duration) error {
	return &model.Error{Kind: kind, Provider: "fake", Text: "x", RetryAfter: after}
}

var (
	text = model.Event{Kind: model.TextDelta, ItemID: "1", Text: "a"}
	done = model.Event{Kind: model.Done, Stop: model.StopEnd}
)

func TestWhatIsRetried(t *testing.T) {
	ok := []any{text, done}
	for _, c := range []struct {
		name    string
		answers [][]any
		never   bool
		asked   int
		kind    model.ErrorKind // "" = success
	}{
		{"success at once", [][]any{ok}, false, 1, ""},
		{"rate, then success", [][]any{{fail(model.ErrRate, 0)}, ok}, false, 2, ""},
		{"every passing kind", [][]any{{fail(model.ErrOverload, 0)}, {fail(model.ErrNetwork, 0)}, {fail(model.ErrStreamCut, 0)}, ok}, false, 4, ""},
		{"empty, then success", [][]any{{fail(model.ErrEmpty, 0)}, ok}, false, 2, ""},
		{"four failures", [][]any{{fail(model.ErrRate, 0)}, {fail(model.ErrRate, 0)}, {fail(model.ErrRate, 0)}, {fail(model.ErrOverload, 0)}}, false, 4, model.ErrOverload},
		{"key refused", [][]any{{fail(model.ErrAuth, 0)}}, false, 1, model.ErrAuth},
		{"request refused", [][]any{{fail(model.ErrRequest, 0)}}, false, 1, model.ErrRequest},
		{"too long", [][]any{{fail(model.ErrContext, 0)}}, false, 1, model.ErrContext},
		{"not the wire", [][]any{{fail(model.ErrProtocol, 0)}}, false, 1, model.ErrProtocol},
		{"something was said", [][]any{{text, fail(model.ErrStreamCut, 0)}}, false, 1, model.ErrStreamCut},
		{"something has run", [][]any{{fail(model.ErrRate, 0)}}, true, 1, model.ErrRate},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &tries{answers: c.answers}
				notices := 0
				h := modeltest.Hear(retry.New(f, retry.Options{}).Stream(t.Context(), model.Request{Options: model.Options{
					NeverRetry: c.never,
					OnRetry: func(n model.RetryNotice) {
						notices++
						if n.Try != notices || n.Err == nil || n.Wait <= 0 {
							t.Errorf("notice %+v", n)
						}
					},
				}}))
				if f.asked != c.asked || h.Kind() != c.kind || h.Broken != "" || notices != c.asked-1 {
					t.Errorf("asked %d times, %d notices, heard %+v", f.asked, notices, h)
				}
			})
		})
	}
}

func TestWaits(t *testing.T) {
	for _, c := range []struct {
		name     string
		asked    time.Duration
		min, max time.Duration // of the three waits together
	}{
		{"exponential with jitter", 0, 1750 * time.Millisecond, 3500 * time.Millisecond},
		{"what the server asks for", 7 * time.Second, 21 * time.Second, 21 * time.Second},
		{"as long as a minute", time.Minute, 3 * time.Minute, 3 * time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := []any{fail(model.ErrRate, c.asked)}
				f := &tries{answers: [][]any{e, e, e, e}}
				began := time.Now()
				modeltest.Hear(retry.New(f, retry.Options{}).Stream(t.Context(), model.Request{}))
				if d := time.Since(began); d < c.min || d > c.max {
					t.Errorf("waited %v, want %v to %v", d, c.min, c.max)
				}
			})
		})
	}
}

func TestAServerThatAsksForTooLongAWaitIsNotAskedAgain(t *testing.T) {
	for after, words := range map[time.Duration]string{
		61 * time.Second:    "in 1m1s, at 00:01, not before",
		99999 * time.Second: "in 27h46m39s, at 2000-01-02 03:46, not before",
	} {
		synctest.Test(t, func(t *testing.T) { // begins at midnight UTC, 2000-01-01
			f := &tries{answers: [][]any{{fail(model.ErrRate, after)}}}
			began := time.Now()
			h := modeltest.Hear(retry.New(f, retry.Options{}).Stream(t.Context(), model.Request{}))
			var e *model.Error
			if !errors.As(h.Err, &e) || e.Kind != model.ErrRate || e.RetryAfter != after || f.asked != 1 || time.Since(began) != 0 {
				t.Errorf("after %v, asked %d times: %v", time.Since(began), f.asked, h.Err)
			}
			if _, offset := began.Zone(); offset == 0 && !strings.Contains(h.Err.Error(), words) {
				t.Errorf("%q lacks %q", h.Err, words)
			}
		})
	}
}

func TestCancelEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		f := &tries{answers: [][]any{{fail(model.ErrRate, 30*time.Second)}}}
		began := time.Now()
		h := modeltest.Hear(retry.New(f, retry.Options{}).Stream(ctx, model.Request{}))
		if !errors.Is(h.Err, context.DeadlineExceeded) || time.Since(began) != 3*time.Second {
			t.Errorf("after %v: %v", time.Since(began), h.Err)
		}
	})
}

// TestProvidersRecover: 429 with Retry-After, a 503, an empty and a cut stream,
// then success, over a socket, for every provider.
func TestProvidersRecover(t *testing.T) {
	for vendor, make := range map[modeltest.Vendor]func(url string) (model.Provider, error){
		modeltest.OpenAI:     func(url string) (model.Provider, error) { return openai.New(openai.Options{APIKey: "k", BaseURL: url}) },
		modeltest.Compatible: func(url string) (model.Provider, error) { return compatible.New(compatible.Options{BaseURL: url}) },
		modeltest.Anthropic: func(url string) (model.Provider, error) {
			return anthropic.New(anthropic.Options{APIKey: "k", BaseURL: url})
		},
		modeltest.Gemini: func(url string) (model.Provider, error) { return gemini.New(gemini.Options{APIKey: "k", BaseURL: url}) },
	} {
		t.Run(string(vendor), func(t *testing.T) {
			server := modeltest.NewServer(
				t, vendor,
				modeltest.Turn{Status: 429, RetryAfter: "0.02", Message: "slow down"},
				modeltest.Turn{Status: 503, Message: "busy"},
				modeltest.Turn{Empty: true},
				modeltest.Turn{Text: "lost", CutAfterBytes: 10},
				modeltest.Turn{Text: "there"},
			)
			p, err := make(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			var waits []time.Duration
			var kinds []model.ErrorKind
			h := modeltest.Hear(retry.New(p, retry.Options{Tries: 5, First: time.Millisecond}).Stream(t.Context(), model.Request{
				Model: "m", Items: []model.Item{{Kind: model.Message, Role: model.User, Text: "hi"}},
				Options: model.Options{OnRetry: func(n model.RetryNotice) {
					var e *model.Error
					if errors.As(n.Err, &e) {
						kinds = append(kinds, e.Kind)
					}
					waits = append(waits, n.Wait)
				}},
			}))
			if h.Err != nil || h.Broken != "" || len(h.Items) != 1 || h.Items[0].Text != "there" {
				t.Errorf("heard %+v", h)
			}
			if len(waits) != 4 || waits[0] != 20*time.Millisecond {
				t.Errorf("waits %v for %v", waits, kinds)
			}
		})
	}
}
