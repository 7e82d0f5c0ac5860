package editor

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"reflect"
	"strings"
	"testing"

	"companion/agent/model"
)

// fake yields events, and keeps the request.
type fake struct {
	events []Event
	err    error
	hang   bool
	req    Request
	seen   int // events that were taken
}

func (f *fake) CallModel(ctx context.Context, req Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		f.req = req
		for _, ev := range f.events {
			f.seen++
			if !yield(ev, nil) {
				return
			}
		}
		if f.hang {
			<-ctx.Done()
			yield(Event{}, ctx.Err())
		} else if f.err != nil {
			yield(Event{}, f.err)
		}
	}
}

func text(s string) Event { return Event{Part: &Part{Type: Text, Text: s}} }

func called(id, name, args string) Event {
	return Event{Part: &Part{Type: Call, ID: id, Name: name, Arguments: json.RawMessage(args)}}
}

func stop(s string) Event { return Event{End: &End{Stop: s}} }

func ask(ctx context.Context, f *fake, req model.Request, models ...Model) (events []model.Event, err error) {
	var lent Models
	lent.Register(append(models, Model{ID: "m", Tools: true, Images: true}))
	if req.Model == "" {
		req.Model = "m"
	}
	for ev, e := range New(f, &lent).Stream(ctx, req) {
		if e != nil {
			return events, e
		}
		events = append(events, ev)
	}
	return events, nil
}

func TestAnswersOfTheEditor(t *testing.T) {
	tools := []model.Tool{{Name: "show", Namespace: "ed"}, {Name: "read"}}
	for name, c := range map[string]struct {
		events []Event
		err    error
		want   string // items and the stop
		kind   model.ErrorKind
		said   string
	}{
		"text":                    {events: []Event{text("a "), text("b"), stop("end")}, want: "message a b; end"},
		"calls":                   {events: []Event{text("I look"), called("1", "ed__show", `{"a":1}`), called("1", "read", ""), stop("tools")}, want: `message I look; call ed.show {"a":1}; call .read ; tools`},
		"calls that end in end":   {events: []Event{called("", "read", `{}`), stop("end")}, want: "call .read {}; tools"},
		"an unknown tool":         {events: []Event{called("1", "ghost", `{}`), stop("tools")}, want: "call .ghost {}; tools"},
		"text after a call":       {events: []Event{called("1", "read", `{}`), text("so"), stop("end")}, want: "call .read {}; message so; tools"},
		"the output limit":        {events: []Event{text("half"), stop("length")}, want: "message half…; length"},
		"parts of a later time":   {events: []Event{{Part: &Part{Type: "smell"}}, text("x"), {}, stop("end")}, want: "message x; end"},
		"its own error":           {events: []Event{text("half"), {End: &End{Stop: "error", Error: "quota is used up"}}}, want: "message half…", kind: model.ErrRequest, said: "quota is used up"},
		"an error without words":  {events: []Event{stop("error")}, kind: model.ErrRequest, said: "does not say why"},
		"an unknown stop":         {events: []Event{text("x"), stop("later")}, want: "message x", kind: model.ErrProtocol, said: `"later"`},
		"nothing":                 {events: []Event{stop("end")}, kind: model.ErrEmpty, said: "nothing"},
		"no end":                  {events: []Event{text("half")}, want: "message half…", kind: model.ErrStreamCut, said: "before its end"},
		"a call without a name":   {events: []Event{called("1", "", `{}`)}, kind: model.ErrProtocol, said: "without a name"},
		"an error of the request": {events: []Event{text("half")}, err: errors.New("the user refused"), kind: model.ErrRequest, said: "the user refused"},
		"an error with a kind":    {err: &model.Error{Kind: model.ErrRate, Text: "slow down"}, kind: model.ErrRate, said: "slow down"},
	} {
		t.Run(name, func(t *testing.T) {
			events, err := ask(context.Background(), &fake{events: c.events, err: c.err}, model.Request{Tools: tools})
			var got []string
			deltas, texts := "", ""
			ids := map[string]bool{}
			for _, ev := range events {
				switch ev.Kind {
				case model.TextDelta:
					deltas += ev.Text
				case model.ItemDone:
					if ids[ev.Item.ID] {
						t.Errorf("id %q twice", ev.Item.ID)
					}
					ids[ev.Item.ID] = true
					s := string(ev.Item.Kind) + " " + ev.Item.Text
					if ev.Item.Kind == model.ToolCall {
						s = "call " + ev.Item.Namespace + "." + ev.Item.Name + " " + ev.Item.Arguments
					}
					texts += ev.Item.Text
					if ev.Item.Incomplete {
						s += "…"
					}
					got = append(got, s)
				case model.Done:
					got = append(got, string(ev.Stop))
				}
			}
			if s := strings.Join(got, "; "); s != c.want {
				t.Errorf("got %q, want %q", s, c.want)
			}
			if err == nil && deltas != texts {
				t.Errorf("deltas %q, items %q", deltas, texts)
			}
			var e *model.Error
			if errors.As(err, &e) != (c.kind != "") || e != nil && (e.Kind != c.kind || !strings.Contains(e.Text, c.said)) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestUsageIsTold(t *testing.T) {
	events, err := ask(context.Background(), &fake{events: []Event{text("x"), {End: &End{Stop: "end", Usage: &model.Usage{Input: 3, Output: 1}}}}}, model.Request{})
	if err != nil || *events[len(events)-2].Usage != (model.Usage{Input: 3, Output: 1}) {
		t.Errorf("%+v, %v", events, err)
	}
}

func TestCancelAndAConsumerThatStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ask(ctx, &fake{events: []Event{text("x")}, hang: true}, model.Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	f := &fake{events: []Event{text("a"), text("b"), stop("end")}}
	var lent Models
	lent.Register([]Model{{ID: "m"}})
	for range New(f, &lent).Stream(context.Background(), model.Request{Model: "m"}) {
		break
	}
	if f.seen != 1 {
		t.Errorf("%d events were taken", f.seen)
	}
}

func TestAModelThatIsNotLentAnyMore(t *testing.T) {
	f := &fake{}
	_, err := ask(context.Background(), f, model.Request{Model: "gone"})
	var e *model.Error
	if !errors.As(err, &e) || e.Kind != model.ErrRequest || f.req.ID != "" {
		t.Errorf("%v, asked %+v", err, f.req)
	}
}

func TestTheRequestAsTheEditorGetsIt(t *testing.T) {
	image := []model.Image{{MimeType: "image/png", Data: []byte{1}}}
	req := model.Request{
		System: "Be brief.", Options: model.Options{MaxOutput: 9, Effort: "low"},
		Tools: []model.Tool{{Name: "show", Namespace: "ed", Description: "Shows.", Parameters: json.RawMessage(`{"properties":{}}`)}},
		Items: []model.Item{
			{Kind: model.Message, Role: model.Developer, Text: "mode"},
			{Kind: model.Message, Role: model.User, Text: "look", Images: image},
			{Kind: model.Reasoning, Text: "hm"},
			{Kind: model.Message, Role: model.Assistant, Text: "I look"},
			{Kind: model.ToolCall, CallID: "c1", Name: "show", Namespace: "ed", Arguments: `{"a":`},
			{Kind: model.ToolReply, CallID: "c1", Text: "shown", Images: image, IsError: true},
			{Kind: model.Message, Role: model.User, Text: "and?"},
		},
	}
	seen := Part{Type: Image, MimeType: "image/png", Data: []byte{1}}
	word := func(s string) Part { return Part{Type: Text, Text: s} }
	asked := Part{Type: Call, ID: "c1", Name: "ed__show", Arguments: json.RawMessage(`{"unreadable_arguments":"{\"a\":"}`)}
	for name, c := range map[string]struct {
		model Model
		tools []Tool
		look  []Part
		reply []Part
	}{
		"sees and calls": {Model{ID: "x", Tools: true, Images: true}, []Tool{{"ed__show", "Shows.", json.RawMessage(`{"type":"object","properties":{}}`)}}, []Part{word("look"), seen}, []Part{word("shown"), seen}},
		"does neither":   {Model{ID: "x"}, []Tool{}, []Part{word("look")}, []Part{word("shown")}},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{events: []Event{text("x"), stop("end")}}
			req.Model = "x"
			if _, err := ask(context.Background(), f, req, c.model); err != nil {
				t.Fatal(err)
			}
			want := []Message{
				{System, []Part{word("Be brief.")}},
				{User, append([]Part{word("<developer>\nmode\n</developer>")}, c.look...)},
				{Assistant, []Part{word("I look"), asked}},
				{User, []Part{{Type: Result, ID: "c1", IsError: true, Content: c.reply}, word("and?")}},
			}
			if !reflect.DeepEqual(f.req.Messages, want) {
				t.Errorf("messages %+v\nwant %+v", f.req.Messages, want)
			}
			if f.req.ID == "" || f.req.Model != "x" || f.req.Options.MaxOutput != 9 || len(f.req.Tools) != len(c.tools) {
				t.Errorf("request %+v", f.req)
			}
			for i := range c.tools {
				if g := f.req.Tools[i]; g.Name != c.tools[i].Name || string(g.Input) != string(c.tools[i].Input) {
					t.Errorf("tool %+v", g)
				}
			}
		})
	}
}

func TestWhatIsLentIsReplaced(t *testing.T) {
	var m Models
	if r := m.Register([]Model{{ID: "a"}, {ID: ""}, {ID: "a", Title: "A", MaxInputTokens: 5}, {ID: "b"}}); r != 1 {
		t.Errorf("revision %d", r)
	}
	if l := m.List(); len(l) != 2 || l[0].Title != "A" || l[0].Window() != 5 || l[1].Window() != DefaultWindow {
		t.Errorf("lent %+v", l)
	}
	if r := m.Register(nil); r != 2 || len(m.List()) != 0 {
		t.Errorf("revision %d, lent %+v", r, m.List())
	}
	if _, ok := m.Find("a"); ok {
		t.Error("a is still lent")
	}
}
