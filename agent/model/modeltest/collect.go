package modeltest

import (
	"errors"
	"iter"

	"companion/agent/model"
)

// Heard is all that a stream told.
type Heard struct {
	Items  []model.Item
	Deltas map[string]string // by item id, joined
	Usage  model.Usage
	Stop   model.Stop // "" = no Done came
	Detail string
	Events int
	Err    error
	// Broken says how the stream broke the contract, "" when it did not.
	Broken string
}

// Kind is the kind of the error that ended the stream, "" for none or another.
func (h Heard) Kind() model.ErrorKind {
	var e *model.Error
	if errors.As(h.Err, &e) {
		return e.Kind
	}
	return ""
}

// Hear ranges over a stream to its end and checks the contract on the way.
func Hear(stream iter.Seq2[model.Event, error]) Heard {
	h := Heard{Deltas: map[string]string{}}
	seen := map[string]bool{}
	for ev, err := range stream {
		if h.Stop != "" || h.Err != nil {
			h.Broken = "an event after the end"
		}
		if err != nil {
			h.Err = err
			continue
		}
		h.Events++
		switch ev.Kind {
		case model.TextDelta, model.ReasoningDelta, model.CallDelta:
			if ev.Text == "" || ev.ItemID == "" {
				h.Broken = "a delta without text or item"
			}
			if seen[ev.ItemID] {
				h.Broken = "a delta after its item"
			}
			h.Deltas[ev.ItemID] += ev.Text
		case model.ItemDone:
			if ev.Item == nil || ev.Item.ID == "" || seen[ev.Item.ID] {
				h.Broken = "an item without an id of its own"
				continue
			}
			if ev.Item.Kind == model.ToolCall && ev.Item.CallID == "" {
				h.Broken = "a call without an id"
			}
			seen[ev.Item.ID] = true
			h.Items = append(h.Items, *ev.Item)
		case model.UsageSeen:
			h.Usage = *ev.Usage
		case model.Done:
			h.Stop, h.Detail = ev.Stop, ev.Detail
			if ev.Stop == "" {
				h.Broken = "a Done without a reason"
			}
		default:
			h.Broken = "an unknown event " + string(ev.Kind)
		}
	}
	if h.Stop == "" && h.Err == nil {
		h.Broken = "no end"
	}
	return h
}
