package fake

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sourcegraph/conc"

	"companion/internal/editortest/fake/wire"
)

// stub is a server that the tests of the editor drive by hand.
type stub struct {
	t    *testing.T
	rwc  io.ReadWriteCloser
	in   chan wire.Message
	wg   conc.WaitGroup
	next int
}

// connect gives an editor that has shaken hands with a stub whose capabilities
// are result.
func connect(t *testing.T, opt Options, result string) (*Editor, *stub) {
	t.Helper()
	a, b := wire.Pipe()
	s := &stub{t: t, rwc: b, in: make(chan wire.Message, 100)}
	s.wg.Go(func() {
		r := bufio.NewReader(b)
		for {
			body, err := wire.ReadFrame(r)
			if err != nil {
				close(s.in)
				return
			}
			var m wire.Message
			_ = json.Unmarshal(body, &m)
			s.in <- m
		}
	})
	if opt.Timeout == 0 {
		opt.Timeout = 20 * time.Second
	}
	e := Connect(a, opt)
	t.Cleanup(func() {
		_ = e.Close()
		s.wg.Wait()
	})
	shaken := make(chan struct{})
	s.wg.Go(func() {
		defer close(shaken)
		m := s.expect("initialize")
		s.write(wire.Message{ID: m.ID, Result: json.RawMessage(result)})
		s.expect("initialized")
	})
	if _, err := e.Initialize(context.Background()); err != nil {
		t.Fatal(err)
	}
	<-shaken
	return e, s
}

const plain = `{"capabilities":{"textDocumentSync":{"openClose":true,"change":2}}}`

func (s *stub) write(m wire.Message) {
	m.JSONRPC = "2.0"
	_, _ = s.rwc.Write(wire.AppendFrame(nil, wire.Encode(m)))
}

// expect takes the next message, which must have the method.
func (s *stub) expect(method string) wire.Message {
	m, ok := <-s.in
	if !ok || m.Method != method {
		s.t.Errorf("the stub got %q (open %v), wanted %q", m.Method, ok, method)
	}
	return m
}

func (s *stub) notify(method, params string) {
	s.write(wire.Message{Method: method, Params: json.RawMessage(params)})
}

// ask sends a request without waiting.
func (s *stub) ask(method, params string) {
	s.next++
	s.write(wire.Message{ID: wire.Encode(fmt.Sprint("s", s.next)), Method: method, Params: json.RawMessage(params)})
}

// call sends a request and takes the next message that is its answer; others
// before it are returned as well.
func (s *stub) call(method, params string) (answer wire.Message, before []wire.Message) {
	s.ask(method, params)
	for m := range s.in {
		if m.Method == "" && string(m.ID) == fmt.Sprintf("%q", fmt.Sprint("s", s.next)) {
			return m, before
		}
		before = append(before, m)
	}
	s.t.Errorf("no answer to %s", method)
	return wire.Message{}, before
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func wantProblems(t *testing.T, e *Editor, parts ...string) {
	t.Helper()
	got := e.Problems()
	if len(got) != len(parts) {
		t.Errorf("%d problems %q, want %d", len(got), got, len(parts))
		return
	}
	for i, p := range parts {
		if !strings.Contains(got[i], p) {
			t.Errorf("problem %q, want %q in it", got[i], p)
		}
	}
}
