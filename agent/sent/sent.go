package sent

import (
	"sync/atomic"

	"companion/agent/card"
	"companion/agent/meter"
	"companion/agent/model"
	"companion/agent/prompt"
	"companion/agent/transcript"
	"companion/tools"
	"companion/tools/router"
)

// Options of New.
type Options struct {
	ID       string // of the thread
	Registry *tools.Registry
	// Scene is what settings, rules and the thread's switches say of tools now;
	// mode and model are filled in. nil = nothing.
	Scene func(thread string) router.Scene
	// CompactAt is the share of a window, in percent, at which the thread is
	// shortened by itself.
	CompactAt int
}

// Thread is a thread as models are sent it.
type Thread struct {
	*transcript.Transcript
	o Options

	size     atomic.Int64
	handover atomic.Pointer[string]

	boxes     router.Cache
	prefix    prompt.Prefix // of the last request
	shortened bool          // since then
	meter     meter.Meter
}

// New makes a Thread of its transcript.
func New(t *transcript.Transcript, o Options) *Thread { return &Thread{Transcript: t, o: o} }

// To is whom a thread is sent to, by whom.
type To struct {
	Turn     string // "" = between turns
	Card     card.Card
	Provider model.Provider
	Mode     tools.Mode
}

// Box is the tools of the next step, as a model sees them. What the same model
// was told of stays in its list, in the order in which it was told; another
// model is told anew.
func (t *Thread) Box(c card.Card, mode tools.Mode) *tools.Box {
	var in router.Scene
	if t.o.Scene != nil {
		in = t.o.Scene(t.o.ID)
	}
	in.Mode, in.Model = mode, router.Model{Search: c.ToolSearch, Images: c.Images, Edit: c.EditTool}
	return t.boxes.Box(t.o.Registry, in, t.State.Told(c.ID), t.State.Loaded)
}

func (t *Thread) asking(c card.Card, box *tools.Box, o model.Options) prompt.Asking {
	system := prompt.Offline()
	if !c.Offline {
		system = prompt.Instructions(tools.Mode(t.State.Mode), c.ParallelCalls)
	}
	return prompt.Asking{Card: c, System: system, Items: transcript.Heal(t.Items()), Box: box, Options: o}
}

// Request builds the next request and says why its prefix differs from the last
// one's, "" when it does not.
func (t *Thread) Request(c card.Card, box *tools.Box, o model.Options) (model.Request, string) {
	ask := t.asking(c, box, o)
	req := ask.Request()
	if it, ok := t.prefix.Added(req, t.State.Told(c.ID)); ok && !t.shortened {
		t.Write(t.Add(it, ""))
		ask.Items = transcript.Heal(t.Items())
		req = ask.Request()
	}
	now := prompt.NewPrefix(c.ID, req)
	broken := t.prefix.Broken(now)
	if t.shortened {
		broken, t.shortened = "the thread was compacted", false
	}
	t.prefix = now
	t.Remember(c.ID, prompt.Names(box))
	return req, broken
}

// Counted takes what a vendor counted of the thread's first n items, in tokens;
// 0 = it did not count.
func (t *Thread) Counted(used, n int) { t.meter.Reported(used, n) }

// Size of the last request in tokens, and where a window is shortened. It may
// be called from any goroutine.
func (t *Thread) Size(window int) (used, shortened int) {
	return int(t.size.Load()), meter.Threshold(window, t.o.CompactAt)
}
