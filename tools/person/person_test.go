package person

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"companion/tools"
)

type editor struct {
	answers map[string][]string
	err     error
	asked   []Question
}

func (e *editor) Ask(_ context.Context, _ tools.Call, list []Question) (map[string][]string, error) {
	e.asked = list
	return e.answers, e.err
}

type granter struct {
	wrong string
	reply Reply
	err   error
	asked *Wish
}

func (g *granter) Check(tools.Call, Wish) string { return g.wrong }

func (g *granter) Grant(_ context.Context, _ tools.Call, w Wish) (Reply, error) {
	g.asked = &w
	return g.reply, g.err
}

func call(t *testing.T, tool tools.Tool, mode tools.Mode, args string) (text string, outcome tools.Outcome, err error) {
	t.Helper()
	action, err := tool.Prepare(context.Background(), tools.Call{Mode: mode, Args: json.RawMessage(args)})
	var res tools.Result
	if err == nil {
		if len(action.Locks) != 1 || action.Locks[0] != (tools.Lock{Resource: "user"}) {
			t.Errorf("locks %+v", action.Locks)
		}
		res, err = action.Run(context.Background(), nil)
	}
	var refusal *tools.Refusal
	if errors.As(err, &refusal) {
		return refusal.Text, refusal.Outcome, nil
	}
	return res.Text, res.Outcome, err
}

const colours = `{"question":"Which colour?","options":[{"label":"red","description":"warm"},{"label":"blue"}]}`

func TestEveryAnswerHasItsWords(t *testing.T) {
	for name, c := range map[string]struct {
		editor  *editor
		args    string
		outcome tools.Outcome
		says    string
	}{
		"one":     {&editor{answers: map[string][]string{"q1": {"red"}}}, colours, tools.OK, "The user answers: red"},
		"several": {&editor{answers: map[string][]string{"q1": {"red", "blue"}}}, colours, tools.OK, "The user answers: red; blue"},
		"half": {
			&editor{answers: map[string][]string{"q2": {"soon"}}}, colours + `,{"question":"When?"}`, tools.OK,
			"Which colour?\n→ (not answered)\nWhen?\n→ soon",
		},
		"closed":    {&editor{}, colours, tools.Denied, "closed the question without an answer"},
		"blank":     {&editor{answers: map[string][]string{"q1": {"  "}}}, colours, tools.Denied, "closed the question"},
		"headless":  {nil, colours, tools.Failed, "Nobody is there to answer in this run"},
		"nobody":    {&editor{err: fmt.Errorf("x: %w", ErrNobody)}, colours, tools.Failed, "Nobody is there"},
		"unfit":     {&editor{err: ErrUnfit}, colours, tools.Failed, "can only show questions with 2 to 5 options"},
		"malformed": {&editor{err: errors.New("result.answers is missing")}, colours, tools.Failed, "was not answered: result.answers is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			var q Questions
			if c.editor != nil {
				q = c.editor
			}
			text, outcome, err := call(t, Ask(q), "", `{"questions":[`+c.args+`]}`)
			if err != nil || outcome != c.outcome || !strings.Contains(text, c.says) {
				t.Errorf("%s: %s, %v", outcome, text, err)
			}
		})
	}
}

func TestQuestionsThatNobodyCouldAnswerAreNotAsked(t *testing.T) {
	for name, c := range map[string]struct{ args, says string }{
		"none":           {``, "questions has 0 entries"},
		"four":           {strings.Repeat(colours+",", 3) + colours, "questions has 4 entries, and 1 to 3"},
		"no words":       {`{"question":" "}`, "questions[0].question has 0 bytes"},
		"long":           {`{"question":"` + strings.Repeat("x", 601) + `"}`, "has 601 bytes"},
		"one option":     {`{"question":"?","options":[{"label":"a"}]}`, "has 1 options"},
		"six options":    {`{"question":"?","options":[{"label":"a"},{"label":"b"},{"label":"c"},{"label":"d"},{"label":"e"},{"label":"f"}]}`, "has 6 options"},
		"twice the same": {`{"question":"?","options":[{"label":"a"},{"label":" A "}]}`, `the option "A" twice`},
		"closed":         {`{"question":"?","closed":true}`, "is closed and has no options"},
		"no label":       {`{"question":"?","options":[{"label":""},{"label":"b"}]}`, "options[0].label has 0 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			e := &editor{}
			text, outcome, err := call(t, Ask(e), "", `{"questions":[`+c.args+`]}`)
			if err != nil || outcome != tools.Failed || !strings.Contains(text, c.says) || !strings.HasSuffix(text, "Nothing was asked.") || e.asked != nil {
				t.Errorf("%s: %s, %v", outcome, text, err)
			}
		})
	}
}

func TestAQuestionIsShownAsItWasMeant(t *testing.T) {
	e := &editor{answers: map[string][]string{"q1": {"red"}}}
	if _, _, err := call(t, Ask(e), "", `{"questions":[`+colours+`,{"question":"What should the name of this new module be?","header":"Name"},{"question":"A question of more words than a header holds?","multi":true}]}`); err != nil {
		t.Fatal(err)
	}
	if q := e.asked[0]; q.ID != "q1" || q.Header != "Which colour?" || !q.Other || q.Multi || q.Options[0] != (Option{"red", "warm"}) {
		t.Errorf("%+v", q)
	}
	if e.asked[1].Header != "Name" || e.asked[2].Header != "A question of more words …" || !e.asked[2].Multi {
		t.Errorf("%+v", e.asked)
	}
}

func TestPermissionsAreAskedForOrNot(t *testing.T) {
	const wish = `{"reason":"to test","commands":["npm test *"," "]}`
	for name, c := range map[string]struct {
		granter granter
		mode    tools.Mode
		args    string
		outcome tools.Outcome
		says    string
		asked   bool
	}{
		"granted":       {granter{reply: Reply{Yes: true, Granted: []string{"run npm test *"}, Feedback: "ok"}}, tools.ModeAgent, wish, tools.OK, "rest of this thread:\n- run npm test * The user says: ok", true},
		"in plan":       {granter{reply: Reply{Yes: true, Granted: []string{"x"}}}, tools.ModePlan, wish, tools.OK, "The mode is plan, in which nothing is changed all the same", true},
		"refused":       {granter{reply: Reply{Feedback: "no"}}, "", wish, tools.Denied, "the user refused. Do not ask for it again and do not work around it. The user says: no", true},
		"nobody":        {granter{reply: Reply{Nobody: true}}, "", wish, tools.Denied, "nobody is there to allow it", true},
		"nothing named": {granter{}, "", `{"reason":"why","paths":[" "]}`, tools.Failed, "Nothing is named", false},
		"no reason":     {granter{}, "", `{"reason":" ","paths":["a"]}`, tools.Failed, "reason has 0 bytes", false},
		"too much":      {granter{wrong: "/ is more than one may be granted."}, "", wish, tools.Failed, "/ is more than one may be granted. Nobody was asked.", false},
	} {
		t.Run(name, func(t *testing.T) {
			text, outcome, err := call(t, Permissions(&c.granter), c.mode, c.args)
			if err != nil || outcome != c.outcome || !strings.Contains(text, c.says) || (c.granter.asked != nil) != c.asked {
				t.Errorf("%s: %s, %v", outcome, text, err)
			}
			if c.asked && len(c.granter.asked.Commands) != 1 {
				t.Errorf("asked for %q", c.granter.asked.Commands)
			}
		})
	}
	if _, _, err := call(t, Permissions(&granter{err: tools.ErrStopped}), "", wish); !errors.Is(err, tools.ErrStopped) {
		t.Errorf("a stop is %v", err)
	}
}

func TestASubAgentHasNoPerson(t *testing.T) {
	for _, tool := range []tools.Tool{Ask(nil), Permissions(nil)} {
		if s := tool.Spec(); !s.AsksUser || !s.ReadOnly {
			t.Errorf("%s: asks the user %v, read-only %v", s.Name, s.AsksUser, s.ReadOnly)
		}
	}
}
