package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// BenchmarkReadToNextRequest is the time from the last byte of a model's answer
// that calls read to the arrival of our next request, over real HTTP, of the
// built binary in one turn of a hundred steps.
func BenchmarkReadToNextRequest(b *testing.B) {
	const steps = 90
	bin, root := binary(b), b.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.txt"), []byte(strings.Repeat("a line\n", 200)), 0o644); err != nil {
		b.Fatal(err)
	}
	var gaps []time.Duration
	for b.Loop() {
		m := &stepModel{steps: steps}
		server := httptest.NewServer(m)
		cmd := exec.Command(bin, "run", "--model", "compatible/x", "--cwd", root, "read on")
		cmd.Env = append(os.Environ(), "COMPANION_COMPATIBLE_BASE_URL="+server.URL+"/v1", "COMPANION_STATE_DIR="+b.TempDir(), "COMPANION_CONFIG="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		server.Close()
		gaps = append(gaps, m.gaps...)
	}
	if len(gaps) < steps {
		b.Fatalf("%d gaps", len(gaps))
	}
	slices.Sort(gaps)
	b.ReportMetric(ms(gaps[len(gaps)/2]), "p50-ms")
	b.ReportMetric(ms(gaps[len(gaps)*95/100]), "p95-ms")
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// stepModel answers each request with one call of read, and at the end with text.
type stepModel struct {
	steps int

	mu   sync.Mutex
	n    int
	last time.Time
	gaps []time.Duration
}

func (m *stepModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	came := time.Now()
	_, _ = io.Copy(io.Discard, r.Body)
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.last.IsZero() {
		m.gaps = append(m.gaps, came.Sub(m.last))
	}
	m.n++
	w.Header().Set("Content-Type", "text/event-stream")
	if m.n > m.steps {
		_, _ = io.WriteString(w, `data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Done."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
		return
	}
	args := fmt.Sprintf(`{\"path\":\"a.txt\",\"offset\":%d,\"limit\":1}`, m.n)
	_, _ = fmt.Fprintf(w, `data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c%d","type":"function","function":{"name":"read","arguments":"%s"}}]},"finish_reason":"tool_calls"}]}`+"\n\ndata: [DONE]\n\n", m.n, args)
	_ = http.NewResponseController(w).Flush()
	m.last = time.Now()
}
