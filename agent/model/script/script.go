// Package script is a model that reads its answers from a file: for tests,
// demos and bug reports.
//
// The file is JSON:
//
//	{"turns": [
//	  {"expect": ["text", …],        // the request must contain each
//	   "refuse": ["text", …],        // and none of these
//	   "reasoning": "…", "text": "…",
//	   "calls": [{"name": "read", "namespace": "", "arguments": {…}}],
//	   "stop": "refusal", "detail": "…", "usage": {"input": 1, "cached": 0, "output": 1},
//	   "cut": true, "stall": true, "empty": true,
//	   "error": {"kind": "rate", "status": 429, "text": "…"}}
//	]}
//
// Each entry answers one step, in the order in which steps come. Arguments that
// are a JSON string are the model's bytes as they stand, broken JSON included.
// cut: the last call, or else the text, is cut off by the output limit. stall:
// after its text the answer never ends. error: after its text the answer breaks
// off with it. empty: the answer ends without an item.
//
// Never: answer a request that does not hold what the entry expects.
//
// # Concurrency
//
// A Provider is safe for concurrent use; steps of several threads take entries
// in the order in which they ask.
package script

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"
	"strings"
	"sync"

	"companion/agent/model"
)

// File is a script.
type File struct {
	Turns []Turn `json:"turns"`
}

// Turn answers one step.
type Turn struct {
	Expect    []string   `json:"expect,omitempty"`
	Refuse    []string   `json:"refuse,omitempty"`
	Reasoning string     `json:"reasoning,omitempty"`
	Text      string     `json:"text,omitempty"`
	Calls     []Call     `json:"calls,omitempty"`
	Stop      model.Stop `json:"stop,omitempty"`
	Detail    string     `json:"detail,omitempty"`
	Usage     *Usage     `json:"usage,omitempty"`
	Cut       bool       `json:"cut,omitempty"`
	Stall     bool       `json:"stall,omitempty"`
	Empty     bool       `json:"empty,omitempty"`
	Error     *Error     `json:"error,omitempty"`
}

// Call of a tool.
type Call struct {
	Name      string          `json:"name"`
	Namespace string          `json:"namespace,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // absent = {}
}

// Usage of a step, in tokens.
type Usage struct {
	Input  int `json:"input"`
	Cached int `json:"cached"`
	Output int `json:"output"`
}

// Error that a step breaks off with.
type Error struct {
	Kind   model.ErrorKind `json:"kind"`
	Status int             `json:"status,omitempty"`
	Text   string          `json:"text"`
}

// Provider answers from a script.
type Provider struct {
	name string

	mu     sync.Mutex
	turns  []Turn
	next   int
	failed error // the first unmet expectation or step too many
	trace  string
}

// Trace has each request written to the end of a file, a line of JSON each.
func (p *Provider) Trace(file string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trace = file
}

// note writes a request to the trace; the caller holds mu.
func (p *Provider) note(req model.Request) error {
	if p.trace == "" {
		return nil
	}
	line, err := json.Marshal(req)
	if err != nil {
		return fmt.Errorf("script: %w", err)
	}
	f, err := os.OpenFile(p.trace, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("script: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// Open reads the script at path.
func Open(path string) (*Provider, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	defer f.Close()
	return Read(path, f)
}

// Read reads a script; name is said in errors. Unknown fields are an error.
func Read(name string, r io.Reader) (*Provider, error) {
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	var f File
	if err := dec.Decode(&f); err != nil {
		return nil, fmt.Errorf("script %s: %w", name, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("script %s: something follows the JSON object", name)
	}
	return New(name, f.Turns...), nil
}

// New makes a Provider of turns; name is said in errors.
func New(name string, turns ...Turn) *Provider { return &Provider{name: name, turns: turns} }

// Name implements model.Provider.
func (p *Provider) Name() string { return "script" }

// Unused says which turns were not asked for, or which expectation was not met:
// either fails the run. It is nil when the script was followed to its end.
func (p *Provider) Unused() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed != nil {
		return p.failed
	}
	if n := len(p.turns) - p.next; n > 0 {
		return fmt.Errorf("script %s: %d of %d turns were not used, from turn %d on", p.name, n, len(p.turns), p.next+1)
	}
	return nil
}

// Stream implements model.Provider.
func (p *Provider) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		turn, n, err := p.take(req)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			yield(model.Event{}, err)
			return
		}
		for _, ev := range turn.events(n) {
			if ctx.Err() != nil {
				yield(model.Event{}, ctx.Err())
				return
			}
			if !yield(ev, nil) {
				return
			}
		}
		switch {
		case turn.Stall:
			<-ctx.Done()
			yield(model.Event{}, ctx.Err())
		case turn.Error != nil:
			yield(model.Event{}, &model.Error{
				Kind: turn.Error.Kind, Provider: p.Name(), Status: turn.Error.Status, Text: turn.Error.Text,
			})
		default:
			yield(model.Event{Kind: model.Done, Stop: turn.stop(), Detail: turn.Detail}, nil)
		}
	}
}

// take gives the next turn and its number, 1-based.
func (p *Provider) take(req model.Request) (Turn, int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.next + 1
	if err := p.note(req); err != nil {
		return Turn{}, n, p.fail("%v", err)
	}
	if p.next >= len(p.turns) {
		return Turn{}, n, p.fail("step %d was asked for, the script has %d turns", n, len(p.turns))
	}
	turn := p.turns[p.next]
	p.next++
	said := Said(req)
	for _, want := range turn.Expect {
		if !strings.Contains(said, want) {
			return Turn{}, n, p.fail("turn %d expects %q, which the request does not contain; it ends with:\n%s", n, want, tail(said))
		}
	}
	for _, bad := range turn.Refuse {
		if strings.Contains(said, bad) {
			return Turn{}, n, p.fail("turn %d refuses %q, which the request contains", n, bad)
		}
	}
	return turn, n, nil
}

func (p *Provider) fail(format string, args ...any) error {
	err := &model.Error{Kind: model.ErrRequest, Provider: p.Name(), Text: p.name + ": " + fmt.Sprintf(format, args...)}
	if p.failed == nil {
		p.failed = err
	}
	return err
}

// Said is all text of a request, as expectations are matched against: the
// instructions, then each item's text, name and arguments, a blank line between.
func Said(req model.Request) string {
	var b strings.Builder
	b.WriteString(req.System)
	for _, it := range req.Items {
		b.WriteString("\n\n")
		switch it.Kind {
		case model.ToolCall:
			b.WriteString(it.Name + " " + it.Arguments)
		default:
			b.WriteString(it.Text)
		}
	}
	return b.String()
}

// tail is the last 2,000 bytes.
func tail(s string) string {
	const most = 2000
	if len(s) <= most {
		return s
	}
	return "…" + strings.ToValidUTF8(s[len(s)-most:], "")
}

func (t Turn) stop() model.Stop {
	switch {
	case t.Stop != "":
		return t.Stop
	case t.Cut:
		return model.StopLength
	case len(t.Calls) > 0:
		return model.StopTools
	}
	return model.StopEnd
}

// events are what comes before the end. A text that is broken off by stall,
// error or a cut without calls stays without its item.
func (t Turn) events(n int) []model.Event {
	var out []model.Event
	id := func(what string, i int) string { return fmt.Sprintf("s%d-%s%d", n, what, i) }
	if t.Empty {
		return nil
	}
	if t.Reasoning != "" {
		out = append(out, deltas(model.ReasoningDelta, id("r", 1), t.Reasoning)...)
		out = append(out, done(model.Item{Kind: model.Reasoning, ID: id("r", 1), Text: t.Reasoning}))
	}
	if t.Text != "" {
		out = append(out, deltas(model.TextDelta, id("m", 1), t.Text)...)
		broken := (t.Stall || t.Error != nil) && len(t.Calls) == 0
		if !broken {
			out = append(out, done(model.Item{
				Kind: model.Message, ID: id("m", 1), Role: model.Assistant, Text: t.Text, Incomplete: t.Cut && len(t.Calls) == 0,
			}))
		}
	}
	for i, c := range t.Calls {
		for _, d := range deltas(model.CallDelta, id("c", i+1), c.bytes()) {
			d.Name, d.Namespace = c.Name, c.Namespace
			out = append(out, d)
		}
		out = append(out, done(model.Item{
			Kind: model.ToolCall, ID: id("c", i+1), CallID: "call_" + strconv.Itoa(i+1), Name: c.Name, Namespace: c.Namespace,
			Arguments: c.bytes(), Incomplete: t.Cut && i == len(t.Calls)-1,
		}))
	}
	u := model.Usage{Input: 1, Output: 1}
	if t.Usage != nil {
		u = model.Usage{Input: t.Usage.Input, Cached: t.Usage.Cached, Output: t.Usage.Output}
	}
	return append(out, model.Event{Kind: model.UsageSeen, Usage: &u})
}

func done(it model.Item) model.Event {
	return model.Event{Kind: model.ItemDone, ItemID: it.ID, Item: &it}
}

// deltas cuts a text after each line or each tenth space.
func deltas(kind model.EventKind, id, text string) []model.Event {
	var out []model.Event
	start, spaces := 0, 0
	for i := range len(text) {
		if text[i] == ' ' {
			spaces++
		}
		if text[i] == '\n' || spaces == 10 {
			out = append(out, model.Event{Kind: kind, ItemID: id, Text: text[start : i+1]})
			start, spaces = i+1, 0
		}
	}
	if start < len(text) {
		out = append(out, model.Event{Kind: kind, ItemID: id, Text: text[start:]})
	}
	return out
}

// bytes are the arguments as the model would write them.
func (c Call) bytes() string {
	raw := bytes.TrimSpace(c.Arguments)
	if len(raw) == 0 {
		return "{}"
	}
	var s string
	if raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return s
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
