package modeltest_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"companion/agent/model/modeltest"
)

// recorder is a TB that notes failures instead of failing.
type recorder struct {
	failures []string
	cleanups []func()
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

func (r *recorder) end() {
	for _, f := range r.cleanups {
		f()
	}
}

func TestServerFailsOnWhatWasNotPlanned(t *testing.T) {
	for _, c := range []struct {
		name  string
		turns []modeltest.Turn
		paths []string
		want  string // "" = no failure
	}{
		{"all is well", []modeltest.Turn{{Text: "a", Expect: []string{"ping"}}}, []string{"/messages"}, ""},
		{"an unused turn", []modeltest.Turn{{Text: "a"}, {Text: "b"}}, []string{"/messages"}, "1 of 2 turns were never asked for"},
		{"one request too many", []modeltest.Turn{{Text: "a"}}, []string{"/messages", "/messages"}, "request 2"},
		{"another path", nil, []string{"/elsewhere"}, "/v1/elsewhere was not expected"},
		{"a body without what is expected", []modeltest.Turn{{Text: "a", Expect: []string{"pong"}}}, []string{"/messages"}, `lacks "pong"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &recorder{}
			server := modeltest.NewServer(r, modeltest.Anthropic, c.turns...)
			for _, path := range c.paths {
				resp, err := http.Post(server.URL+"/v1"+path, "application/json", strings.NewReader(`"ping"`))
				if err != nil {
					t.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
			if got := len(server.Requests()); got != len(c.paths) {
				t.Errorf("%d requests recorded", got)
			}
			r.end()
			all := strings.Join(r.failures, "\n")
			if (c.want == "") != (all == "") || !strings.Contains(all, c.want) {
				t.Errorf("failures %q, want %q", all, c.want)
			}
		})
	}
}
