package lspbridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	lent "companion/agent/model/editor"
	"companion/dynamic"
	"companion/lspbridge/editor"
	"companion/lspbridge/wire"
	"companion/permission"
	"companion/workspace"
)

// everything is a client of tier 1 that takes over all surfaces.
const everything = `{"experimental":{"companion":{"version":1,"commands":true,"events":true,"progress":true,"review":true,"toolCalls":true,` +
	`"approvals":true,"questions":true,"diagnostics":true,"edits":true,"models":true,"files":true,"secrets":true,"language":["textDocument/hover"]}}}`

// reverse is one kind of request to the editor; ask gives what became of it in
// words, starting with "ok" when the answer was taken.
type reverse struct {
	method   string
	good     string // an answer that is taken
	bad      string // the right JSON type, but a required field is missing
	deadline time.Duration
	ask      func(ctx context.Context, e *editor.Editor) string
}

func verdict(v any, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return "ok " + string(b)
}

func reverses() []reverse {
	return []reverse{
		{"companion/tool/call", `{"content":[{"type":"text","text":"hi"}]}`, `{"isError":true}`, 7 * time.Second, func(ctx context.Context, e *editor.Editor) string {
			return verdict(e.CallTool(ctx, dynamic.Call{Thread: "t", Turn: "u", CallID: "c", Name: "x", Arguments: json.RawMessage(`{}`), Deadline: 7 * time.Second}))
		}},
		{"companion/question/ask", `{"answers":{"q":["a"]}}`, `{}`, 0, func(ctx context.Context, e *editor.Editor) string {
			return verdict(e.AskQuestions(ctx, wire.QuestionParams{Questions: []wire.Question{{ID: "q"}}}))
		}},
		{"companion/diagnostics/await", `{"items":[]}`, `{"items":[{"uri":"file:///x"}]}`, 3 * time.Second, func(ctx context.Context, e *editor.Editor) string {
			return verdict(e.AwaitDiagnostics(ctx, wire.DiagnosticsParams{URIs: []string{"file:///x"}, TimeoutMs: 2000}))
		}},
		{"companion/edit/apply", `{"applied":true}`, `{"reason":"rejected"}`, 5 * time.Minute, func(ctx context.Context, e *editor.Editor) string {
			a, err := e.ApplyEdit(ctx, workspace.FileEdit{URI: "file:///x"})
			if err == nil && !a.Applied {
				err = errors.New(a.Reason)
			}
			return verdict(a, err)
		}},
		{"companion/model/call", `{"stop":"end"}`, `{"usage":{}}`, 5 * time.Minute, func(ctx context.Context, e *editor.Editor) string {
			for ev, err := range e.CallModel(ctx, lent.Request{ID: "r", Model: "m"}) {
				if err != nil || ev.End != nil {
					return verdict(ev, err)
				}
			}
			return "nothing"
		}},
		{"companion/secret/get", `{"value":"k"}`, `[]`, 5 * time.Minute, func(ctx context.Context, e *editor.Editor) string {
			return verdict(e.Secret(ctx, "openai"))
		}},
		{"companion/approval/request", `{"optionId":"once"}`, `{"feedback":"x"}`, 0, func(ctx context.Context, e *editor.Editor) string {
			a, err := e.Ask(ctx, permission.Request{CallID: "c", Options: []permission.Option{{ID: "once", Label: "Allow", Kind: permission.AllowOnce}}})
			if err == nil && a.OptionID == "" {
				err = errors.New(a.Feedback)
			}
			return verdict(a, err)
		}},
	}
}

// lends starts a server for a client and gives the requests to it.
func lends(t *testing.T, caps string) (*peer, *editor.Editor) {
	t.Helper()
	f := &fake{}
	p := serve(t, Options{Build: f.build})
	p.initialize(caps, "")
	return p, f.init.Lends
}

func TestReverseRequestsMeetAZooOfAnswers(t *testing.T) {
	for _, r := range reverses() {
		for _, c := range []struct {
			name  string
			reply func(p *peer, m message)
			want  string // a part of the verdict
		}{
			{"good", func(p *peer, m message) { p.reply(m, r.good) }, "ok "},
			{"twice", func(p *peer, m message) { p.reply(m, r.good); p.reply(m, "null") }, "ok "},
			{"to another id first", func(p *peer, m message) {
				p.send(`{"jsonrpc":"2.0","id":987654,"result":null}`)
				p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"%s","result":null}`, m.ID))
				p.reply(m, r.good)
			}, "ok "},
			{"null", func(p *peer, m message) { p.reply(m, "null") }, "nothing where an object is expected"},
			{"an array", func(p *peer, m message) { p.reply(m, "[]") }, "an array where an object is expected"},
			{"a text", func(p *peer, m message) { p.reply(m, `"ok"`) }, "a text where an object is expected"},
			{"a field is missing", func(p *peer, m message) { p.reply(m, r.bad) }, "wrong shape"},
			{"an error", func(p *peer, m message) {
				p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"my disk is full"}}`, m.ID))
			}, "my disk is full"},
		} {
			if r.method == "companion/secret/get" && c.name == "a field is missing" {
				continue // it has none that is required
			}
			t.Run(strings.ReplaceAll(r.method[10:], "/", "_")+" "+c.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p, e := lends(t, everything)
					got := make(chan string, 1)
					go func() { got <- r.ask(context.Background(), e) }()
					c.reply(p, p.expect(r.method))
					if v := <-got; !strings.Contains(v, c.want) {
						t.Errorf("%s, want %q", v, c.want)
					}
					if m := p.call("companion/status", ""); m.Error != nil {
						t.Errorf("%+v", m.Error)
					}
				})
			})
		}
	}
}

func TestReverseRequestWithoutAnswerEndsAtItsDeadline(t *testing.T) {
	for _, r := range reverses() {
		if r.deadline == 0 {
			continue // a person may take as long as they like
		}
		t.Run(r.method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, e := lends(t, everything)
				got := make(chan string, 1)
				start := time.Now()
				go func() { got <- r.ask(context.Background(), e) }()
				m := p.expect(r.method)
				v := <-got
				if !strings.HasPrefix(v, "error: ") {
					t.Errorf("%s", v)
				}
				if d := time.Since(start); d != r.deadline {
					t.Errorf("after %v, want %v", d, r.deadline)
				}
				if c := p.expect("$/cancelRequest"); string(c.Params) != fmt.Sprintf(`{"id":%s}`, m.ID) {
					t.Errorf("%s", c.Params)
				}
				p.reply(m, r.good) // late: dropped
				p.call("companion/models/list", "")
			})
		})
	}
}

func TestReverseRequestIsWithdrawnWhenItsTurnStops(t *testing.T) {
	for _, r := range reverses() {
		t.Run(r.method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, e := lends(t, everything)
				ctx, stop := context.WithCancel(context.Background())
				got := make(chan string, 1)
				go func() { got <- r.ask(ctx, e) }()
				m := p.expect(r.method)
				stop()
				if v := <-got; !strings.Contains(v, context.Canceled.Error()) {
					t.Errorf("%s", v)
				}
				p.expect("$/cancelRequest")
				p.reply(m, r.good)
				p.call("companion/models/list", "")
			})
		})
	}
}

func TestNothingIsSentToAClientThatDidNotOfferIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, e := lends(t, `{"experimental":{"companion":{"version":1}}}`)
		for _, r := range reverses() {
			switch r.method {
			case "companion/approval/request", "companion/edit/apply":
				continue // tier 0 has these by other requests
			}
			if v := r.ask(context.Background(), e); !strings.Contains(v, "does not offer it") && !strings.Contains(v, "gone") {
				t.Errorf("%s: %s", r.method, v)
			}
		}
		if _, err := e.Language(context.Background(), "textDocument/hover", nil); !errors.Is(err, editor.ErrNotOffered) {
			t.Errorf("language: %v", err)
		}
		p.call("companion/models/list", "")
		for _, m := range p.held {
			if strings.HasPrefix(m.Method, "companion/") {
				t.Errorf("sent %s", m.Method)
			}
		}
	})
}

func TestLanguageRequestsGoOnlyByMethodsOfTheHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, e := lends(t, everything)
		if _, err := e.Language(context.Background(), "textDocument/rename", nil); !errors.Is(err, editor.ErrNotOffered) {
			t.Errorf("rename: %v", err)
		}
		got := make(chan string, 1)
		go func() {
			raw, err := e.Language(context.Background(), "textDocument/hover", json.RawMessage(`{"a":1}`))
			got <- verdict(raw, err)
		}()
		m := p.expect("companion/language/request")
		if string(m.Params) != `{"method":"textDocument/hover","params":{"a":1}}` {
			t.Errorf("%s", m.Params)
		}
		p.reply(m, `{"contents":"x"}`)
		if v := <-got; v != `ok {"contents":"x"}` {
			t.Errorf("%s", v)
		}
	})
}

// activity records what a call tells before it ends.
type activity struct {
	mu   sync.Mutex
	said []string
}

func (a *activity) Output(string) {}

func (a *activity) Activity(s string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.said = append(a.said, s)
}

func TestToolCallsCarryProgressContentAndErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, e := lends(t, everything)
		var told activity
		type reply struct {
			answer dynamic.Answer
			err    error
		}
		got := make(chan reply, 1)
		call := func() {
			a, err := e.CallTool(context.Background(), dynamic.Call{
				Thread: "t", Turn: "u", CallID: "c", Namespace: "ns", Name: "x", Arguments: json.RawMessage(`{"a":[1]}`), Progress: &told,
			})
			got <- reply{a, err}
		}
		go call()
		m := p.expect("companion/tool/call")
		var q wire.ToolCallParams
		if err := json.Unmarshal(m.Params, &q); err != nil {
			t.Fatal(err)
		}
		if q.ThreadID != "t" || q.Namespace != "ns" || string(q.Arguments) != `{"a":[1]}` || q.DeadlineMs != 60_000 || q.ProgressToken == "" {
			t.Errorf("%s", m.Params)
		}
		for _, v := range []string{`{"message":"half","done":1,"total":2}`, `[]`, `{"done":2}`} {
			p.notify("$/progress", fmt.Sprintf(`{"token":%q,"value":%s}`, q.ProgressToken, v))
		}
		p.notify("$/progress", `{"token":7,"value":{"message":"of somebody else"}}`)
		p.reply(m, `{"content":[{"type":"text","text":"a"},{"type":"image","mimeType":"image/png","data":"iVBO"},`+
			`{"type":"resource","uri":"file:///r","range":{"start":{"line":1,"character":0},"end":{"line":2,"character":0}},"text":"r"},{"type":"song"}],`+
			`"structuredContent":{"n":1},"changed":["file:///x"],"isError":true}`)
		r := <-got
		if r.err != nil || !r.answer.IsError || string(r.answer.Structured) != `{"n":1}` || !slices.Equal(r.answer.Changed, []string{"file:///x"}) {
			t.Errorf("%+v %v", r.answer, r.err)
		}
		if len(r.answer.Content) != 4 || len(r.answer.Content[1].Data) != 3 || r.answer.Content[2].Text != "[lines 2 to 3]\nr" || !strings.Contains(r.answer.Content[3].Text, `"song"`) {
			t.Errorf("%+v", r.answer.Content)
		}
		if want := []string{"half (1 of 2)", " (2)"}; !slices.Equal(told.said, want) {
			t.Errorf("%q", told.said)
		}

		go call()
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32801,"message":"the buffer changed"}}`, p.expect("companion/tool/call").ID))
		var remote *dynamic.RemoteError
		if r := <-got; !errors.As(r.err, &remote) || remote.Message != "the buffer changed" || !remote.Transient {
			t.Errorf("%v", r.err)
		}
		go call()
		p.reply(p.expect("companion/tool/call"), `{"content":[{"type":"image","data":"%%%"}]}`)
		if r := <-got; !errors.Is(r.err, dynamic.ErrShape) {
			t.Errorf("%v", r.err)
		}
		go call()
		p.refuse(p.expect("companion/tool/call"), -32601) // its words reach the model too
		if r := <-got; !errors.As(r.err, &remote) || remote.Message != "no" {
			t.Errorf("%v", r.err)
		}
		go call()
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s}`, p.expect("companion/tool/call").ID)) // neither result nor error
		if r := <-got; !errors.Is(r.err, dynamic.ErrShape) {
			t.Errorf("%v", r.err)
		}
		go call()
		p.expect("companion/tool/call")
		p.in.Close()
		if r := <-got; !errors.Is(r.err, dynamic.ErrGone) {
			t.Errorf("%v", r.err)
		}
	})
}

func TestOneReverseRequestNeverBlocksAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, e := lends(t, everything)
		const n = 20
		var all sync.WaitGroup
		answers := make([]string, n)
		for i := range n {
			all.Add(1)
			go func() {
				defer all.Done()
				a, err := e.Ask(context.Background(), permission.Request{
					CallID:  fmt.Sprintf("c%d", i),
					Options: []permission.Option{{ID: "once", Kind: permission.AllowOnce}, {ID: "reject", Kind: permission.RejectOnce}},
				})
				answers[i] = verdict(a, err)
			}()
		}
		tool := make(chan string, 1)
		go func() {
			tool <- verdict(e.CallTool(context.Background(), dynamic.Call{CallID: "t", Name: "x"}))
		}()
		call := p.expect("companion/tool/call")
		asked := make([]message, n)
		for i := range n {
			asked[i] = p.expect("companion/approval/request")
		}
		slices.SortFunc(asked, func(a, b message) int { return strings.Compare(string(b.Params), string(a.Params)) })
		for i, m := range asked {
			if i == n/2 {
				p.reply(call, `{"content":[]}`)
				if v := <-tool; !strings.HasPrefix(v, "ok") {
					t.Errorf("%s", v)
				}
			}
			option := "once"
			if strings.Contains(string(m.Params), `"callId":"c7"`) {
				option = "reject"
			}
			p.reply(m, fmt.Sprintf(`{"optionId":%q}`, option))
		}
		all.Wait()
		for i, a := range answers {
			want := "once"
			if i == 7 {
				want = "reject"
			}
			if !strings.Contains(a, want) {
				t.Errorf("c%d: %s", i, a)
			}
		}
	})
}

func TestModelPartsComeInOrderAndBeforeTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, e := lends(t, everything)
		var got []string
		done := make(chan struct{})
		go func() {
			defer close(done)
			req := lent.Request{ID: "r1", Model: "m", Messages: []lent.Message{{Role: lent.User, Content: []lent.Part{{Type: lent.Text, Text: "hi"}}}}}
			for ev, err := range e.CallModel(context.Background(), req) {
				switch {
				case err != nil:
					got = append(got, err.Error())
				case ev.End != nil:
					got = append(got, fmt.Sprintf("end %s %d", ev.End.Stop, ev.End.Usage.Input))
				default:
					got = append(got, string(ev.Part.Type)+" "+ev.Part.Text+ev.Part.Name)
				}
			}
		}()
		m := p.expect("companion/model/call")
		var q wire.ModelCallParams
		if err := json.Unmarshal(m.Params, &q); err != nil || q.Model != "m" || len(q.Messages) != 1 || q.Messages[0].Content[0].Text != "hi" {
			t.Fatalf("%s %v", m.Params, err)
		}
		part := func(s string) {
			p.notify("$/progress", fmt.Sprintf(`{"token":%q,"value":%s}`, q.PartialResultToken, s))
		}
		part(`{"type":"text","text":"a"}`)
		part(`{"type":"text","text":"b"}`)
		part(`{"type":"thought"}`)
		part(`{"type":"call","id":"1","name":"read","arguments":{}}`)
		p.reply(m, `{"stop":"tools","usage":{"inputTokens":3}}`)
		<-done
		part(`{"type":"text","text":"late"}`)
		p.call("companion/models/list", "")
		if want := []string{"text a", "text b", "call read", "end tools 3"}; !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
	})
}

func TestEditsOfTier1AreAskedForEveryFileAndTheirReasonsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, e := lends(t, everything)
		if r := e.Reach(); !r.Closed || !r.Create || !r.Delete || !r.Rename {
			t.Errorf("%+v", r)
		}
		for answer, want := range map[string]workspace.EditAnswer{
			`{"applied":true,"version":4,"saved":true}`:     {Applied: true},
			`{"applied":true,"reason":"modified"}`:          {Applied: true, Why: workspace.Modified},
			`{"applied":false,"reason":"notOpen"}`:          {Why: workspace.NotOpen, Reason: "the file is not open in the editor"},
			`{"applied":false,"reason":"unsupported"}`:      {Why: workspace.Unsupported, Unsupported: true, Reason: "the editor cannot make this kind of change"},
			`{"applied":false,"reason":"of\ntomorrow"}`:     {Why: "of\ntomorrow", Reason: "of tomorrow"},
			`{"applied":false}`:                             {Reason: "the editor did not say why"},
			`{"applied":false,"reason":"versionMismatch"}`:  {Why: workspace.VersionMismatch, Reason: "the editor's buffer is of another version"},
			`{"applied":false,"reason":"rejected","x":"y"}`: {Why: workspace.Rejected, Reason: "the user rejected the edit in the editor"},
		} {
			got := make(chan workspace.EditAnswer, 1)
			go func() {
				a, err := e.ApplyEdit(context.Background(), workspace.FileEdit{URI: "file:///n", Create: true, Label: "make n"})
				if err != nil {
					t.Error(err)
				}
				got <- a
			}()
			m := p.expect("companion/edit/apply")
			if string(m.Params) != `{"uri":"file:///n","baseHash":"","edits":[],"create":true,"label":"make n"}` {
				t.Errorf("%s", m.Params)
			}
			p.reply(m, answer)
			if a := <-got; a != want {
				t.Errorf("%s: %+v, want %+v", answer, a, want)
			}
		}
	})
}
