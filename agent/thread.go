package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/conc"

	"companion/agent/model"
	"companion/session"
	"companion/tools"
)

// touchedLimit bounds ThreadView.Touched.
const touchedLimit = 50

// thread is one open conversation.
type thread struct {
	a  *Agent
	id string

	mu     sync.Mutex // guards what follows, and holds the order of events
	info   session.Info
	log    Log
	seq    int64 // of the last durable event
	logErr error // the first record that could not be written
	roots  []string
	mode   tools.Mode
	model  string
	editor EditorState
	turn   *Turn // reserved or running
	last   tools.Mode

	// What follows belongs to the running turn's goroutine.
	items    []model.Item
	sections map[string]string
	state    stateRecord
	listed   map[string]bool
	prefix   prefix
	touched  []string
	nItems   int
	nCalls   int
	syncing  conc.WaitGroup
}

func newThread(a *Agent, info session.Info, log Log) *thread {
	return &thread{
		a: a, id: info.ID, info: info, log: log,
		sections: map[string]string{}, listed: map[string]bool{},
	}
}

// Info is the thread's line in a list.
func (t *thread) Info() session.Info {
	t.mu.Lock()
	defer t.mu.Unlock()
	info := t.info
	if t.turn != nil {
		info.Status = session.StatusRunning
	}
	return info
}

// emit stamps an event, writes it to the log together with the records that
// belong to it, and only then tells the sinks.
func (t *thread) emit(e session.Event, recs ...session.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e.Thread, e.At = t.id, time.Now()
	if e.Type.Durable() {
		t.seq++
		e.Seq = t.seq
		t.info.UpdatedAt = e.At
		ev := e
		t.append(append([]session.Record{{Kind: session.KindEvent, Event: &ev}}, recs...)...)
	} else {
		e.AfterSeq = t.seq
	}
	t.a.tell(e)
}

// append writes records; the caller holds mu. The first failure is kept for
// the turn to end with.
func (t *thread) append(recs ...session.Record) {
	if err := t.log.Append(recs...); err != nil && t.logErr == nil {
		t.logErr = err
		t.a.o.Log.Error("thread log", "thread", t.id, "err", err)
	}
}

// write appends records that are no events.
func (t *thread) write(recs ...session.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.append(recs...)
}

// failure is the first error of the log.
func (t *thread) failure() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.logErr
}

// sync brings the log to the disk beside what follows; wait for it by settle.
func (t *thread) sync() {
	t.syncing.Wait()
	t.syncing.Go(t.flush)
}

func (t *thread) flush() {
	if err := t.log.Sync(); err != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.logErr == nil {
			t.logErr = err
		}
	}
}

// settle returns once all of the log is on the disk.
func (t *thread) settle() {
	t.syncing.Wait()
	t.flush()
}

// add gives an item its id and appends it to the transcript; the record is the
// caller's to write.
func (t *thread) add(it model.Item, section string) session.Record {
	if it.ID == "" {
		it.ID = t.newItemID()
	}
	t.items = append(t.items, it)
	rec, err := encodeItem(it, section)
	if err != nil { // only raw bytes of a vendor can be no JSON
		t.a.o.Log.Error("item lost its raw form", "thread", t.id, "err", err)
		it.Raw, it.RawFor = nil, ""
		t.items[len(t.items)-1] = it
		rec, _ = encodeItem(it, section)
	}
	return rec
}

func (t *thread) newItemID() string {
	t.nItems++
	return "i" + strconv.Itoa(t.nItems)
}

func (t *thread) newCallID() string {
	t.nCalls++
	return "c" + strconv.Itoa(t.nCalls)
}

// touch remembers paths as the newest that the thread dealt with.
func (t *thread) touch(paths ...string) {
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

func (t *thread) view() ThreadView {
	t.mu.Lock()
	defer t.mu.Unlock()
	return ThreadView{
		ID: t.id, Roots: slices.Clone(t.roots), Mode: t.mode, Editor: t.editor, Touched: slices.Clone(t.touched),
	}
}

func (t *thread) close() error {
	t.syncing.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.log.Close()
}

// restore rebuilds the thread from its log and appends what a crash left out.
func (t *thread) restore(recs []session.Record) error {
	open := map[string]session.Event{} // tool.started without tool.completed
	var order []string
	var turn session.Event // the last turn.started, if it was not completed
	for _, r := range recs {
		switch {
		case r.Kind == session.KindHeader && r.Info != nil:
			t.info = *r.Info
			t.info.ID, t.info.Status = t.id, session.StatusIdle
			t.roots = []string{t.info.Cwd}
		case r.Kind == session.KindState:
			var s stateRecord
			if err := json.Unmarshal(r.Item, &s); err == nil {
				t.restoreState(s)
			}
		case r.Kind == session.KindItem:
			if it, section, err := decodeItem(r.Item); err == nil {
				t.restoreItem(it, section)
			}
		case r.Kind == session.KindEvent && r.Event != nil:
			e := *r.Event
			t.seq = max(t.seq, e.Seq)
			t.restoreEvent(e)
			switch e.Type {
			case session.TurnStarted:
				turn = e
			case session.TurnCompleted:
				turn = session.Event{}
			case session.ToolStarted:
				open[e.CallID] = e
				order = append(order, e.CallID)
			case session.ToolCompleted:
				delete(open, e.CallID)
			}
		}
	}
	if t.mode == "" {
		t.mode = tools.ModeAgent
	}
	t.closeCrashed(turn, open, order)
	t.settle()
	return t.failure()
}

func (t *thread) restoreState(s stateRecord) {
	t.state = s
	if len(s.Roots) > 0 {
		t.roots = s.Roots
	}
	for _, name := range s.Listed {
		t.listed[name] = true
	}
}

func (t *thread) restoreItem(it model.Item, section string) {
	t.items = append(t.items, it)
	if section != "" {
		t.sections[section] = it.Text
	}
	t.nItems = max(t.nItems, serial(it.ID, "i"))
	t.nCalls = max(t.nCalls, serial(it.CallID, "c"))
}

// serial is N of an id PREFIX N, 0 for any other.
func serial(id, prefix string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(id, prefix))
	return n
}

func (t *thread) restoreEvent(e session.Event) {
	t.info.UpdatedAt = e.At
	switch e.Type {
	case session.TurnStarted:
		t.info.Turns++
		if t.info.Title == "" {
			t.info.Title = session.Title(e.Input)
		}
		t.mode, t.last, t.model = tools.Mode(e.Mode), tools.Mode(e.Mode), e.Model
	case session.ToolCompleted:
		if e.End != nil {
			t.touch(e.End.Changed...)
		}
	}
	t.nCalls = max(t.nCalls, serial(e.CallID, "c"))
}

// closeCrashed appends a tool.completed for each call that was running when
// the process died, results for calls without one, and the turn.completed.
func (t *thread) closeCrashed(turn session.Event, open map[string]session.Event, order []string) {
	const why = "aborted: companion ended while this call ran; it may have had its effect, or part of it"
	answered := map[string]bool{}
	for _, it := range t.items {
		if it.Kind == model.ToolReply {
			answered[it.CallID] = true
		}
	}
	for _, id := range order {
		e, ok := open[id]
		if !ok {
			continue
		}
		delete(open, id)
		name := ""
		if e.Tool != nil {
			name = e.Tool.Name
		}
		t.emit(session.Event{
			Turn: e.Turn, Type: session.ToolCompleted, ItemID: e.ItemID, CallID: id,
			End: &session.CallEnd{Name: name, Outcome: string(tools.Aborted), Text: why},
		})
	}
	for _, it := range slices.Clone(t.items) {
		if it.Kind == model.ToolCall && !answered[it.CallID] {
			answered[it.CallID] = true
			t.write(t.add(model.Item{
				Kind: model.ToolReply, CallID: it.CallID, Name: it.Name, Namespace: it.Namespace, Text: why, IsError: true,
			}, ""))
		}
	}
	if turn.Turn != "" {
		t.emit(session.Event{
			Turn: turn.Turn, Type: session.TurnCompleted, Status: Stopped,
			Error: fmt.Sprintf("companion ended while this turn ran (begun %s)", turn.At.Format(time.RFC3339)),
		})
	}
}

func (t *thread) writeState() {
	raw, err := json.Marshal(t.state)
	if err != nil {
		t.a.o.Log.Error("thread state", "thread", t.id, "err", err)
		return
	}
	t.write(session.Record{Kind: session.KindState, Item: raw})
}
