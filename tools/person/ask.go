package person

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"companion/tools"
	"companion/tools/schema"
)

// Bounds of what is asked at once.
const (
	mostQuestions = 3
	mostOptions   = 5 // an editor without a plug-in shows no more buttons
	questionBytes = 600
	labelBytes    = 60
)

// Errors of Questions.
var (
	// ErrNobody: there is no person to ask.
	ErrNobody = errors.New("nobody can be asked")
	// ErrUnfit: the person's editor can show no such question.
	ErrUnfit = errors.New("the editor shows no such question")
)

// Question is one question.
type Question struct {
	ID, Header, Question string
	Options              []Option
	Multi                bool // several options may be chosen
	Other                bool // words of the person's own are taken too
}

// Option is one answer to choose.
type Option struct{ Label, Description string }

// Questions reaches a person.
type Questions interface {
	// Ask gives answers by the question's id and waits for them; a question that
	// was closed has none. ErrNobody, ErrUnfit; other errors are ctx's, or say
	// what was wrong with the answer.
	Ask(ctx context.Context, call tools.Call, list []Question) (map[string][]string, error)
}

//go:embed ask_user.md
var askDoc string

type askArgs struct {
	Questions []questionArgs `json:"questions" min:"1" max:"3" desc:"1 to 3 questions that do not depend on each other."`
}

type questionArgs struct {
	Question string       `json:"question" desc:"One whole question, at most 600 bytes."`
	Header   string       `json:"header,omitempty" desc:"One to three words that name it, at most 60 bytes. Default the question's beginning."`
	Options  []optionArgs `json:"options,omitempty" min:"2" max:"5" desc:"2 to 5 answers to choose from, the one that you advise first. Default none: the person writes."`
	Multi    bool         `json:"multi,omitempty" desc:"Several options may be chosen. Default false."`
	Closed   bool         `json:"closed,omitempty" desc:"Only the options are answers, no words of the person's own. Default false."`
}

type optionArgs struct {
	Label       string `json:"label" desc:"The answer in a few words, at most 60 bytes."`
	Description string `json:"description,omitempty" desc:"What follows from it. Default none."`
}

type ask struct{ questions Questions }

// Ask is the tool ask_user; nil = there is nobody.
func Ask(q Questions) tools.Tool { return ask{q} }

func (ask) Spec() tools.Spec {
	return tools.Spec{
		Name: "ask_user", Title: "Ask the user", Description: strings.TrimSpace(askDoc), Input: schema.Of[askArgs](),
		ReadOnly: true, AsksUser: true, AlwaysShown: true, SearchHint: "question, clarify, choose, decide, confirm with the person",
	}
}

func (t ask) Prepare(_ context.Context, call tools.Call) (tools.Action, error) {
	args, err := tools.Decode[askArgs](call.Args)
	if err != nil {
		return tools.Action{}, err
	}
	list, wrong := questions(args.Questions)
	if wrong != "" {
		return tools.Action{}, tools.Fail(wrong + " Nothing was asked.")
	}
	return tools.Action{
		Locks:    []tools.Lock{{Resource: "user"}},
		Activity: "Asking: " + tools.OneLine(list[0].Question),
		Run: func(ctx context.Context, _ tools.Progress) (tools.Result, error) {
			return t.run(ctx, call, list)
		},
	}, nil
}

func questions(args []questionArgs) (list []Question, wrong string) {
	if len(args) == 0 || len(args) > mostQuestions {
		return nil, fmt.Sprintf("questions has %d entries, and 1 to %d are asked at once.", len(args), mostQuestions)
	}
	for i, a := range args {
		q := Question{
			ID: fmt.Sprintf("q%d", i+1), Header: strings.TrimSpace(a.Header), Question: strings.TrimSpace(a.Question),
			Multi: a.Multi, Other: !a.Closed,
		}
		seen := map[string]bool{}
		for j, o := range a.Options {
			o.Label = strings.Join(strings.Fields(o.Label), " ")
			switch {
			case o.Label == "" || len(o.Label) > labelBytes:
				return nil, fmt.Sprintf("questions[%d].options[%d].label has %d bytes, and 1 to %d are shown.", i, j, len(o.Label), labelBytes)
			case seen[strings.ToLower(o.Label)]:
				return nil, fmt.Sprintf("questions[%d] has the option %q twice.", i, o.Label)
			}
			seen[strings.ToLower(o.Label)] = true
			q.Options = append(q.Options, Option(o))
		}
		switch n := len(q.Options); {
		case q.Question == "" || len(q.Question) > questionBytes:
			return nil, fmt.Sprintf("questions[%d].question has %d bytes, and 1 to %d are shown.", i, len(q.Question), questionBytes)
		case n == 1 || n > mostOptions:
			return nil, fmt.Sprintf("questions[%d] has %d options, and 2 to %d are shown, or none.", i, n, mostOptions)
		case n == 0 && !q.Other:
			return nil, fmt.Sprintf("questions[%d] is closed and has no options, so nobody could answer it.", i)
		case len(q.Header) > labelBytes:
			return nil, fmt.Sprintf("questions[%d].header has %d bytes, at most %d are shown.", i, len(q.Header), labelBytes)
		}
		if q.Header == "" {
			q.Header = beginning(q.Question)
		}
		list = append(list, q)
	}
	return list, ""
}

// beginning is the first words of a question.
func beginning(s string) string {
	out := ""
	for _, w := range strings.Fields(s) {
		if len(out)+len(w) > 24 && out != "" {
			return out + " …"
		}
		out = strings.TrimSpace(out + " " + w)
	}
	return strings.ToValidUTF8(out[:min(len(out), labelBytes)], "")
}

func (t ask) run(ctx context.Context, call tools.Call, list []Question) (tools.Result, error) {
	answers, err := map[string][]string(nil), ErrNobody
	if t.questions != nil {
		answers, err = t.questions.Ask(ctx, call, list)
	}
	switch {
	case ctx.Err() != nil:
		return tools.Result{}, ctx.Err()
	case errors.Is(err, ErrNobody):
		return tools.Result{}, tools.Fail("Nobody is there to answer in this run. Do not ask again: decide what is safest and easiest to take back, go on, and say in your answer what you assumed.")
	case errors.Is(err, ErrUnfit):
		return tools.Result{}, tools.Fail("The user's editor can only show questions with 2 to 5 options to choose one from. Ask so, or end the turn with your question as the answer.")
	case err != nil:
		return tools.Result{}, tools.Fail(fmt.Sprintf("The question was not answered: %v. Go on as you think best, or end the turn with your question as the answer.", err))
	}
	var b strings.Builder
	answered := 0
	for _, q := range list {
		words := strings.TrimSpace(strings.Join(answers[q.ID], "; "))
		if words == "" {
			words = "(not answered)"
		} else {
			answered++
		}
		if len(list) > 1 {
			fmt.Fprintf(&b, "%s\n→ ", q.Question)
		}
		fmt.Fprintf(&b, "%s\n", words)
	}
	if answered == 0 {
		return tools.Result{}, &tools.Refusal{Outcome: tools.Denied, Text: "The user closed the question without an answer. Do not ask it again: go on as you think best and say what you assumed, or say what you cannot do without it."}
	}
	return tools.Result{Outcome: tools.OK, Text: "The user answers: " + strings.TrimSpace(b.String())}, nil
}
