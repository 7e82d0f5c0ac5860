package editor

import (
	"encoding/json"
	"fmt"
	"sync"

	"companion/lspbridge/rpc"
)

// token makes a progress token that is ours alone.
func (e *Editor) token(what string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.tokens++
	return fmt.Sprintf("companion/%s/%d", what, e.tokens)
}

// expect makes f hear the values of $/progress on a token until stop. f runs on
// one goroutine, in the order of the wire: it must not wait. After stop f is not
// called any more.
func (e *Editor) expect(token string, f func(value json.RawMessage)) (stop func()) {
	l := &listener{f: f}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.parts[token] = l
	return func() {
		e.mu.Lock()
		delete(e.parts, token)
		e.mu.Unlock()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.f = nil
	}
}

// listener is who expects the values of one token.
type listener struct {
	mu sync.Mutex
	f  func(json.RawMessage) // nil = no more
}

func (l *listener) hear(value json.RawMessage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f != nil {
		l.f(value)
	}
}

// Progressed takes an editor's $/progress; of tokens that nobody expects any
// more it is dropped. In the order of the wire only.
func (e *Editor) Progressed(params json.RawMessage) error {
	var p struct {
		Token any             `json:"token"`
		Value json.RawMessage `json:"value"`
	}
	if err := rpc.Decode(params, "", &p); err != nil {
		return err
	}
	token, _ := p.Token.(string)
	e.mu.Lock()
	l := e.parts[token]
	e.mu.Unlock()
	if l != nil {
		l.hear(p.Value)
	}
	return nil
}
