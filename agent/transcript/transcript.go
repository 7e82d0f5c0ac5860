package transcript

import (
	"encoding/json"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/sourcegraph/conc"

	"companion/agent/model"
	"companion/session"
	"companion/tools"
)

// touchedLimit bounds Touched.
const touchedLimit = 50

// Transcript of one thread.
type Transcript struct {
	tell func(session.Event)
	slog *slog.Logger

	mu    sync.Mutex // guards what follows, and holds the order of events
	info  session.Info
	log   session.Log
	seq   int64  // of the last durable event
	err   error  // the first record that could not be written
	mode  string // of the last turn, or what it was changed to since
	model string // of the last turn, provider/model
	live  live
	plan  []session.PlanStep
	kept  string // the plan in words, as it was when the items were shortened
	// flushing: a Sync runs; again: it was asked for once more meanwhile.
	flushing, again bool

	// What follows belongs to the running turn's goroutine.
	State    State
	Sections map[string]string // by name of the context provider: its last item's text
	items    []model.Item
	touched  []string
	nItems   int
	nCalls   int
	syncing  conc.WaitGroup
}

// New is the empty transcript of a thread. tell is called with each event, in
// order and with the transcript locked; it must not block nor call it.
func New(info session.Info, log session.Log, tell func(session.Event), l *slog.Logger) *Transcript {
	return &Transcript{tell: tell, slog: l, info: info, log: log, live: live{}, Sections: map[string]string{}}
}

// Info is the thread's line in a list.
func (t *Transcript) Info() session.Info {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.info
}

// Last gives mode and model of the last turn, "" when there was none; the mode
// is what it was changed to since.
func (t *Transcript) Last() (mode, model string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mode, t.model
}

// Emit stamps an event, writes it to the log together with the records that
// belong to it, and only then tells it.
func (t *Transcript) Emit(e session.Event, recs ...session.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.emit(e, recs...)
}

// EmitAll emits events with nothing between them.
func (t *Transcript) EmitAll(events ...session.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range events {
		t.emit(e)
	}
}

// emit is Emit; the caller holds mu.
func (t *Transcript) emit(e session.Event, recs ...session.Record) {
	e.Thread, e.At = t.info.ID, time.Now()
	if e.Type.Durable() {
		t.seq++
		e.Seq = t.seq
		t.observe(e)
		ev := e
		t.append(append([]session.Record{{Kind: session.KindEvent, Event: &ev}}, recs...)...)
	} else {
		e.AfterSeq = t.seq
	}
	t.live.hear(e)
	t.tell(e)
}

// observe keeps what later turns need of an event; the caller holds mu.
func (t *Transcript) observe(e session.Event) {
	t.info.UpdatedAt = e.At
	switch e.Type {
	case session.TurnStarted:
		t.info.Turns++
		if t.info.Title == "" {
			t.info.Title = session.Title(e.Input)
		}
		t.mode, t.model = e.Mode, e.Model
	case session.ModeChanged:
		t.mode = e.Mode
	case session.PlanUpdated:
		t.plan = e.Steps
	case session.ThreadRenamed:
		t.info.Title = e.Title
	}
}

// Now gives the seq of the last durable event and the texts so far, by item id,
// of what is not complete at that moment.
func (t *Transcript) Now() (seq int64, live map[string]string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.seq, t.live.texts()
}

// append writes records; the caller holds mu. The first failure is kept for
// the turn to end with.
func (t *Transcript) append(recs ...session.Record) {
	if err := t.log.Append(recs...); err != nil && t.err == nil {
		t.err = err
		t.slog.Error("thread log", "thread", t.info.ID, "err", err)
	}
}

// Write appends records that are no events.
func (t *Transcript) Write(recs ...session.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.append(recs...)
}

// WriteState writes State down.
func (t *Transcript) WriteState() {
	raw, err := json.Marshal(t.State)
	if err != nil {
		t.slog.Error("thread state", "thread", t.info.ID, "err", err)
		return
	}
	t.Write(session.Record{Kind: session.KindState, Item: raw})
}

// Remember writes down what a resumed thread must know to send the same prefix:
// the model of the last request and the full names of the tools in it.
func (t *Transcript) Remember(model string, listed []string) {
	all := listed
	if t.State.Model == model {
		if all = merged(t.State.Listed, listed); len(all) == len(t.State.Listed) {
			return
		}
	}
	t.State.Model, t.State.Listed = model, all
	t.WriteState()
}

// Load writes down that tools, by their full names, were found and stay callable.
func (t *Transcript) Load(found []string) {
	all := merged(t.State.Loaded, found)
	if len(all) == len(t.State.Loaded) {
		return
	}
	t.State.Loaded = all
	t.WriteState()
}

// relist counts what was found among what the model is told of: after a
// compaction the results that told it are gone, so the list has to.
func (t *Transcript) relist() {
	t.State.Listed, t.State.Loaded = merged(t.State.Listed, t.State.Loaded), nil
}

// merged is told and behind it what of listed is not in it.
func merged(told, listed []string) []string {
	all := slices.Clone(told)
	have := make(map[string]bool, len(all))
	for _, name := range all {
		have[name] = true
	}
	for _, name := range listed {
		if !have[name] {
			all = append(all, name)
		}
	}
	return all
}

// Err is the first error of the log.
func (t *Transcript) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// Sync brings the log to the disk beside what follows and does not wait, not
// even for an earlier Sync; Settle does.
func (t *Transcript) Sync() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.flushing {
		t.again = true
		return
	}
	t.flushing = true
	t.syncing.Go(func() {
		for more := true; more; {
			t.flush()
			t.mu.Lock()
			more, t.again = t.again, false
			t.flushing = more
			t.mu.Unlock()
		}
	})
}

func (t *Transcript) flush() {
	if err := t.log.Sync(); err != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.err == nil {
			t.err = err
		}
	}
}

// Settle returns once all of the log is on the disk.
func (t *Transcript) Settle() {
	t.syncing.Wait()
	t.flush()
}

// Close closes the log.
func (t *Transcript) Close() error {
	t.syncing.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.log.Close()
}

// Items are all items as they came; do not change them. What a model is sent is
// Heal of them.
func (t *Transcript) Items() []model.Item { return t.items }

// Add gives an item its id and appends it. The record is the caller's to write,
// alone or with the event that tells of the item. section names the context
// provider whose text it is, "" for any other item.
func (t *Transcript) Add(it model.Item, section string) session.Record {
	if it.ID == "" {
		it.ID = t.NewItemID()
	}
	rec, err := encodeItem(it, section)
	if err != nil { // only raw bytes of a vendor can be no JSON
		t.slog.Error("item lost its raw form", "thread", t.info.ID, "err", err)
		it.Raw, it.RawFor = nil, ""
		rec, _ = encodeItem(it, section)
	}
	t.items = append(t.items, it)
	if section != "" {
		t.Sections[section] = it.Text
	}
	return rec
}

// Compact puts items in the place of all that came so far and tells e, a
// context.compacted. Sections begin anew: each is appended at the next step. The
// model is told of the tools that it knew and that are in reg still.
func (t *Transcript) Compact(items []model.Item, reg *tools.Registry, e session.Event) {
	var list []json.RawMessage
	t.items, t.Sections = nil, map[string]string{}
	t.relist()
	t.State.Listed = slices.DeleteFunc(t.State.Listed, func(full string) bool {
		_, there := reg.Find(full)
		return !there
	})
	for _, it := range items {
		list = append(list, t.Add(it, "").Item)
	}
	raw, err := json.Marshal(list)
	if err != nil { // of JSON that was made just now
		t.slog.Error("compacted items", "thread", t.info.ID, "err", err)
	}
	t.mu.Lock()
	t.kept = openPlan(t.plan)
	t.append(session.Record{Kind: session.KindCompact, Item: raw})
	t.emit(e)
	t.mu.Unlock()
	t.WriteState()
}

// NewItemID gives an id that no item of the thread has.
func (t *Transcript) NewItemID() string {
	t.nItems++
	return "i" + strconv.Itoa(t.nItems)
}

// NewCallID gives an id that no call of the thread has.
func (t *Transcript) NewCallID() string {
	t.nCalls++
	return "c" + strconv.Itoa(t.nCalls)
}

// Touch remembers paths as the newest that the thread dealt with.
func (t *Transcript) Touch(paths ...string) {
	for _, p := range paths {
		if p == "" {
			continue
		}
		t.touched = slices.DeleteFunc(t.touched, func(x string) bool { return x == p })
		t.touched = append(t.touched, p)
	}
	if n := len(t.touched) - touchedLimit; n > 0 {
		t.touched = slices.Delete(t.touched, 0, n)
	}
}

// Touched are the paths that the thread dealt with last, at most 50, newest
// last.
func (t *Transcript) Touched() []string { return slices.Clone(t.touched) }
