package fake

import (
	"fmt"
	"time"

	"companion/internal/editortest/fake/lent"
)

// View is what a condition of WaitFor may look at. Do not keep or change it.
type View struct {
	Documents map[string]*Document
	Progress  []*Progress // in order of creation
	Events    []Event
	Messages  []Message
	Shown     []string // URIs of window/showDocument
	// Question is the title of the open message request, "" = none.
	Question string
	Applied  int         // workspace/applyEdit requests seen
	Asked    []*lent.Ask // companion/* requests, in order
	Ended    bool
}

// WaitFor waits until cond holds, looking again after every message; it gives
// up after Options.Timeout or when the connection has ended and cond still
// does not hold. cond must not call the Editor.
func (e *Editor) WaitFor(what string, cond func(v *View) bool) error {
	timer := time.NewTimer(e.opt.Timeout)
	defer timer.Stop()
	for {
		e.mu.Lock()
		v, changed := e.view(), e.changed
		ok := cond(v)
		e.mu.Unlock()
		switch {
		case ok:
			return nil
		case v.Ended:
			return fmt.Errorf("%s: the connection ended first", what)
		}
		select {
		case <-changed:
		case <-timer.C:
			return fmt.Errorf("%s: not within %v", what, e.opt.Timeout)
		}
	}
}

// Look runs f on the present state.
func (e *Editor) Look(f func(v *View)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f(e.view())
}

func (e *Editor) view() *View {
	v := &View{
		Documents: e.docs, Events: e.events, Messages: e.messages, Shown: e.shown,
		Applied: e.applied, Ended: e.ended, Progress: e.progress.All(), Asked: e.desk.Asked,
	}
	if e.question != nil {
		v.Question = messageTitle(e.question.params)
	}
	return v
}

// Turns counts the work-done progresses that have begun and that have ended.
func (v *View) Turns() (begun, ended int) {
	for _, p := range v.Progress {
		if p.Begun {
			begun++
		}
		if p.Ended {
			ended++
		}
	}
	return begun, ended
}
