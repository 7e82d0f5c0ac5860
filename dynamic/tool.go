package dynamic

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"companion/dynamic/changed"
	"companion/tools"
	"companion/tools/schema/foreign"
)

// tool is one registered definition. It is immutable.
type tool struct {
	host         *Host
	in           Spec // as given, texts plain and schemas normalised
	owner        string
	full, flat   string
	input        *foreign.Schema
	output       *foreign.Schema // nil = not checked
	shown        json.RawMessage
	shownOutput  json.RawMessage
	locks        []tools.Lock
	size         int // bytes of what a model reads
	hash         string
	trusted      bool
	spec         tools.Spec
	asking       tools.Asking
	activityText string
}

// judged is t with its annotations and wishes as far as they are believed.
func (t *tool) judged(trusted bool) *tool {
	n := *t
	n.trusted = trusted
	says := func(flag *bool, unsaid bool) bool {
		if !trusted || flag == nil {
			return unsaid
		}
		return *flag
	}
	a := t.in.Annotations
	n.spec = tools.Spec{
		Name: t.in.Name, Namespace: t.in.Namespace, Title: t.in.Title, Description: t.in.Description,
		Form: tools.Function, Input: t.shown, Output: t.shownOutput, Exposure: exposure(t.in.Exposure), SearchHint: t.in.SearchHint,
		Source: tools.Dynamic, Owner: t.owner,
		ReadOnly: says(a.ReadOnly, false), OpenWorld: says(a.OpenWorld, true),
	}
	n.spec.Destructive = !n.spec.ReadOnly && says(a.Destructive, true)
	n.asking = tools.AskByRule
	switch {
	case t.in.Approval == tools.AskAlways:
		n.asking = tools.AskAlways
	case trusted && (t.in.Approval == tools.AskNever || t.in.Approval == "" && n.spec.ReadOnly):
		n.asking = tools.AskNever
	}
	n.activityText = "Running " + t.full
	if t.in.Title != "" {
		n.activityText = t.in.Title
	}
	return &n
}

func exposure(e tools.Exposure) tools.Exposure {
	switch e {
	case tools.Deferred, tools.Hidden:
		return e
	}
	return tools.Direct
}

// same tells whether two definitions are one, for the same trust.
func (t *tool) same(o *tool) bool { return t.hash == o.hash && t.trusted == o.trusted }

// Hash names a definition: whatever a person may have judged when saying yes,
// another definition has another hash.
func Hash(owner string, s Spec) string {
	out, err := json.Marshal(struct {
		Owner string
		Spec  Spec
	}{owner, s})
	if err != nil { // a schema that is no JSON
		out = fmt.Appendf(nil, "%q %#v", owner, s)
	}
	sum := sha256.Sum256(out)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Spec is what the model and the policy read.
func (t *tool) Spec() tools.Spec { return t.spec }

// Fit checks arguments against the whole schema; the model may have read a
// shortened one.
func (t *tool) Fit(args json.RawMessage) (json.RawMessage, error) { return t.input.Fit(args) }

// Prepare says that an external tool would be called.
func (t *tool) Prepare(_ context.Context, call tools.Call) (tools.Action, error) {
	if err := t.host.callable(t, call.Thread); err != nil {
		return tools.Action{}, err
	}
	return tools.Action{
		Effects:  []tools.Effect{{Kind: tools.External, Tool: t.full, Key: t.hash, Asking: t.asking}},
		Locks:    t.locks,
		Preview:  tools.Preview{Text: t.preview(call.Args)},
		Activity: t.activityText,
		Run: func(ctx context.Context, out tools.Progress) (tools.Result, error) {
			if err := t.host.callable(t, call.Thread); err != nil {
				return tools.Result{}, err
			}
			return t.run(ctx, call, out), nil
		},
	}, nil
}

// preview is what a person is asked about.
func (t *tool) preview(args json.RawMessage) string {
	const most = 2_000
	text := string(args)
	if len(text) > most {
		text = fmt.Sprintf("%s… (%d bytes)", text[:most], len(text))
	}
	return fmt.Sprintf("%s of %s, with %s", t.full, t.owner, text)
}

// callable tells what changed about a tool since the step began.
func (h *Host) callable(t *tool, thread string) error {
	h.mu.RLock()
	now, enabled := h.byName[t.full], h.enabled(thread, t.full)
	h.mu.RUnlock()
	switch {
	case now == nil:
		return tools.Fail(fmt.Sprintf("%s was not run: it is gone, %s withdrew it. Go on without it.", t.full, t.owner))
	case !now.same(t):
		return tools.Fail(fmt.Sprintf("%s was not run: %s replaced it by another definition. Read the new one in the next step, then call it again.", t.full, now.owner))
	case !enabled:
		return &tools.Refusal{Outcome: tools.Blocked, Text: fmt.Sprintf("%s was not run: %s. Go on without it.", t.full, disabledText)}
	}
	return nil
}

// running is a call that waits for the editor.
type running struct {
	owner  string
	cancel context.CancelCauseFunc
}

func (h *Host) enter(owner string, cancel context.CancelCauseFunc) (leave func()) {
	r := &running{owner, cancel}
	h.mu.Lock()
	h.running[r] = struct{}{}
	h.mu.Unlock()
	return func() {
		h.mu.Lock()
		delete(h.running, r)
		h.mu.Unlock()
		cancel(nil)
	}
}

// run calls the editor and makes the result.
func (t *tool) run(ctx context.Context, call tools.Call, out tools.Progress) tools.Result {
	var before changed.Before
	if t.host.files != nil && !t.spec.ReadOnly {
		before = t.host.files.Before(ctx, call.Thread)
	}
	deadline := t.in.Timeout
	if deadline <= 0 {
		deadline = DefaultDeadline
	}
	begun := time.Now()
	bounded, cancel := context.WithCancelCause(ctx)
	leave := t.host.enter(t.owner, cancel)
	defer leave()
	bounded, stop := context.WithTimeout(bounded, deadline)
	defer stop()
	c := Call{
		Thread: call.Thread, Turn: call.Turn, CallID: call.ID, Namespace: t.in.Namespace, Name: t.in.Name, Owner: t.owner,
		Arguments: call.Args, Deadline: deadline, Progress: out,
	}
	answer, err := t.host.opt.Caller.CallTool(bounded, c)
	if err != nil && t.spec.ReadOnly && transient(err) && bounded.Err() == nil {
		c.Deadline = max(deadline-time.Since(begun), time.Millisecond)
		answer, err = t.host.opt.Caller.CallTool(bounded, c)
	}
	var res tools.Result
	if err != nil {
		res = t.failed(ctx, bounded, err, deadline, time.Since(begun))
	} else {
		res = t.answered(answer)
	}
	if t.host.files == nil || before == nil && len(answer.Changed) == 0 {
		return res
	}
	// Also of a call that was stopped.
	found, note := t.host.files.After(context.WithoutCancel(ctx), before, answer.Changed, t.sole)
	res.Changed = found
	if note != "" {
		res.Text += "\n(" + note + ")"
	}
	return res
}

// sole tells whether the call held a path for itself.
func (t *tool) sole(path string) bool {
	if len(t.locks) == 0 {
		return true // everything, since it is not read-only
	}
	return slices.ContainsFunc(t.locks, func(l tools.Lock) bool {
		return !l.Shared && (l.Resource == path || l.Resource == tools.Everything)
	})
}
