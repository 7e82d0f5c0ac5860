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

// Listen opens the listener when the scenario speaks of $LISTENER. It must be
// called outside of a testing/synctest bubble, in which a goroutine that waits
// for the network would keep the time from passing.
func (s *Scenario) Listen() error {
	used := strings.Contains(string(s.Settings), "$LISTENER")
	for _, text := range s.Files {
		used = used || strings.Contains(text, "$LISTENER")
	}
	if !used {
		return nil
	}
	n, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	l := &listener{Listener: n, url: "http://" + n.Addr().String()}
	l.wg.Go(func() {
		for {
			c, err := n.Accept()
			if err != nil {
				return
			}
			l.hits.Add(1)
			c.Close()
		}
	})
	s.listener = l
	return nil
}

// Close ends what Listen began.
func (s *Scenario) Close() error {
	if s.listener == nil {
		return nil
	}
	return s.listener.Close()
}

// Close ends the listener and its goroutine.
func (l *listener) Close() error {
	err := l.Listener.Close()
	l.wg.Wait()
	return err
}
