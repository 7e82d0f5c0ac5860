package model

import "context"

// Emitter is a provider's side of a stream: it yields well-formed events and
// keeps count, so that every projection ends a stream by the same rules. One
// goroutine uses it, inside the iterator it was made for.
type Emitter struct {
	yield func(Event, error) bool
	items int
	calls int
	ended bool
}

// NewEmitter makes an Emitter for the yield function of Provider.Stream.
func NewEmitter(yield func(Event, error) bool) *Emitter { return &Emitter{yield: yield} }

// Open tells whether the consumer still listens and the stream has not ended.
func (e *Emitter) Open() bool { return !e.ended }

// Items is the number of items yielded so far.
func (e *Emitter) Items() int { return e.items }

// Delta yields more text of an item; empty text is left out.
func (e *Emitter) Delta(kind EventKind, itemID, text string) {
	if text != "" {
		e.send(Event{Kind: kind, ItemID: itemID, Text: text})
	}
}

// Call yields more of the arguments of a call; empty text is left out.
func (e *Emitter) Call(it Item, text string) {
	if text != "" {
		e.send(Event{Kind: CallDelta, ItemID: it.ID, Text: text, Name: it.Name, Namespace: it.Namespace})
	}
}

// Item yields a complete item.
func (e *Emitter) Item(it Item) {
	e.items++
	if it.Kind == ToolCall && !it.Hosted {
		e.calls++
	}
	e.send(Event{Kind: ItemDone, ItemID: it.ID, Item: &it})
}

// Usage yields the tokens counted so far.
func (e *Emitter) Usage(u Usage) {
	if u != (Usage{}) {
		e.send(Event{Kind: UsageSeen, Usage: &u})
	}
}

// Done ends the stream. StopEnd becomes StopTools when a call was yielded: some
// servers call a tool and say "stop". A stream that ends well without any item
// is ErrEmpty in the name of provider.
func (e *Emitter) Done(provider string, stop Stop, detail string) {
	if stop == StopTools && e.calls == 0 {
		stop = StopEnd
	}
	if stop == StopEnd && e.calls > 0 {
		stop = StopTools
	}
	if stop == StopEnd && e.items == 0 {
		e.Fail(&Error{Kind: ErrEmpty, Provider: provider, Text: "the model answered with nothing; ask again"})
		return
	}
	e.send(Event{Kind: Done, Stop: stop, Detail: detail})
	e.ended = true
}

// Fail ends the stream with err.
func (e *Emitter) Fail(err error) {
	if !e.ended {
		e.ended = true
		e.yield(Event{}, err)
	}
}

func (e *Emitter) send(ev Event) {
	if !e.ended && !e.yield(ev, nil) {
		e.ended = true
	}
}

// Begin projects a request onto a vendor's wire; false when ctx has ended or
// the request cannot be projected, which the emitter then has told.
func Begin[P any](ctx context.Context, e *Emitter, provider string, project func() (P, error)) (P, bool) {
	var params P
	if err := ctx.Err(); err != nil {
		e.Fail(err)
		return params, false
	}
	params, err := project()
	if err != nil {
		e.Fail(&Error{Kind: ErrRequest, Provider: provider, Text: err.Error()})
		return params, false
	}
	return params, true
}

// Pump hands the events of a vendor's stream to hear until the stream or the
// emitter has ended. It counts them and tells whether the emitter is still open:
// then the stream ended first, and the caller says how.
func Pump[T any](e *Emitter, stream interface {
	Next() bool
	Current() T
}, hear func(T),
) (events int, open bool) {
	for e.Open() && stream.Next() {
		events++
		hear(stream.Current())
	}
	return events, e.Open()
}
