package lspbridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"companion/agent"
	"companion/changes"
	"companion/dynamic"
	"companion/lspbridge/wire"
	"companion/session"
	"companion/text"
	"companion/tools"

	"go.lsp.dev/uri"
)

// rooms are the rooms behind tier 1, reduced to what they are told.
type rooms struct {
	mu      sync.Mutex
	said    []string
	err     error
	hunks   []changes.Hunk
	revised func(int)
	changed func(string, []string)
}

func (r *rooms) say(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

func (r *rooms) last() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.said) == 0 {
		return ""
	}
	return r.said[len(r.said)-1]
}

func (r *rooms) StartThread(o agent.ThreadOptions) (session.Info, error) {
	r.say("start %d roots %s %s %s", len(o.Roots), o.Title, o.Mode, o.Model)
	return session.Info{ID: "th"}, r.err
}

func (r *rooms) Resume(id string) (session.Info, error) { return session.Info{ID: id}, r.err }
func (r *rooms) Fork(id, at string) (session.Info, error) {
	return session.Info{ID: id + "-fork" + at}, r.err
}
func (r *rooms) Rename(id, title string) error { r.say("rename %s %s", id, title); return r.err }
func (r *rooms) Delete(id string) error        { r.say("delete %s", id); return r.err }
func (r *rooms) CloseThread(id string) error   { r.say("close %s", id); return r.err }

func (r *rooms) List(q agent.ListQuery) ([]session.Info, string, error) {
	r.say("list %s %s %d", q.Query, q.Cursor, q.Limit)
	return []session.Info{{ID: "th", Cwd: "/w d"}}, "next", r.err
}

func (r *rooms) Read(id string, since int64, limit int) (agent.Transcript, error) {
	r.say("read %s %d %d", id, since, limit)
	return agent.Transcript{
		Info:    session.Info{ID: id},
		Events:  []session.Event{{Thread: id, Seq: 3, Type: session.Warned, Code: "c", Message: "m"}},
		NextSeq: 3,
	}, r.err
}

func (r *rooms) Steer(_, turn string, in []session.Input) (bool, error) {
	r.say("steer %s %s", turn, in[0].Text)
	return true, r.err
}
func (r *rooms) Compact(context.Context, string) (int, int, error) { return 9, 3, r.err }
func (r *rooms) SetEditor(s agent.EditorState) {
	r.say("editor %s %s %d", filepath.Base(s.Active), s.Selection, len(s.Tabs))
}

func (r *rooms) Register(owner string, specs []dynamic.Spec, spaces []dynamic.Namespace, replace bool) ([]string, []dynamic.Rejection, int) {
	var names []string
	for _, s := range specs {
		names = append(names, s.Name)
	}
	r.say("register %s %v %d %v", owner, names, len(spaces), replace)
	return names, []dynamic.Rejection{{Name: "bad", Code: dynamic.Taken, Message: "by x"}}, 5
}

func (r *rooms) Unregister(owner string, names []string) ([]string, []string, int) {
	return names[:1], names[1:], 6
}

func (r *rooms) SetEnabled(names []string, enabled bool, thread string) int {
	r.say("enable %v %v %s", names, enabled, thread)
	return 7
}
func (r *rooms) OnChange(f func(int)) func() { r.revised = f; return func() {} }

// store is the part of rooms whose OnChange has another form.
type store struct{ *rooms }

func (r store) List(thread, turn string) ([]changes.FileChange, error) {
	r.say("changes %s %s", thread, turn)
	return []changes.FileChange{{Path: "/w/a.go", From: "/w/b.go", Status: changes.Renamed, Hash: "sha256:1", BaseHash: "sha256:2", Hunks: r.hunks}}, r.err
}

func (r store) Content(_, path string, side changes.Side, _ string) (string, error) {
	if side == changes.Base {
		return "a\nb\nc\n", r.err
	}
	return "a\nB\nc\nd\n", r.err
}

func (r store) Keep(_ context.Context, s changes.Selector) ([]changes.HunkOutcome, error) {
	r.say("keep %s %s %s %v", s.Thread, s.Turn, filepath.Base(s.Path), s.Hunks)
	return []changes.HunkOutcome{{ID: "h1", Outcome: changes.OutcomeKept}}, r.err
}

func (r store) Undo(_ context.Context, s changes.Selector) ([]changes.HunkOutcome, error) {
	r.say("undo %s %s %s %v", s.Thread, s.Turn, filepath.Base(s.Path), s.Hunks)
	return []changes.HunkOutcome{{ID: "h1", Outcome: changes.OutcomeConflict, Message: "changed"}}, r.err
}
func (r store) Newest() string                           { return "newest" }
func (r store) OnChange(f func(string, []string)) func() { r.changed = f; return func() {} }

// tier1 starts a server with all rooms in a folder with a.go.
func tier1(t *testing.T, caps, options string) (*peer, *fake, *rooms, string) {
	t.Helper()
	dir := t.TempDir()
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := &rooms{hunks: []changes.Hunk{{
		ID: "h1", Thread: "th", Turn: "tu", State: changes.StatePending,
		OldRange: text.Range{Start: text.Position{Line: 1}, End: text.Position{Line: 2}},
		NewRange: text.Range{Start: text.Position{Line: 1}, End: text.Position{Line: 2}},
	}}}
	f := &fake{roots: []string{dir}, tune: func(b *Backend) {
		b.Threads, b.Reader, b.Turns, b.EditorTools, b.Changes = r, r, r, r, store{r}
		b.Pending = func(string) []changes.Hunk { return r.hunks }
		b.Tools = func() []tools.Spec {
			return []tools.Spec{{Name: "read", ReadOnly: true}, {Name: "off", Source: tools.Dynamic}}
		}
		b.Revision = func() int { return 4 }
		b.Stand = func(_, model string, _ []tools.Spec) ([]tools.Standing, error) {
			if model == "no/ne" {
				return nil, agent.ErrNoModel
			}
			return []tools.Standing{{Exposure: tools.Deferred}, {Barred: "switched off"}}, nil
		}
		b.Models = func() wire.ModelList { return wire.ModelList{Default: "x/y"} }
		b.RegisterModels = func(l []wire.LentModel) int { r.say("models %v", l); return 8 }
		b.Status = func() wire.Status { return wire.Status{Version: "v"} }
		b.Prompts = func() map[string]string { return map[string]string{"Tidy": "tidy it"} }
		b.Functions = nil
	}}
	p := serve(t, Options{Build: f.build})
	p.initialize(caps, options)
	return p, f, r, string(uri.File(filepath.Join(dir, "a.go")))
}

func TestRequestsOfTier1(t *testing.T) {
	p, _, r, file := tier1(t, everything, "")
	folder := strings.TrimSuffix(file, "/a.go")
	for _, c := range []struct{ method, params, result, said string }{
		{"thread/start", `{"cwd":"` + folder + `","title":"T","mode":"ask","model":"m/n"}`, `{"threadId":"th"}`, "start 1 roots T ask m/n"},
		{"thread/list", `{"query":"q","limit":2,"cursor":"c"}`, `{"threads":[{"threadId":"th","title":"","cwd":"file:///w%20d","createdAt":"0001-01-01T00:00:00Z","updatedAt":"0001-01-01T00:00:00Z","turns":0,"status":""}],"cursor":"next"}`, "list q c 2"},
		{"thread/read", `{"threadId":"th","sinceSeq":2,"limit":1}`, `{"thread":{"threadId":"th","title":"","cwd":"","createdAt":"0001-01-01T00:00:00Z","updatedAt":"0001-01-01T00:00:00Z","turns":0,"status":""},"events":[{"threadId":"th","seq":3,"type":"warning","code":"c","message":"m"}],"live":{},"nextSeq":3}`, "read th 2 1"},
		{"thread/resume", `{"threadId":"th"}`, `{"threadId":"th"}`, ""},
		{"thread/fork", `{"threadId":"th","atTurnId":"5"}`, `{"threadId":"th-fork5"}`, ""},
		{"thread/rename", `{"threadId":"th","title":"new"}`, `{"threadId":"th"}`, "rename th new"},
		{"thread/close", `{"threadId":"th"}`, `{"threadId":"th"}`, "close th"},
		{"thread/delete", `{"threadId":"th"}`, `{"threadId":"th"}`, "delete th"},
		{"turn/steer", `{"threadId":"th","turnId":"tu","input":[{"type":"text","text":"also"}]}`, `{"accepted":true}`, "steer tu also"},
		{"turn/compact", `{"threadId":"th"}`, `{"before":9,"after":3}`, ""},
		{"tools/register", `{"owner":"me","tools":[{"name":"one","description":"d","inputSchema":{}},{"name":5}],"namespaces":[{"name":"n"}],"replace":true}`, `{"registered":["one"],"rejected":[{"name":"","code":"schema","message":"name: number where a string is expected"},{"name":"bad","code":"taken","message":"by x"}],"revision":5}`, "register me [one] 1 true"},
		{"tools/unregister", `{"owner":"me","names":["one","two"]}`, `{"removed":["one"],"unknown":["two"],"revision":6}`, ""},
		{"tools/setEnabled", `{"names":["one"],"enabled":false,"threadId":"th"}`, `{"revision":7}`, "enable [one] false th"},
		{"tools/list", `{}`, `{"tools":[{"name":"read","source":"builtin","form":"function","exposure":"deferred","enabled":true,"readOnly":true,"description":""},{"name":"off","source":"dynamic","form":"function","exposure":"direct","enabled":false,"reason":"switched off","readOnly":false,"description":""}],"revision":4}`, ""},
		{"changes/list", `{"threadId":"th","turnId":"tu"}`, `{"files":[{"uri":"file:///w/a.go","from":"file:///w/b.go","status":"renamed","hash":"sha256:1","baseHash":"sha256:2","hunks":[{"id":"h1","oldRange":{"start":{"line":1,"character":0},"end":{"line":2,"character":0}},"newRange":{"start":{"line":1,"character":0},"end":{"line":2,"character":0}},"state":"pending"}]}]}`, "changes th tu"},
		{"changes/keep", `{"threadId":"th","uri":"` + file + `","hunkIds":["h1"]}`, `{"hunks":[{"id":"h1","outcome":"kept"}]}`, "keep th  a.go [h1]"},
		{"changes/undo", `{"threadId":"th","turnId":"tu"}`, `{"hunks":[{"id":"h1","outcome":"conflict","message":"changed"}]}`, "undo th tu . []"},
		{"changes/content", `{"threadId":"th","uri":"` + file + `","side":"base"}`, `{"text":"a\nb\nc\n"}`, ""},
		{"mcp/list", `{}`, `{"servers":[]}`, ""},
		{"models/list", ``, `{"models":[],"default":"x/y"}`, ""},
		{"models/register", `{"models":[{"id":"gpt","maxInputTokens":9}]}`, `{"revision":8}`, "models [{gpt  9 false false}]"},
		{"status", ``, `{"version":"v","model":"","mode":"","roots":[],"running":0,"servers":[],"memory":{"heapBytes":0,"sysBytes":0},"missing":["no codeActionLiteralSupport: actions are plain commands"]}`, ""},
	} {
		m := p.call("companion/"+c.method, c.params)
		if m.Error != nil || !matches(t, c.result, string(m.Result)) {
			t.Errorf("%s: %s %+v\nwant %s", c.method, m.Result, m.Error, c.result)
		}
		if c.said != "" && r.last() != c.said {
			t.Errorf("%s: told %q, want %q", c.method, r.last(), c.said)
		}
	}
	p.notify("companion/editor/didChangeState", `{"editorState":{"active":{"uri":"`+file+`","selection":{"start":{"line":0,"character":1},"end":{"line":2,"character":0}}},"tabs":[{"uri":"`+file+`"},{"uri":"git:/x"}]}}`)
	p.call("companion/models/list", "")
	if want := "editor a.go 1:2-3:1 1"; r.last() != want {
		t.Errorf("%q, want %q", r.last(), want)
	}
}

func TestWrongParamsOfTier1NameTheirField(t *testing.T) {
	p, _, _, file := tier1(t, everything, "")
	for _, c := range []struct{ method, params, message string }{
		{"thread/start", `{"cwd":"file:///no/such/folder"}`, "cwd: "},
		{"thread/start", `{"mode":"god"}`, `mode: "god" is none of ask, plan, edit, agent, full`},
		{"thread/start", `{"title":5}`, "title: number where a string is expected"},
		{"thread/read", `{}`, "threadId: missing"},
		{"thread/rename", `{"threadId":"x"}`, "title: missing"},
		{"turn/start", `{}`, "input: missing"},
		{"turn/start", `{"input":[]}`, "input: empty"},
		{"turn/start", `{"input":[{"text":"x"}]}`, "input[0].type: missing"},
		{"turn/start", `{"input":[{"type":"text","text":"x"},{"type":"song"}]}`, `input[1].type: "song" is none of`},
		{"turn/start", `{"input":[{"type":"text"}]}`, "input[0].text: missing"},
		{"turn/start", `{"input":[{"type":"selection","uri":"` + file + `"}]}`, "input[0].range: missing"},
		{"turn/start", `{"input":[{"type":"file","uri":"git:/x"}]}`, "input[0].uri: "},
		{"turn/start", `{"input":[{"type":"image","mimeType":"image/png","data":"%"}]}`, "input[0].data: "},
		{"turn/start", `{"input":[{"type":"text","text":"x"}],"ifBusy":"wait"}`, `ifBusy: "wait" is none of`},
		{"turn/steer", `{"threadId":"x","input":[]}`, "turnId: missing"},
		{"turn/stop", `{"threadId":"x"}`, "turnId: missing"},
		{"tools/register", `{"tools":[]}`, "owner: missing"},
		{"tools/register", `{"owner":"x"}`, "tools: missing"},
		{"tools/setEnabled", `{"names":[]}`, "enabled: missing"},
		{"changes/content", `{"threadId":"x","uri":"` + file + `","side":"left"}`, `side: "left" is none of base, current`},
		{"changes/keep", `[]`, "params: array where an object is expected"},
		{"models/register", `{"models":[{}]}`, "models[0].id: missing"},
	} {
		m := p.call("companion/"+c.method, c.params)
		if m.Error == nil || m.Error.Code != -32602 || !strings.HasPrefix(m.Error.Message, c.message) {
			t.Errorf("%s %s: %s %+v, want %q", c.method, c.params, m.Result, m.Error, c.message)
		}
	}
}

func TestOurErrorsCarryACode(t *testing.T) {
	p, f, r, file := tier1(t, everything, "")
	for _, c := range []struct {
		err           error
		method, param string
		code          int
		want          string
	}{
		{agent.ErrThreadNotFound, "thread/resume", `{"threadId":"x"}`, -32803, "threadNotFound"},
		{agent.ErrThreadBusy, "thread/resume", `{"threadId":"x"}`, -32803, "threadBusy"},
		{agent.ErrTurnNotFound, "turn/steer", `{"threadId":"x","turnId":"y","input":[{"type":"text","text":"x"}]}`, -32803, "turnNotFound"},
		{agent.ErrTurnRunning, "thread/delete", `{"threadId":"x"}`, -32803, "turnRunning"},
		{changes.ErrThread, "changes/list", `{"threadId":"../x"}`, -32803, "threadNotFound"},
		{changes.ErrNotChanged, "changes/content", `{"threadId":"x","uri":"` + file + `","side":"base"}`, -32602, ""},
		{agent.ErrCursor, "thread/list", `{"cursor":"x"}`, -32602, ""},
		{nil, "mcp/reconnect", `{"server":"x"}`, -32803, "notOffered"},
		{nil, "turn/stop", `{"threadId":"x","turnId":"y"}`, -32803, "turnNotFound"},
	} {
		r.err = nil
		if c.err != nil {
			r.err = fmt.Errorf("x: %w", c.err)
		}
		m := p.call("companion/"+c.method, c.param)
		if m.Error == nil || m.Error.Code != c.code {
			t.Errorf("%s: %s %+v", c.method, m.Result, m.Error)
			continue
		}
		var data struct{ Code string }
		if c.want != "" && (json.Unmarshal(m.Error.Data, &data) != nil || data.Code != c.want) {
			t.Errorf("%s: %s, want %s", c.method, m.Error.Data, c.want)
		}
	}
	f.newTurn = errors.Join(agent.ErrNoModel)
	if m := p.call("companion/turn/start", `{"input":[{"type":"text","text":"x"}]}`); m.Error == nil || string(m.Error.Data) != `{"code":"noModel"}` {
		t.Errorf("%+v", m.Error)
	}
}

func TestMethodsWithoutTheirRoomAreNotOffered(t *testing.T) {
	f := &fake{}
	p := serve(t, Options{Build: f.build})
	p.initialize("", "")
	for method, params := range map[string]string{
		"thread/start": `{}`, "thread/list": `{}`, "thread/read": `{"threadId":"x"}`, "thread/fork": `{"threadId":"x"}`,
		"turn/compact": `{"threadId":"x"}`, "tools/register": `{"owner":"x","tools":[]}`, "changes/list": `{"threadId":"x"}`,
		"models/list": `{}`, "models/register": `{"models":[]}`,
	} {
		if m := p.call("companion/"+method, params); m.Error == nil || string(m.Error.Data) != `{"code":"notOffered"}` {
			t.Errorf("%s: %s %+v", method, m.Result, m.Error)
		}
	}
}

func TestEventsAreSentForThreadsThatThisConnectionFollows(t *testing.T) {
	p, f, _, _ := tier1(t, everything, "")
	tell := func(thread string) {
		f.emit(session.Event{Thread: thread, Seq: 1, Type: session.Warned, Message: thread})
	}
	tell("before")
	p.call("companion/thread/start", `{}`)
	tell("th")
	p.call("companion/thread/close", `{"threadId":"th"}`)
	tell("th")
	p.call("companion/thread/resume", `{"threadId":"old"}`)
	tell("old")
	tell("other")
	m := p.call("companion/turn/start", `{"threadId":"of","input":[{"type":"text","text":"go"}]}`)
	var id struct{ ThreadID, TurnID string }
	if err := json.Unmarshal(m.Result, &id); err != nil || id.ThreadID != "of" {
		t.Fatalf("%s %+v", m.Result, m.Error)
	}
	var got []string
	for len(got) < 4 {
		var ev struct{ ThreadID, Type string }
		if err := json.Unmarshal(p.expect("companion/event").Params, &ev); err != nil {
			t.Fatal(err)
		}
		got = append(got, ev.ThreadID+" "+ev.Type)
	}
	if want := "[th warning old warning of turn.started of turn.completed]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}

func TestChangesOfListsAreTold(t *testing.T) {
	p, _, r, _ := tier1(t, everything, "")
	r.revised(12)
	if m := p.expect("companion/tools/didChange"); string(m.Params) != `{"revision":12}` {
		t.Errorf("%s", m.Params)
	}
	r.changed("th", []string{"/w/a b.go"})
	if m := p.expect("companion/changes/didChange"); string(m.Params) != `{"threadId":"th","uris":["file:///w/a%20b.go"]}` {
		t.Errorf("%s", m.Params)
	}
}

func TestToolsOfInitializeBelongToTheClient(t *testing.T) {
	p, _, r, _ := tier1(t, "", `{"tools":[{"name":"one","description":"d","inputSchema":{}},{"name":{}}],"namespaces":[{"name":"n","description":"d"}]}`)
	if want := "register  [one] 1 false"; r.last() != want {
		t.Errorf("%q, want %q", r.last(), want)
	}
	for _, want := range []string{"name: object where a string is expected", "the tool bad was not registered (taken): by x"} {
		if m := p.expect("window/logMessage"); !strings.Contains(string(m.Params), want) {
			t.Errorf("%s, want %q", m.Params, want)
		}
	}
}

func TestPendingHunksHaveLensesActionsAndCommands(t *testing.T) {
	p, _, r, file := tier1(t, `{"textDocument":{"codeLens":{},"codeAction":{"codeActionLiteralSupport":{}}},"workspace":{"codeLens":{"refreshSupport":true}}}`, "")
	m := p.call("textDocument/codeLens", `{"textDocument":{"uri":"`+file+`"}}`)
	want := `[{"range":{"start":{"line":1,"character":0},"end":{"line":1,"character":0}},"command":{"title":"Keep","command":"companion.keep","arguments":[{"threadId":"th","uri":"*","hunkIds":["h1"]}]}},` +
		`{"range":"*","command":{"title":"Undo","command":"companion.undo","arguments":"*"}},{"range":"*","command":{"title":"Diff","command":"companion.diff","arguments":[{"threadId":"th","uri":"*","hunkId":"h1"}]}}]`
	var got, wanted []any
	if json.Unmarshal(m.Result, &got) != nil || json.Unmarshal([]byte(want), &wanted) != nil || len(got) != 3 {
		t.Fatalf("%s", m.Result)
	}
	for i := range wanted {
		w, _ := json.Marshal(wanted[i])
		g, _ := json.Marshal(got[i])
		g = []byte(strings.ReplaceAll(string(g), file, "*"))
		w = []byte(strings.ReplaceAll(string(w), `"range":"*"`, `"range":{"end":{"character":0,"line":1},"start":{"character":0,"line":1}}`))
		if i == 1 {
			continue
		}
		if string(g) != string(w) {
			t.Errorf("%s, want %s", g, w)
		}
	}
	at := func(line int) string {
		return fmt.Sprintf(`{"textDocument":{"uri":%q},"range":{"start":{"line":%d,"character":0},"end":{"line":%d,"character":0}},"context":{"diagnostics":[],"only":["quickfix.companion"]}}`, file, line, line)
	}
	if m := p.call("textDocument/codeAction", at(1)); strings.Count(string(m.Result), `this change","kind"`) != 3 {
		t.Errorf("%s", m.Result)
	}
	for _, line := range []int{0, 2} {
		if m := p.call("textDocument/codeAction", at(line)); string(m.Result) != "[]" {
			t.Errorf("line %d: %s", line, m.Result)
		}
	}
	for _, c := range []struct{ command, arg, result, said string }{
		{"keep", `{"threadId":"th","uri":"` + file + `","hunkIds":["h1"]}`, `{"hunks":[{"id":"h1","outcome":"kept"}]}`, "keep th  a.go [h1]"},
		{"undo", `{}`, `{"hunks":[{"id":"h1","outcome":"conflict","message":"changed"}]}`, "undo newest  . []"},
		{"diff", `{"uri":"` + file + `"}`, `{"text":"--- a.go\n+++ a.go\n@@ -1,3 +1,4 @@\n a\n-b\n+B\n c\n+d\n"}`, ""},
	} {
		m := p.call("workspace/executeCommand", `{"command":"companion.`+c.command+`","arguments":[`+c.arg+`]}`)
		if m.Error != nil || string(m.Result) != c.result {
			t.Errorf("%s: %s %+v", c.command, m.Result, m.Error)
		}
		if c.said != "" && r.last() != c.said {
			t.Errorf("%s: told %q, want %q", c.command, r.last(), c.said)
		}
	}
	r.changed("th", []string{"/w/a.go"})
	r.changed("th", []string{"/w/a.go"})
	p.reply(p.expect("workspace/codeLens/refresh"), "null")
	p.reply(p.expect("workspace/codeLens/refresh"), "null")
}

func TestClientsThatReviewGetNoLenses(t *testing.T) {
	p, _, r, file := tier1(t, everything, "")
	if m := p.call("textDocument/codeLens", `{"textDocument":{"uri":"`+file+`"}}`); string(m.Result) != "[]" {
		t.Errorf("%s", m.Result)
	}
	r.changed("th", nil)
	p.call("companion/models/list", "")
	for _, m := range p.held {
		if m.Method == "workspace/codeLens/refresh" {
			t.Error("asked to refresh")
		}
	}
}
