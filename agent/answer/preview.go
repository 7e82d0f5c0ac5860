package answer

import (
	"companion/agent/model"
	"companion/session"
	"companion/tools"
)

// previewer is a tool that shows what a call will do while the model writes it.
type previewer interface {
	// Preview begins one call. The function takes more of the call's text and gives
	// what is to be shown instead of what it gave before, "" = nothing new.
	Preview() func(more string) string
}

// showing is a call that is still coming.
type showing struct {
	call string // its id
	add  func(more string) string
}

// show tells what a call that is still coming will do, where its tool says so.
func (a *Answer) show(ev model.Event) {
	if ev.ItemID == "" || ev.Name == "" {
		return
	}
	id := a.itemID(ev.ItemID)
	s := a.shows[id]
	if s == nil {
		s = &showing{}
		a.shows[id] = s
		tool, _ := a.calls.Box.Find(tools.Spec{Name: ev.Name, Namespace: ev.Namespace}.Full())
		if p, ok := tool.(previewer); ok {
			s.call, s.add = a.thread.NewCallID(), p.Preview()
		}
	}
	if s.add == nil {
		return
	}
	if text := s.add(ev.Text); text != "" {
		a.emit(session.Event{Type: session.ToolPreview, ItemID: id, CallID: s.call, Text: text})
	}
}

// callID is the id of a call whose item came: that under which it was shown.
func (a *Answer) callID(item string) string {
	s := a.shows[item]
	delete(a.shows, item)
	if s == nil || s.call == "" {
		return a.thread.NewCallID()
	}
	return s.call
}
