package answer

import (
	"companion/agent/model"
	"companion/session"
	"companion/tools"
)

// Hosted is the source of tools that the vendor runs, in events.
const Hosted = "hosted"

// ran is a call that the vendor runs.
type ran struct {
	itemID, callID string
	arguments      string
}

// hosted keeps one half of a call that the vendor ran. Once its result is there
// it is told of as any call is, from start to end: a vendor may pause between
// the two, and go on in another answer.
func (a *Answer) hosted(it model.Item) {
	call, known := a.ran[it.CallID]
	if it.Kind == model.ToolCall || !known {
		call = ran{it.ID, a.thread.NewCallID(), it.Arguments}
		a.ran[it.CallID] = call
	}
	it.CallID = call.callID
	rec := a.thread.Add(it, "")
	if it.Kind == model.ToolCall {
		a.thread.Write(rec)
		return
	}
	a.emit(session.Event{Type: session.ToolStarted, ItemID: call.itemID, CallID: call.callID, Tool: &session.ToolInfo{
		Name: it.Name, Source: Hosted, Activity: "Searching the web", ReadOnly: true, Arguments: call.arguments,
	}})
	end := session.CallEnd{Name: it.Name, Outcome: string(tools.OK), Text: it.Text}
	if it.IsError {
		end.Outcome = string(tools.Failed)
	}
	a.emit(session.Event{Type: session.ToolCompleted, ItemID: call.itemID, CallID: call.callID, End: &end}, rec)
}
