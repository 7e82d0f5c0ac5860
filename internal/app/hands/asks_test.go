package hands

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"companion/agent/consent"
	"companion/lspbridge/editor"
	"companion/lspbridge/rpc"
	"companion/permission"
	"companion/tools"
)

// someone answers one question.
type someone struct {
	answer permission.Answer
	err    error
	shown  permission.Request
}

func (s *someone) Ask(_ context.Context, r permission.Request) (permission.Answer, error) {
	s.shown = r
	return s.answer, s.err
}

func TestWhatAPersonSaysOfAThread(t *testing.T) {
	other := errors.New("other")
	for name, c := range map[string]struct {
		someone someone
		reply   consent.Reply
		err     error
	}{
		"yes":                {someone{answer: permission.Answer{OptionID: "once", Feedback: "go"}}, consent.Reply{Yes: true, Feedback: "go"}, nil},
		"no":                 {someone{answer: permission.Answer{OptionID: "reject", Feedback: "later"}}, consent.Reply{Feedback: "later"}, nil},
		"closed":             {someone{}, consent.Reply{}, nil},
		"stop":               {someone{answer: permission.Answer{OptionID: "stop"}}, consent.Reply{}, tools.ErrStopped},
		"nobody":             {someone{err: permission.ErrNobody}, consent.Reply{}, consent.ErrNobody},
		"malformed":          {someone{err: fmt.Errorf("x: %w", editor.ErrMalformed)}, consent.Reply{}, nil},
		"the editor is gone": {someone{err: fmt.Errorf("x: %w", rpc.ErrClosed)}, consent.Reply{}, tools.ErrStopped},
		"other":              {someone{err: other}, consent.Reply{}, other},
	} {
		t.Run(name, func(t *testing.T) {
			q := consent.Question{Thread: "t", CallID: "c", Kind: consent.ToMode, Title: "a\u202eb" + strings.Repeat("x", 400), Plan: "1. [ ] mend\x1b", Yes: "Allow", ForThread: true}
			r, err := Asks(&c.someone)(context.Background(), q)
			if r != c.reply || !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
				t.Errorf("%+v, %v", r, err)
			}
			s := c.someone.shown
			if s.Kind != permission.KindMode || len(s.Options) != 3 || s.Options[0].Kind != permission.AllowThread || s.Options[1].Label != "Reject" ||
				len([]rune(s.Title)) > maxQuestion+40 || strings.ContainsRune(s.Title, '\u202e') || s.Preview.Text != `1. [ ] mend\x1B` {
				t.Errorf("shown %+v", s)
			}
		})
	}
	if Asks(nil) != nil {
		t.Error("nobody asks")
	}
}
