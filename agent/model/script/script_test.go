package script

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"companion/agent/model"
)

// play asks once and gives what came.
func play(ctx context.Context, p *Provider, req model.Request) (events []model.Event, err error) {
	for ev, e := range p.Stream(ctx, req) {
		if e != nil {
			return events, e
		}
		events = append(events, ev)
	}
	return events, nil
}

func read(t *testing.T, s string) *Provider {
	t.Helper()
	p, err := Read("s.json", strings.NewReader(s))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// line is the kinds of events with what matters of them.
func line(events []model.Event) string {
	var out []string
	for _, ev := range events {
		switch ev.Kind {
		case model.UsageSeen:
			continue
		case model.TextDelta, model.ReasoningDelta:
			out = append(out, string(ev.Kind)+" "+ev.Text)
		case model.ItemDone:
			s := "item " + string(ev.Item.Kind) + " " + ev.Item.Text + ev.Item.Name + ev.Item.Arguments
			if ev.Item.Incomplete {
				s += " incomplete"
			}
			out = append(out, s)
		case model.Done:
			out = append(out, "done "+string(ev.Stop)+ev.Detail)
		}
	}
	return strings.Join(out, "|")
}

func TestTurnsAreAnswered(t *testing.T) {
	cases := map[string]struct{ turn, want string }{
		"text":          {`{"text":"hi"}`, "text.delta hi|item message hi|done end"},
		"lines":         {`{"text":"a\nb"}`, "text.delta a\n|text.delta b|item message a\nb|done end"},
		"reasoning":     {`{"reasoning":"hm","text":"a"}`, "reasoning.delta hm|item reasoning hm|text.delta a|item message a|done end"},
		"calls":         {`{"calls":[{"name":"read","arguments":{ "b":1, "a":[2] }},{"name":"x"}]}`, `item call read{"b":1,"a":[2]}|item call x{}|done tools`},
		"raw arguments": {`{"calls":[{"name":"x","arguments":"{\"a"}]}`, `item call x{"a|done tools`},
		"cut call":      {`{"cut":true,"calls":[{"name":"x","arguments":{}},{"name":"y","arguments":"{"}]}`, "item call x{}|item call y{ incomplete|done length"},
		"cut text":      {`{"cut":true,"text":"half"}`, "text.delta half|item message half incomplete|done length"},
		"refusal":       {`{"text":"no","stop":"refusal","detail":"policy"}`, "text.delta no|item message no|done refusalpolicy"},
		"empty":         {`{"empty":true}`, "done end"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := read(t, `{"turns":[`+c.turn+`]}`)
			events, err := play(context.Background(), p, model.Request{})
			if err != nil || line(events) != c.want {
				t.Errorf("got %q, %v; want %q", line(events), err, c.want)
			}
			if err := p.Unused(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestExpectationsAreOfInstructionsItemsAndResults(t *testing.T) {
	req := model.Request{System: "be good", Items: []model.Item{
		{Kind: model.Message, Role: model.User, Text: "mend it"},
		{Kind: model.ToolCall, Name: "read", Arguments: `{"path":"a"}`},
		{Kind: model.ToolReply, Text: "1\tpackage a"},
	}}
	p := read(t, `{"turns":[{"expect":["be good","mend it","read {\"path\":\"a\"}","package a"],"refuse":["package b"],"text":"ok"}]}`)
	if _, err := play(context.Background(), p, req); err != nil {
		t.Fatal(err)
	}
	for name, turn := range map[string]string{"missing": `{"expect":["package b"],"text":"x"}`, "refused": `{"refuse":["package a"],"text":"x"}`} {
		p := read(t, `{"turns":[`+turn+`]}`)
		_, err := play(context.Background(), p, req)
		var e *model.Error
		if !errors.As(err, &e) || e.Kind != model.ErrRequest || !strings.Contains(e.Text, "s.json: turn 1") {
			t.Errorf("%s: %v", name, err)
		}
		if p.Unused() == nil {
			t.Errorf("%s: the run does not fail at its end", name)
		}
	}
}

func TestUnusedAndMissingTurnsFailTheRun(t *testing.T) {
	p := read(t, `{"turns":[{"text":"a"},{"text":"b"},{"text":"c"}]}`)
	if _, err := play(context.Background(), p, model.Request{}); err != nil {
		t.Fatal(err)
	}
	if err := p.Unused(); err == nil || !strings.Contains(err.Error(), "2 of 3 turns were not used, from turn 2 on") {
		t.Errorf("unused: %v", err)
	}
	p = read(t, `{"turns":[]}`)
	if _, err := play(context.Background(), p, model.Request{}); err == nil {
		t.Error("a step that the script does not have is answered")
	}
	if err := p.Unused(); err == nil || !strings.Contains(err.Error(), "step 1 was asked for, the script has 0 turns") {
		t.Errorf("too many steps: %v", err)
	}
}

func TestErrorsAndStalls(t *testing.T) {
	p := read(t, `{"turns":[{"text":"half","error":{"kind":"overload","status":529,"text":"busy"}},{"text":"half","stall":true}]}`)
	events, err := play(context.Background(), p, model.Request{})
	var e *model.Error
	if !errors.As(err, &e) || e.Kind != model.ErrOverload || e.Status != 529 || line(events) != "text.delta half" {
		t.Errorf("%q, %v", line(events), err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		start := time.Now()
		events, err := play(ctx, p, model.Request{})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Hour || line(events) != "text.delta half" {
			t.Errorf("%q, %v after %v", line(events), err, time.Since(start))
		}
	})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := play(ctx, read(t, `{"turns":[{"text":"a"}]}`), model.Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
}

func TestAConsumerMayStopListening(t *testing.T) {
	p := read(t, `{"turns":[{"text":"a\nb\nc"}]}`)
	n := 0
	for range p.Stream(context.Background(), model.Request{}) {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d events", n)
	}
}

func TestBrokenScriptsAreNamed(t *testing.T) {
	for name, s := range map[string]string{
		"no JSON": `{`, "unknown field": `{"turns":[{"txt":"a"}]}`, "something after it": `{"turns":[]} {}`, "wrong type": `{"turns":{}}`,
	} {
		if _, err := Read("s.json", strings.NewReader(s)); err == nil || !strings.Contains(err.Error(), "s.json") {
			t.Errorf("%s: %v", name, err)
		}
	}
	path := filepath.Join(t.TempDir(), "s.json")
	if _, err := Open(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(path, []byte(`{"turns":[{"text":"a"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := Open(path)
	if err != nil || p.Name() != "script" {
		t.Fatalf("%v", err)
	}
}
