package companion

import (
	"encoding/json"
	"fmt"

	"companion/session"

	"go.lsp.dev/uri"
)

// head is what every event has (docs/protocol.md, Events).
type head struct {
	ThreadID string            `json:"threadId"`
	TurnID   string            `json:"turnId,omitempty"`
	Seq      int64             `json:"seq,omitempty"`
	AfterSeq *int64            `json:"afterSeq,omitempty"`
	Type     session.EventType `json:"type"`
}

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type lspRange struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string    `json:"uri"`
	Range *lspRange `json:"range,omitempty"`
}

// EncodeEvent gives the params of companion/event: one JSON object on one line.
// Paths become file URIs. An event type that this version does not know goes
// out with its head only.
func EncodeEvent(ev session.Event) (json.RawMessage, error) {
	h := head{ThreadID: ev.Thread, TurnID: ev.Turn, Seq: ev.Seq, Type: ev.Type}
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
func body(h head, ev session.Event) any {
	switch ev.Type {
	case session.TurnStarted:
		input := ev.Input
		if input == nil {
			input = []session.Input{}
		}
		return struct {
			head
			Input []session.Input `json:"input"`
			Mode  string          `json:"mode"`
			Model string          `json:"model"`
		}{h, input, ev.Mode, ev.Model}
	case session.MessageDelta, session.MessageCompleted, session.ReasoningDelta:
		return struct {
			head
			ItemID string `json:"itemId"`
			Text   string `json:"text"`
		}{h, ev.ItemID, ev.Text}
	case session.ReasoningCompleted:
		return struct {
			head
			ItemID string `json:"itemId,omitempty"`
			Text   string `json:"text,omitempty"`
		}{h, ev.ItemID, ev.Text}
	case session.ToolStarted:
		return started(h, ev)
	case session.ToolPreview:
		return struct {
			head
			CallID string `json:"callId"`
			Diff   string `json:"diff,omitempty"`
			Text   string `json:"text,omitempty"`
		}{h, ev.CallID, ev.Diff, ev.Text}
	case session.ToolProgress:
		return struct {
			head
			CallID   string `json:"callId"`
			Activity string `json:"activity,omitempty"`
		}{h, ev.CallID, ev.Text}
	case session.ToolOutput:
		return struct {
			head
			CallID string `json:"callId"`
			Text   string `json:"text"`
		}{h, ev.CallID, ev.Text}
	case session.ToolCompleted:
		return completed(h, ev)
	case session.ApprovalRequested:
		return struct {
			head
			CallID string `json:"callId"`
		}{h, ev.CallID}
	case session.ApprovalResolved:
		return struct {
			head
			CallID   string `json:"callId"`
			Decision string `json:"decision"`
			By       string `json:"by"`
		}{h, ev.CallID, ev.Decision, ev.By}
	case session.ModeChanged:
		return struct {
			head
			Mode string `json:"mode"`
		}{h, ev.Mode}
	case session.UsageReported:
		return struct {
			head
			session.Usage
		}{h, usage(ev.Usage)}
	case session.Warned:
		return struct {
			head
			Code    string `json:"code"`
			Message string `json:"message"`
		}{h, ev.Code, ev.Message}
	case session.TurnCompleted:
		return struct {
			head
			Status string        `json:"status"`
			Error  string        `json:"error,omitempty"`
			Usage  session.Usage `json:"usage"`
		}{h, ev.Status, ev.Error, usage(ev.Usage)}
	}
	return h
}

func usage(u *session.Usage) session.Usage {
	if u == nil {
		return session.Usage{}
	}
	return *u
}

func started(h head, ev session.Event) any {
	var t session.ToolInfo
	if ev.Tool != nil {
		t = *ev.Tool
	}
	at := make([]location, 0, len(t.Locations))
	for _, l := range t.Locations {
		x := location{URI: fileURI(l.Path)}
		if l.Line > 0 {
			x.Range = &lspRange{position{l.Line - 1, 0}, position{l.Line - 1, 0}}
		}
		at = append(at, x)
	}
	return struct {
		head
		ItemID    string     `json:"itemId"`
		CallID    string     `json:"callId"`
		Name      string     `json:"name"`
		Namespace string     `json:"namespace,omitempty"`
		Source    string     `json:"source"`
		Activity  string     `json:"activity"`
		ReadOnly  bool       `json:"readOnly"`
		Locations []location `json:"locations"`
		Arguments string     `json:"arguments,omitempty"`
	}{h, ev.ItemID, ev.CallID, t.Name, t.Namespace, t.Source, t.Activity, t.ReadOnly, at, t.Arguments}
}

func completed(h head, ev session.Event) any {
	var e session.CallEnd
	if ev.End != nil {
		e = *ev.End
	}
	changed := make([]string, 0, len(e.Changed))
	for _, p := range e.Changed {
		changed = append(changed, fileURI(p))
	}
	return struct {
		head
		CallID      string          `json:"callId"`
		Outcome     string          `json:"outcome"`
		Text        string          `json:"text"`
		Display     string          `json:"display,omitempty"`
		Truncated   bool            `json:"truncated"`
		FullOutput  string          `json:"fullOutput,omitempty"`
		Changed     []string        `json:"changed"`
		Diff        string          `json:"diff,omitempty"`
		Diagnostics json.RawMessage `json:"diagnostics,omitempty"`
		QueuedMs    int64           `json:"queuedMs"`
		RanMs       int64           `json:"ranMs"`
		SettleMs    int64           `json:"settleMs"`
	}{
		h, ev.CallID, e.Outcome, e.Text, e.Display, e.Truncated, e.FullOutput, changed, e.Diff, e.Report,
		e.QueuedMs, e.RanMs, e.SettleMs,
	}
}

// fileURI leaves what is a URI already (unsaved buffers) as it is.
func fileURI(path string) string {
	if u, err := uri.ParseStrict(path); err == nil && len(u.Scheme()) > 1 { // one letter is a drive
		return path
	}
	return string(uri.File(path))
}
