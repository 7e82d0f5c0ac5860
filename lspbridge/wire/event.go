package wire

import (
	"encoding/json"
	"fmt"

	"companion/session"
)

// EncodeEvent gives the params of companion/event: one JSON object on one line.
// Paths become file URIs. An event type that this version does not know goes
// out with its head only.
func EncodeEvent(ev session.Event) (json.RawMessage, error) {
	h := Event{ThreadID: ev.Thread, TurnID: ev.Turn, Seq: ev.Seq, Type: ev.Type}
	if !ev.Type.Durable() {
		h.Seq, h.AfterSeq = 0, &ev.AfterSeq
	}
	raw, err := json.Marshal(body(h, ev))
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", ev.Type, err)
	}
	return raw, nil
}

// body adds the fields of the event's type to its head.
func body(h Event, ev session.Event) any {
	switch ev.Type {
	case session.TurnStarted:
		return turnStarted{h, List(ev.Input), ev.Mode, ev.Model}
	case session.MessageDelta, session.MessageCompleted, session.ReasoningDelta:
		return itemText{h, ev.ItemID, ev.Text}
	case session.ReasoningCompleted:
		return reasoningCompleted{h, ev.ItemID, ev.Text}
	case session.ToolStarted:
		return started(h, ev)
	case session.ToolPreview:
		return toolPreview{h, ev.CallID, ev.Diff, ev.Text}
	case session.ToolProgress:
		return toolProgress{h, ev.CallID, ev.Text}
	case session.ToolOutput:
		return toolOutput{h, ev.CallID, ev.Text}
	case session.ToolCompleted:
		return completed(h, ev)
	case session.ApprovalRequested:
		return approvalRequested{h, ev.CallID}
	case session.ApprovalResolved:
		return approvalResolved{h, ev.CallID, ev.Decision, ev.By}
	case session.PlanUpdated:
		return planUpdated{h, List(ev.Steps)}
	case session.ModeChanged:
		return modeChanged{h, ev.Mode}
	case session.TurnSteered:
		return turnSteered{h, List(ev.Input)}
	case session.ChangesUpdated:
		return changesUpdated{h, uris(ev.Files)}
	case session.ContextCompacted:
		return contextCompacted{h, ev.Before, ev.After}
	case session.ThreadRenamed:
		return threadRenamed{h, ev.Title}
	case session.UsageReported:
		return usageReported{h, usage(ev.Usage)}
	case session.Warned:
		return warned{h, ev.Code, ev.Message}
	case session.TurnCompleted:
		return turnCompleted{h, ev.Status, ev.Error, usage(ev.Usage)}
	}
	return h
}

func usage(u *session.Usage) session.Usage {
	if u == nil {
		return session.Usage{}
	}
	return *u
}

func started(h Event, ev session.Event) any {
	var t session.ToolInfo
	if ev.Tool != nil {
		t = *ev.Tool
	}
	at := make([]Location, 0, len(t.Locations))
	for _, l := range t.Locations {
		x := Location{URI: FileURI(l.Path)}
		if l.Line > 0 {
			x.Range = &Range{Position{l.Line - 1, 0}, Position{l.Line - 1, 0}}
		}
		at = append(at, x)
	}
	return toolStarted{h, ev.ItemID, ev.CallID, t.Name, t.Namespace, t.Source, t.Activity, t.ReadOnly, at, t.Arguments}
}

func completed(h Event, ev session.Event) any {
	var e session.CallEnd
	if ev.End != nil {
		e = *ev.End
	}
	return toolCompleted{
		h, ev.CallID, e.Outcome, e.Text, e.Display, e.Truncated, e.FullOutput, uris(e.Changed), e.Diff, e.Report,
		e.QueuedMs, e.RanMs, e.SettleMs,
	}
}

func uris(paths []string) []string {
	out := make([]string, 0, len(paths))
	for _, p := range paths {
		out = append(out, FileURI(p))
	}
	return out
}
