package editor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"companion/lspbridge/action"
	"companion/lspbridge/rpc"
	"companion/lspbridge/wire"
	"companion/permission"

	"go.lsp.dev/protocol"
)

// maxButtons of a message request (docs/protocol.md, Approvals).
const maxButtons = 5

// silence is how long a message request may stay unanswered until the answer is
// also offered as code actions: some editors show none.
const silence = 10 * time.Second

// approval is a question that a person has not answered yet.
type approval struct {
	request permission.Request
	since   time.Time
	chosen  chan string // option id, by companion.approve; holds one
}

// Ask implements permission.Asker: companion/approval/request where the client
// takes approvals over, else window/showMessageRequest, else code actions.
func (e *Editor) Ask(ctx context.Context, r permission.Request) (permission.Answer, error) {
	a := &approval{request: r, since: time.Now(), chosen: make(chan string, 1)}
	e.mu.Lock()
	e.open[r.CallID] = a
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.open[r.CallID] == a {
			delete(e.open, r.CallID)
		}
	}()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // withdraws the question once companion.approve answered it
	type reply struct {
		answer permission.Answer
		err    error
	}
	told := make(chan reply, 1)
	e.spawn(func() {
		answer, err := e.put(ctx, r)
		told <- reply{answer, err}
	})
	for {
		select {
		case id := <-a.chosen:
			return permission.Answer{OptionID: id}, nil
		case t := <-told:
			if errors.Is(t.err, errCannotAsk) { // companion.approve is left
				e.unshown.Do(func() {
					e.Warn("This editor shows no questions. Companion waits for an answer, which is among the code actions.")
				})
				continue
			}
			return t.answer, t.err
		case <-ctx.Done():
			return permission.Answer{}, ctx.Err()
		}
	}
}

// errCannotAsk: the client has no such request.
var errCannotAsk = errors.New("the editor cannot ask")

func (e *Editor) put(ctx context.Context, r permission.Request) (permission.Answer, error) {
	if e.Client.Companion.Approvals {
		return e.putCompanion(ctx, r)
	}
	options := r.Options
	if len(options) > maxButtons {
		options = options[:maxButtons]
	}
	labels := make([]string, len(options))
	title := "Companion: " + r.Title
	for i, o := range options {
		labels[i] = o.Label
		if o.Rule != "" { // a message has no other place for it
			title += " (" + o.Label + ": " + o.Rule + ")"
		}
	}
	label, err := e.AskMessage(ctx, title, labels)
	if err != nil {
		return permission.Answer{}, err
	}
	if i := slices.Index(labels, label); i >= 0 {
		return permission.Answer{OptionID: options[i].ID}, nil
	}
	return permission.Answer{}, nil
}

// AskMessage shows a question with buttons and gives the button's label, ""
// when it was closed. One question is open at a time; its title is unique.
func (e *Editor) AskMessage(ctx context.Context, title string, labels []string) (string, error) {
	select {
	case e.asking <- struct{}{}:
		defer func() { <-e.asking }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	e.mu.Lock()
	e.asked++
	title = fmt.Sprintf("%s [%d]", Plain(title), e.asked)
	cannot := e.noRequest
	e.mu.Unlock()
	if cannot {
		return "", errCannotAsk
	}
	type item struct {
		Title string `json:"title"`
	}
	items := make([]item, len(labels))
	for i, l := range labels {
		items[i] = item{l}
	}
	var chosen *item
	err := e.conn.Call(ctx, "window/showMessageRequest", struct {
		Type    protocol.MessageType `json:"type"`
		Message string               `json:"message"`
		Actions []item               `json:"actions"`
	}{protocol.MessageTypeInfo, title, items}, &chosen)
	var fault *rpc.Error
	switch {
	case rpc.IsCode(err, rpc.MethodNotFound):
		e.mu.Lock()
		e.noRequest = true
		e.mu.Unlock()
		return "", errCannotAsk
	case errors.As(err, &fault), errors.Is(err, rpc.ErrShape):
		e.log.Warn("the question was not answered", "title", title, "err", err)
		return "", malformed("%v", err)
	case err != nil:
		return "", err
	case chosen == nil:
		return "", nil
	case !slices.Contains(labels, chosen.Title):
		e.log.Warn("the question was answered by no button", "title", title, "button", chosen.Title)
		return "", malformed("%.80q is no button of the question", Plain(chosen.Title))
	}
	return chosen.Title, nil
}

// ErrMalformed: the editor's answer to a question is none. Nobody has allowed
// anything then, and nobody has refused it.
var ErrMalformed = errors.New("the editor's answer is malformed")

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, args...))
}

// putCompanion asks by companion/approval/request.
func (e *Editor) putCompanion(ctx context.Context, r permission.Request) (permission.Answer, error) {
	result, err := ask[wire.ApprovalResult](ctx, e, true, "companion/approval/request", wire.EncodeApproval(r), 0)
	var fault *rpc.Error
	switch {
	case errors.Is(err, ErrNotOffered):
		return permission.Answer{}, errCannotAsk
	case errors.As(err, &fault), errors.Is(err, ErrShape):
		e.log.Warn("the approval was not answered", "call", r.CallID, "err", err)
		return permission.Answer{}, malformed("%v", err)
	case err != nil:
		return permission.Answer{}, err
	case !slices.ContainsFunc(r.Options, func(o permission.Option) bool { return o.ID == result.OptionID }):
		e.log.Warn("the approval was answered by no option", "call", r.CallID, "option", result.OptionID)
		return permission.Answer{}, malformed("%.80q is no option of the approval", Plain(result.OptionID))
	}
	args, err := edited(r, result.Arguments)
	if err != nil {
		e.log.Warn("the approval came with arguments that cannot be taken", "call", r.CallID, "err", err)
		return permission.Answer{}, err
	}
	return permission.Answer{OptionID: result.OptionID, Feedback: result.Feedback, Arguments: args}, nil
}

// edited are the arguments that a person changed, nil = they are as they were.
// What comes unasked is not dropped: the person would think that it counts.
func edited(r permission.Request, args json.RawMessage) (json.RawMessage, error) {
	var now, was any
	if len(args) == 0 || json.Unmarshal(args, &now) != nil || now == nil {
		return nil, nil
	}
	if json.Unmarshal(r.Arguments, &was) == nil && reflect.DeepEqual(now, was) {
		return nil, nil
	}
	if _, object := now.(map[string]any); !object {
		return nil, malformed("result.arguments is no object")
	}
	if !r.Editable {
		return nil, malformed("result.arguments differ, and this approval is not editable")
	}
	return slices.Clone(args), nil
}

// Approve answers an open question by companion.approve.
func (e *Editor) Approve(callID, optionID string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	a := e.open[callID]
	if a == nil {
		return rpc.Failed("notOffered", "no approval is open for call %s", callID)
	}
	if !slices.ContainsFunc(a.request.Options, func(o permission.Option) bool { return o.ID == optionID }) {
		return rpc.Failed("notOffered", "%q is no option of that approval", optionID)
	}
	delete(e.open, callID)
	a.chosen <- optionID
	return nil
}

// Approvals are the open questions that the editor does not seem to show.
func (e *Editor) Approvals() []action.Approval {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []action.Approval
	for id, a := range e.open {
		if !e.noRequest && time.Since(a.since) < silence {
			continue
		}
		x := action.Approval{CallID: id, Title: Plain(a.request.Title)}
		for _, o := range a.request.Options {
			x.Options = append(x.Options, action.Option{ID: o.ID, Label: o.Label})
		}
		out = append(out, x)
	}
	slices.SortFunc(out, func(a, b action.Approval) int { return strings.Compare(a.CallID, b.CallID) })
	return out
}

// Plain makes one line of s; what is not printable becomes visible.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case !unicode.IsPrint(r):
			return '\uFFFD'
		}
		return r
	}, s)
}
