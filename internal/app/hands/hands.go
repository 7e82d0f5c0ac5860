package hands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"companion/agent"
	"companion/agent/consent"
	"companion/lspbridge/editor"
	"companion/lspbridge/wire"
	"companion/permission/granted"
	"companion/session"
	"companion/tools"
	"companion/tools/files"
	"companion/tools/person"
	"companion/tools/plan"
	"companion/tools/window"
	"companion/workspace"
)

// Questioner puts questions to the person at the editor.
type Questioner interface {
	AskQuestions(ctx context.Context, q wire.QuestionParams) (map[string][]string, error)
}

// Options of Tools.
type Options struct {
	// Agent gives the agent, which is made after its tools.
	Agent     func() *agent.Agent
	Workspace *workspace.Workspace
	Granted   *granted.Store
	Questions Questioner // nil = nobody can be asked
}

// Tools are those about the agent's own thread and its person.
func Tools(o Options) []tools.Tool {
	var questions person.Questions
	if o.Questions != nil {
		questions = asking{o.Questions}
	}
	h := hands{o}
	return []tools.Tool{
		plan.Update(h), plan.SetMode(h), plan.GetMode(h),
		window.Remaining(h), window.New(h), window.CurrentTime(time.Now),
		person.Ask(questions), person.Permissions(h),
	}
}

// hands are the agent and the rules in the words of those tools.
type hands struct{ o Options }

func (h hands) Plan(thread string) []plan.Step {
	var out []plan.Step
	for _, s := range h.o.Agent().Plan(thread) {
		out = append(out, plan.Step(s))
	}
	return out
}

func (h hands) SetPlan(thread, turn string, steps []plan.Step) error {
	out := make([]session.PlanStep, len(steps))
	for i, s := range steps {
		out[i] = session.PlanStep(s)
	}
	return h.o.Agent().SetPlan(thread, turn, out)
}

func (h hands) Mode(thread string) tools.Mode { return h.o.Agent().Mode(thread) }

func (h hands) SetMode(ctx context.Context, call tools.Call, to tools.Mode) (plan.Moved, error) {
	r, err := h.o.Agent().Move(ctx, call, to)
	if errors.Is(err, consent.ErrNobody) {
		return plan.Moved{Nobody: true}, nil
	}
	return plan.Moved{Yes: r.Yes, Feedback: r.Feedback}, err
}

func (h hands) Window(thread string) (used, window, shortened int) { return h.o.Agent().Window(thread) }

func (h hands) Handover(thread, text string) error { return h.o.Agent().Handover(thread, text) }

// Check implements person.Granter.
func (h hands) Check(call tools.Call, w person.Wish) string {
	_, _, wrong := h.wished(call, w)
	return wrong
}

// wished are the rules of a wish, and their words.
func (h hands) wished(call tools.Call, w person.Wish) (rules granted.Wish, words []string, wrong string) {
	rules = granted.Wish{Hosts: w.Hosts, Commands: w.Commands}
	for _, p := range w.Paths {
		f, err := h.o.Workspace.Resolve(files.Absolute(call, p))
		if err != nil {
			return rules, nil, fmt.Sprintf("%s: %v.", p, err)
		}
		rules.Paths = append(rules.Paths, f.Path)
	}
	_, words, wrong = granted.Rules(rules)
	return rules, words, wrong
}

// Grant implements person.Granter.
func (h hands) Grant(ctx context.Context, call tools.Call, w person.Wish) (person.Reply, error) {
	wish, words, wrong := h.wished(call, w)
	if wrong != "" {
		return person.Reply{}, tools.Fail(wrong)
	}
	args, err := json.Marshal(map[string]any{"reason": w.Reason, "paths": wish.Paths, "hosts": wish.Hosts, "commands": wish.Commands})
	if err != nil {
		return person.Reply{}, err
	}
	r, err := h.o.Agent().Ask(ctx, call, consent.Question{
		Kind: consent.Permissions, Title: "Allow for this thread: " + strings.Join(words, "; "),
		Detail:    w.Reason + "\n\nWhat rules of the settings deny stays denied; secret files and files that steer other programs are asked for all the same.",
		Arguments: args, Yes: "Allow for this thread", ForThread: true,
	})
	switch {
	case errors.Is(err, consent.ErrNobody):
		return person.Reply{Nobody: true}, nil
	case err != nil || !r.Yes:
		return person.Reply{Feedback: r.Feedback}, err
	}
	rules, _, _ := granted.Rules(wish)
	h.o.Granted.Add(call.Thread, rules)
	return person.Reply{Yes: true, Granted: words, Feedback: r.Feedback}, nil
}

// asking puts the questions of ask_user to the editor.
type asking struct{ to Questioner }

// Ask implements person.Questions.
func (a asking) Ask(ctx context.Context, call tools.Call, list []person.Question) (map[string][]string, error) {
	p := wire.QuestionParams{ThreadID: call.Thread, TurnID: call.Turn, CallID: call.ID}
	for _, q := range list {
		w := wire.Question{ID: q.ID, Header: q.Header, Question: q.Question, Multi: q.Multi, AllowOther: q.Other}
		for _, o := range q.Options {
			w.Options = append(w.Options, wire.QuestionOption(o))
		}
		p.Questions = append(p.Questions, w)
	}
	answers, err := a.to.AskQuestions(ctx, p)
	if errors.Is(err, editor.ErrNotOffered) {
		err = person.ErrUnfit
	}
	return answers, err
}
