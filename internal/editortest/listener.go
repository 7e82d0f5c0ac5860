package editortest

import (
	"net"
	"strings"
	"sync/atomic"

	"github.com/sourcegraph/conc"
)

// listener is a place on the loopback to which nobody may connect.
type listener struct {
	net.Listener
	url  string
	hits atomic.Int32
	wg   conc.WaitGroup
}

// listen opens the listener when the scenario speaks of $LISTENER.
func (w *world) listen() error {
	used := strings.Contains(string(w.s.Settings), "$LISTENER")
	for _, text := range w.s.Files {
		used = used || strings.Contains(text, "$LISTENER")
	}
	if !used {
		return nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	w.listener = &listener{Listener: l, url: "http://" + l.Addr().String()}
	w.listener.wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			w.listener.hits.Add(1)
			c.Close()
		}
	})
	return nil
}

// Close ends the listener and its goroutine.
func (l *listener) Close() error {
	err := l.Listener.Close()
	l.wg.Wait()
	return err
}
