package calls

import (
	"sync"

	"companion/session"
	"companion/tools"
)

// notices tells the life of one call; after close it is deaf.
type notices struct {
	call    *call
	mu      sync.Mutex
	started bool
	closed  bool
	shown   tools.Preview // as it was last told
}

// Started implements tools.Notices.
func (n *notices) Started(inv *tools.Invocation) {
	spec := inv.Spec
	if spec.Name == "" {
		spec = n.call.spec
	}
	n.start(spec, inv.Action, inv.Call)
}

func (n *notices) start(spec tools.Spec, action tools.Action, tc tools.Call) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.started || n.closed {
		return
	}
	n.started = true
	info := session.ToolInfo{
		Name: spec.Name, Namespace: spec.Namespace, Source: string(spec.Source), Activity: action.Activity,
		ReadOnly: spec.ReadOnly, Arguments: string(tc.Args),
	}
	if info.Name == "" {
		info.Name, info.Namespace = tc.Name, tc.Namespace
	}
	if info.Source == "" {
		info.Source = string(tools.BuiltIn)
	}
	if info.Activity == "" {
		info.Activity = "Calling " + info.Name
	}
	for _, l := range action.Locations {
		info.Locations = append(info.Locations, session.Location(l))
	}
	n.tell(session.Event{Type: session.ToolStarted, Tool: &info})
	n.preview(action.Preview)
}

// preview tells what the call would do, when that is something new; the caller
// holds mu.
func (n *notices) preview(p tools.Preview) {
	if p == n.shown {
		return
	}
	n.shown = p
	e := session.Event{Type: session.ToolPreview, Diff: p.Diff, Text: p.Text}
	if e.Text == "" {
		e.Text = p.Command
	}
	if e.Diff != "" || e.Text != "" {
		n.tell(e)
	}
}

// Asked implements tools.Asked. A call that was prepared again may show
// something else than when it started.
func (n *notices) Asked(inv *tools.Invocation) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return
	}
	n.preview(inv.Action.Preview)
	n.tell(session.Event{Type: session.ApprovalRequested})
}

// Approval implements tools.Notices.
func (n *notices) Approval(_ *tools.Invocation, decision, by string) {
	n.heard(session.Event{Type: session.ApprovalResolved, Decision: decision, By: by})
}

// Output implements tools.Progress.
func (n *notices) Output(text string) { n.heard(session.Event{Type: session.ToolOutput, Text: text}) }

// Activity implements tools.Progress.
func (n *notices) Activity(text string) {
	n.heard(session.Event{Type: session.ToolProgress, Text: text})
}

func (n *notices) heard(e session.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.closed {
		n.tell(e)
	}
}

// tell emits; the caller holds mu, which keeps the call's events in order.
func (n *notices) tell(e session.Event) {
	e.ItemID, e.CallID = n.call.item.ID, n.call.item.CallID
	n.call.s.emit(e)
}

// close makes sure that the call was told of and ends what it tells.
func (n *notices) close() {
	c := n.call
	tc := tools.Call{Name: c.item.Name, Namespace: c.item.Namespace}
	n.start(c.spec, tools.Action{}, tc)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
}
