package lspbridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"companion/lspbridge/editor"
	"companion/permission"
	"companion/session"
	"companion/text"
	"companion/tools"
	"companion/workspace"

	"go.lsp.dev/uri"
)

const askCommand = `{"command":"companion.ask","arguments":[{"prompt":"why?"}]}`

var options = []permission.Option{
	{ID: "once", Label: "Allow once", Kind: permission.AllowOnce},
	{ID: "thread", Label: "Allow for this thread", Kind: permission.AllowThread},
	{ID: "always", Label: "Always allow", Kind: permission.AllowAlways},
	{ID: "no", Label: "Reject", Kind: permission.RejectOnce},
	{ID: "stop", Label: "Stop", Kind: permission.StopTurn},
	{ID: "six", Label: "A sixth", Kind: permission.RejectOnce},
}

// asking serves an agent whose turn asks once and gives the answer.
func asking(t *testing.T, caps string) (*peer, *fake, chan permission.Answer) {
	t.Helper()
	answers := make(chan permission.Answer, 10)
	f := &fake{turn: func(ctx context.Context, f *fake, ft *fakeTurn) {
		a, err := f.init.Editor.Ask(ctx, permission.Request{Thread: ft.th, Turn: ft.id, CallID: "call-" + ft.id, Kind: permission.KindCommand, Title: "Run \x1b[31m`make`\nnow?", Options: options})
		switch {
		case errors.Is(err, editor.ErrMalformed):
			answers <- permission.Answer{OptionID: "malformed", Feedback: err.Error()}
		case err == nil:
			answers <- a
		}
	}}
	p := serve(t, Options{Build: f.build})
	p.initialize(caps, "")
	return p, f, answers
}

func TestApprovalByMessageRequest(t *testing.T) {
	for _, c := range []struct{ name, result, want string }{
		{"a button", `{"title":"Allow for this thread"}`, "thread"},
		{"closed", `null`, ""},
		{"a button that was not offered", `{"title":"A sixth"}`, "malformed"},
		{"the wrong shape", `["Allow once"]`, "malformed"},
		{"more than a title", `{"title":"Reject","x":1}`, "no"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _, answers := asking(t, "")
			p.call("workspace/executeCommand", askCommand)
			m := p.expect("window/showMessageRequest")
			var q struct {
				Message string
				Actions []struct{ Title string }
			}
			if err := json.Unmarshal(m.Params, &q); err != nil {
				t.Fatal(err)
			}
			if q.Message != "Companion: Run \uFFFD[31m`make` now? [1]" || len(q.Actions) != 5 || q.Actions[0].Title != "Allow once" {
				t.Errorf("question %s", m.Params)
			}
			p.reply(m, c.result)
			if a := <-answers; a.OptionID != c.want {
				t.Errorf("answer %+v, want %q", a, c.want)
			}
		})
	}
}

func TestEditedArgumentsAreTakenWhereTheyWereAskedFor(t *testing.T) {
	for _, c := range []struct{ name, result, option, args string }{
		{"edited", `{"optionId":"once","arguments":{"command":"make test"}}`, "once", `{"command":"make test"}`},
		{"as they were", `{"optionId":"once","arguments":{ "command" : "make"}}`, "once", ``},
		{"none", `{"optionId":"once","arguments":null}`, "once", ``},
		{"no object", `{"optionId":"once","arguments":["make"]}`, "malformed", ``},
		{"not editable", `{"optionId":"once","arguments":{"command":"rm -rf /"}}`, "malformed", ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			answers := make(chan permission.Answer, 1)
			f := &fake{turn: func(ctx context.Context, f *fake, ft *fakeTurn) {
				a, err := f.init.Editor.Ask(ctx, permission.Request{
					Thread: ft.th, Turn: ft.id, CallID: "call", Kind: permission.KindCommand, Title: "Run make",
					Arguments: []byte(`{"command":"make"}`), Editable: c.name != "not editable", Options: options,
				})
				if errors.Is(err, editor.ErrMalformed) {
					a.OptionID = "malformed"
				}
				answers <- a
			}}
			p := serve(t, Options{Build: f.build})
			p.initialize(`{"experimental":{"companion":{"version":1,"approvals":true}}}`, "")
			p.call("workspace/executeCommand", askCommand)
			m := p.expect("companion/approval/request")
			if want := fmt.Sprintf(`"editable":%t`, c.name != "not editable"); !strings.Contains(string(m.Params), want) {
				t.Errorf("no %s in %s", want, m.Params)
			}
			p.reply(m, c.result)
			if a := <-answers; a.OptionID != c.option || string(a.Arguments) != c.args {
				t.Errorf("answer %+v", a)
			}
		})
	}
}

func TestOneQuestionIsOpenAtATimeAndTitlesAreUnique(t *testing.T) {
	p, _, answers := asking(t, "")
	seen := map[string]bool{}
	for range 3 {
		p.call("workspace/executeCommand", askCommand)
	}
	for range 3 {
		m := p.expect("window/showMessageRequest")
		if seen[string(m.Params)] {
			t.Errorf("asked twice: %s", m.Params)
		}
		seen[string(m.Params)] = true
		p.call("companion/models/list", "") // whatever was to come with it has come
		for _, h := range p.held {
			if h.Method == "window/showMessageRequest" {
				t.Errorf("a second question is open: %s", h.Params)
			}
		}
		p.reply(m, `{"title":"Reject"}`)
		<-answers
	}
}

func TestStoppedTurnWithdrawsItsQuestionAndALateClickIsDropped(t *testing.T) {
	p, f, answers := asking(t, "")
	p.call("workspace/executeCommand", askCommand)
	m := p.expect("window/showMessageRequest")
	if r := p.call("workspace/executeCommand", `{"command":"companion.stop"}`); string(r.Result) != `{"stopped":["turn1"]}` {
		t.Errorf("stop: %s", r.Result)
	}
	if c := p.expect("$/cancelRequest"); string(c.Params) != fmt.Sprintf(`{"id":%s}`, m.ID) {
		t.Errorf("cancel %s of %s", c.Params, m.ID)
	}
	p.reply(m, `{"title":"Allow once"}`)
	p.call("companion/models/list", "")
	if len(answers) > 0 || len(f.Running()) > 0 {
		t.Errorf("answers %d, running %d", len(answers), len(f.Running()))
	}
}

func TestClientWithoutMessageRequestsApprovesByCodeAction(t *testing.T) {
	p, _, answers := asking(t, `{"textDocument":{"codeAction":{"codeActionLiteralSupport":{"codeActionKind":{"valueSet":[]}}}}}`)
	p.call("workspace/executeCommand", askCommand)
	p.refuse(p.expect("window/showMessageRequest"), -32601)
	if m := p.expect("window/showMessage"); !strings.Contains(string(m.Params), "code actions") {
		t.Errorf("told %s", m.Params)
	}
	var offered message
	waitFor(t, "the approval is offered", func() bool {
		offered = p.call("textDocument/codeAction", `{"textDocument":{"uri":"file:///x"},"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"context":{"diagnostics":[],"only":["quickfix.companion.approve"]}}`)
		return string(offered.Result) != "[]"
	})
	var list []struct {
		Title   string
		Command struct {
			Command   string
			Arguments json.RawMessage
		}
	}
	if err := json.Unmarshal(offered.Result, &list); err != nil || len(list) != len(options) || !strings.HasPrefix(list[2].Title, "Companion: Always allow (Run") {
		t.Fatalf("%s %v", offered.Result, err)
	}
	if r := p.call("workspace/executeCommand", `{"command":"companion.approve","arguments":[{"callId":"call-turn1","optionId":"what"}]}`); r.Error == nil || string(r.Error.Data) != `{"code":"notOffered"}` {
		t.Errorf("an option that is none: %+v", r)
	}
	p.call("workspace/executeCommand", fmt.Sprintf(`{"command":%q,"arguments":%s}`, list[2].Command.Command, list[2].Command.Arguments))
	if a := <-answers; a.OptionID != "always" {
		t.Errorf("answer %+v", a)
	}
	if r := p.call("workspace/executeCommand", `{"command":"companion.approve","arguments":[{"callId":"call-turn1","optionId":"once"}]}`); r.Error == nil || string(r.Error.Data) != `{"code":"notOffered"}` {
		t.Errorf("answered twice: %+v", r)
	}
	p.call("workspace/executeCommand", askCommand) // the client is not asked again
	waitFor(t, "the next approval is offered", func() bool {
		r := p.call("workspace/executeCommand", `{"command":"companion.approve","arguments":[{"callId":"call-turn2","optionId":"no"}]}`)
		return r.Error == nil
	})
	if a := <-answers; a.OptionID != "no" {
		t.Errorf("answer %+v", a)
	}
}

func TestClientThatTakesApprovalsGetsThem(t *testing.T) {
	p, _, answers := asking(t, `{"experimental":{"companion":{"version":1,"approvals":true}}}`)
	p.call("workspace/executeCommand", askCommand)
	m := p.expect("companion/approval/request")
	if !strings.Contains(string(m.Params), `"callId":"call-turn1","kind":"command"`) || !strings.Contains(string(m.Params), `{"id":"six","label":"A sixth","kind":"rejectOnce"}`) {
		t.Errorf("params %s", m.Params)
	}
	p.reply(m, `{"optionId":"no","feedback":"use ninja"}`)
	if a := <-answers; a.OptionID != "no" || a.Feedback != "use ninja" {
		t.Errorf("answer %+v", a)
	}
}

func TestApplyEditAsClientsAnswerIt(t *testing.T) {
	const all = `{"workspace":{"applyEdit":true,"workspaceEdit":{"documentChanges":true,"metadataSupport":true}},"general":{"positionEncodings":["utf-8"]}}`
	v := int32(3)
	edit := workspace.FileEdit{URI: "file:///C%3A/a%20b.go", Version: &v, Before: "é one\ntwo", Edits: []text.Edit{{Start: 3, End: 6, New: "1"}}, Label: "L", Save: true}
	closed := edit
	closed.Version, closed.Save, closed.Label = nil, false, ""
	for _, c := range []struct {
		name, caps string
		edit       workspace.FileEdit
		params     string // "" = nothing is asked
		answer     func(p *peer, m message)
		want       workspace.EditAnswer
	}{
		{
			"applied", all, edit, `{"label":"L","edit":{"documentChanges":[{"textDocument":{"uri":"file:///C%3A/a%20b.go","version":3},"edits":[{"range":{"start":{"line":0,"character":3},"end":{"line":0,"character":6}},"newText":"1"}]}]},"metadata":{"isRefactoring":true}}`,
			func(p *peer, m message) { p.reply(m, `{"applied":true}`) },
			workspace.EditAnswer{Applied: true},
		},
		{
			"not open", all, closed, `{"edit":{"documentChanges":[{"textDocument":{"uri":"file:///C%3A/a%20b.go","version":null},"edits":[{"range":{"start":{"line":0,"character":3},"end":{"line":0,"character":6}},"newText":"1"}]}]}}`,
			func(p *peer, m message) { p.reply(m, `{"applied":false,"failureReason":"busy","failedChange":0}`) },
			workspace.EditAnswer{Reason: "busy"},
		},
		{
			"no documentChanges, no metadata, utf-16", `{"workspace":{"applyEdit":true}}`, edit, `{"label":"L","edit":{"changes":{"file:///C%3A/a%20b.go":[{"range":{"start":{"line":0,"character":2},"end":{"line":0,"character":5}},"newText":"1"}]}}}`,
			func(p *peer, m message) { p.reply(m, `{"applied":false}`) },
			workspace.EditAnswer{},
		},
		{"unknown to the client", all, edit, "-", func(p *peer, m message) { p.refuse(m, -32601) }, workspace.EditAnswer{Unsupported: true, Reason: "the editor does not know workspace/applyEdit"}},
		{"an error", all, edit, "-", func(p *peer, m message) { p.refuse(m, -32803) }, workspace.EditAnswer{Reason: "no"}},
		{"null", all, edit, "-", func(p *peer, m message) { p.reply(m, `null`) }, workspace.EditAnswer{Reason: "the editor's answer to workspace/applyEdit does not say whether it was applied"}},
		{"not offered", `{"workspace":{"applyEdit":false}}`, edit, "", nil, workspace.EditAnswer{Unsupported: true, Reason: "the editor does not offer workspace/applyEdit"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fake{}
			p := serve(t, Options{Build: f.build})
			p.initialize(c.caps, "")
			got := make(chan workspace.EditAnswer, 1)
			go func() {
				a, err := f.init.Editor.ApplyEdit(context.Background(), c.edit)
				if err != nil {
					t.Error(err)
				}
				got <- a
			}()
			if c.params != "" {
				m := p.expect("workspace/applyEdit")
				if c.params != "-" && string(m.Params) != c.params {
					t.Errorf("params\n%s\nwant\n%s", m.Params, c.params)
				}
				c.answer(p, m)
			}
			if a := <-got; a != c.want {
				t.Errorf("answer %+v, want %+v", a, c.want)
			}
		})
	}
}

func TestProgressShowsTheTurnAndStopsIt(t *testing.T) {
	told := make(chan struct{})
	f := &fake{turn: func(ctx context.Context, _ *fake, ft *fakeTurn) {
		ft.tell(session.Event{Type: session.ToolStarted, Tool: &session.ToolInfo{Activity: "Reading\na.go"}})
		close(told)
		<-ctx.Done()
	}}
	p := serve(t, Options{Build: f.build})
	p.initialize(`{"window":{"workDoneProgress":true}}`, "")
	p.call("workspace/executeCommand", askCommand)
	m := p.expect("window/workDoneProgress/create")
	<-told
	p.reply(m, "null")
	for _, want := range []string{
		`{"token":"companion/turn1","value":{"kind":"begin","title":"Companion: why?","cancellable":true}}`,
		`{"token":"companion/turn1","value":{"kind":"report","message":"Reading a.go","cancellable":true}}`,
	} {
		if m := p.expect("$/progress"); string(m.Params) != want {
			t.Errorf("got  %s\nwant %s", m.Params, want)
		}
	}
	p.notify("window/workDoneProgress/cancel", `{"token":7}`)
	p.notify("window/workDoneProgress/cancel", `{"token":"companion/other"}`)
	p.notify("window/workDoneProgress/cancel", `{"token":"companion/turn1"}`)
	if m := p.expect("$/progress"); string(m.Params) != `{"token":"companion/turn1","value":{"kind":"end","message":"Stopped"}}` {
		t.Errorf("got %s", m.Params)
	}
}

func TestNoProgressUnlessTheClientShowsIt(t *testing.T) {
	for _, caps := range []string{`{}`, `{"window":{"workDoneProgress":true},"experimental":{"companion":{"version":1,"progress":true}}}`} {
		f := &fake{}
		p := serve(t, Options{Build: f.build})
		p.initialize(caps, "")
		p.call("workspace/executeCommand", askCommand)
		waitFor(t, "the turn ran", func() bool { f.mu.Lock(); defer f.mu.Unlock(); return len(f.turns) == 1 && len(f.running) == 0 })
		p.call("companion/models/list", "")
		for _, m := range p.held {
			if strings.Contains(m.Method, "rogress") {
				t.Errorf("%s: %s", caps, m.Method)
			}
		}
	}
}

func TestClientThatRefusesProgressStillGetsItsTurn(t *testing.T) {
	f := &fake{}
	p := serve(t, Options{Build: f.build})
	p.initialize(`{"window":{"workDoneProgress":true}}`, "")
	p.call("workspace/executeCommand", askCommand)
	p.refuse(p.expect("window/workDoneProgress/create"), -32601)
	waitFor(t, "the turn ran", func() bool { f.mu.Lock(); defer f.mu.Unlock(); return len(f.turns) == 1 && len(f.running) == 0 })
}

func TestAnswersAreShownAsTheSettingSays(t *testing.T) {
	long := strings.Repeat("é", 3000)
	for _, c := range []struct {
		name, caps, setting, answer string
		opened                      string // the client's answer to showDocument, "" = not asked
		want                        []string
	}{
		{"a document", `{"window":{"showDocument":{"support":true}}}`, "", "It is **so**.", `{"success":true}`, nil},
		{"a document that the editor does not show", `{"window":{"showDocument":{"support":true}}}`, "", "It is so.", `{"success":false}`, []string{"window/showMessage It is so."}},
		{"no documents", `{}`, "", "It is so.", "", []string{"window/showMessage It is so."}},
		{"a message", `{"window":{"showDocument":{"support":true}}}`, "message", "It is so.", "", []string{"window/showMessage It is so."}},
		{"a log", `{}`, "log", "It is so.", "", []string{"window/logMessage It is so."}},
		{"too long for a message", `{}`, "", long, "", []string{"window/logMessage " + long, "window/showMessage " + strings.Repeat("é", 1000) + "… (all"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			state := t.TempDir()
			f := &fake{
				turn: func(_ context.Context, _ *fake, ft *fakeTurn) {
					ft.tell(session.Event{Type: session.MessageCompleted, Text: "not the last"})
					ft.tell(session.Event{Type: session.MessageCompleted, Text: c.answer})
				},
				tune: func(b *Backend) { b.Answers = func() string { return c.setting } },
			}
			p := serve(t, Options{Build: f.build, StateDir: state})
			p.initialize(c.caps, "")
			p.call("workspace/executeCommand", askCommand)
			if c.opened != "" {
				m := p.expect("window/showDocument")
				path := filepath.Join(state, "answers", "turn1.md")
				if want := fmt.Sprintf(`{"uri":%q,"takeFocus":false}`, uri.File(path)); string(m.Params) != want {
					t.Errorf("params %s, want %s", m.Params, want)
				}
				if b, err := os.ReadFile(path); err != nil || string(b) != "# why?\n\n"+c.answer+"\n" {
					t.Errorf("%q %v", b, err)
				}
				if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
					t.Errorf("%v %v", info.Mode(), err)
				}
				p.reply(m, c.opened)
			}
			p.missing()
			for _, want := range c.want {
				method, text, _ := strings.Cut(want, " ")
				var q struct{ Message string }
				if m := p.expect(method); json.Unmarshal(m.Params, &q) != nil || !strings.HasPrefix(q.Message, text) {
					t.Errorf("%.60s, want %.60s", q.Message, text)
				}
			}
		})
	}
}

func TestFailedTurnIsTold(t *testing.T) {
	f := &fake{}
	p := serve(t, Options{Build: f.build})
	p.initialize("", "")
	f.turn = func(_ context.Context, _ *fake, ft *fakeTurn) {
		ft.tell(session.Event{Type: session.Warned, Code: "x", Message: "careful"})
		ft.tell(session.Event{Type: session.TurnCompleted, Status: "failed", Error: "no key: set OPENAI_API_KEY"})
	}
	p.call("workspace/executeCommand", askCommand)
	p.missing()
	if m := p.expect("window/logMessage"); string(m.Params) != `{"type":2,"message":"Companion: careful"}` {
		t.Errorf("%s", m.Params)
	}
	if m := p.expect("window/showMessage"); string(m.Params) != `{"type":1,"message":"Companion: no key: set OPENAI_API_KEY"}` {
		t.Errorf("%s", m.Params)
	}
}

func TestKnownProblemsReachAUTF8Client(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.go")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f := &fake{roots: []string{dir}}
	p := serve(t, Options{Build: f.build})
	p.initialize(`{"general":{"positionEncodings":["utf-8"]},"textDocument":{"codeAction":{"codeActionLiteralSupport":{}}}}`, "")
	u := string(uri.File(path))
	p.notify("textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":%q,"languageId":"go","version":1,"text":"😀é x\n"}}`, u))
	p.call("companion/models/list", "")
	file, err := f.workspace.ResolveURI(u)
	if err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	f.known = map[string][]tools.Diagnostic{file.Path: {
		{Range: text.Range{Start: text.Position{Character: 4}, End: text.Position{Character: 5}}, Message: "made"},
		{Message: "raw", Raw: []byte(`{"range":{"start":{"line":0,"character":4},"end":{"line":0,"character":5}},"message":"raw","code":"X"}`)},
	}}
	f.mu.Unlock()
	m := p.call("textDocument/codeAction", fmt.Sprintf(`{"textDocument":{"uri":%q},"range":{"start":{"line":0,"character":7},"end":{"line":0,"character":8}},"context":{"diagnostics":[],"only":["quickfix"]}}`, u))
	if n := strings.Count(string(m.Result), `"start":{"character":7,"line":0}`) + strings.Count(string(m.Result), `"start":{"line":0,"character":7}`); n < 4 {
		t.Errorf("%d positions in utf-8: %s", n, m.Result)
	}
	p.call("workspace/executeCommand", fmt.Sprintf(`{"command":"companion.fix","arguments":[{"uri":%q,"range":{"start":{"line":0,"character":7},"end":{"line":0,"character":8}}}]}`, u))
	f.mu.Lock()
	defer f.mu.Unlock()
	if got := string(f.turns[0].o.Input[1].Diags); !strings.Contains(got, `"start":{"line":0,"character":4}`) || strings.Contains(got, "7") {
		t.Errorf("the agent gets utf-16: %s", got)
	}
}
