package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"companion/agent"
	"companion/lspbridge/companion"
	"companion/lspbridge/rpc"
	"companion/lspbridge/wire"
	"companion/session"
	"companion/tools"
	"companion/workspace"

	"go.lsp.dev/uri"
)

type fake struct {
	o       agent.TurnOptions
	err     error
	running []Running
	stopped []string
}

type turn struct{}

func (turn) ThreadID() string    { return "th" }
func (turn) ID() string          { return "tu" }
func (turn) Run(context.Context) {}

func (f *fake) NewTurn(o agent.TurnOptions) (Turn, error) {
	f.o = o
	if f.err != nil {
		return nil, f.err
	}
	return turn{}, nil
}

func (f *fake) Stop(_ context.Context, _, id string) error {
	f.stopped = append(f.stopped, id)
	return nil
}

func (f *fake) StopAll(context.Context) []string { return []string{"all"} }
func (f *fake) Running() []Running               { return f.running }

func (f *fake) List(agent.ListQuery) ([]session.Info, string, error) {
	return []session.Info{{ID: "x", Title: "y", Cwd: "/w d"}}, "", nil
}

func (f *fake) Read(string, int64, int) (agent.Transcript, error) {
	return agent.Transcript{}, nil
}

type world struct {
	*Runner
	f       *fake
	started []string
	dir     string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := workspace.New(workspace.Options{Roots: []string{t.TempDir(), dir}})
	if err != nil {
		t.Fatal(err)
	}
	x := &world{f: &fake{}, dir: dir}
	x.Runner = &Runner{
		Agent: x.f, Workspace: w, Mode: func() tools.Mode { return tools.ModeAgent }, Adopt: func(workspace.File) {},
		Started: func(_ *rpc.Request, t Turn, kind Kind, title string) {
			x.started = append(x.started, string(kind)+" "+t.ID()+" "+title)
		},
		Known: func(string) []json.RawMessage {
			return []json.RawMessage{diag(0, "known one"), diag(5, "known two")}
		},
		UTF16: func(_ string, raw json.RawMessage) json.RawMessage { return raw },
		Approve: func(call, option string) error {
			if call != "c" {
				return rpc.Failed("notOffered", "no")
			}
			return nil
		},
		Restart: func(s string) []string { return strings.Fields(s) },
		Companion: &companion.Handlers{
			Workspace: w, Reader: x.f,
			Specs: func() ([]tools.Spec, int) {
				return []tools.Spec{{Name: "read", ReadOnly: true, Description: "Reads."}}, 7
			},
			State: func() wire.Status { return wire.Status{Version: "v"} },
		},
		Show: func(string, string) {},
	}
	return x
}

func diag(line int, msg string) json.RawMessage {
	return fmt.Appendf(nil, `{"range":{"start":{"line":%d,"character":0},"end":{"line":%d,"character":3}},"message":%q}`, line, line, msg)
}

func (x *world) run(command, arguments string) (string, error) {
	params := fmt.Sprintf(`{"command":%q%s}`, command, arguments)
	params = strings.ReplaceAll(params, "$A", string(uri.File(filepath.Join(x.dir, "a.go"))))
	out, err := x.Execute(context.Background(), &rpc.Request{Params: []byte(params)})
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(out)
	return string(b), err
}

func TestCommandsStartTurns(t *testing.T) {
	const ids = `{"threadId":"th","turnId":"tu"}`
	at := `"range":{"start":{"line":0,"character":0},"end":{"line":1,"character":0}}`
	for _, c := range []struct {
		command, arguments string
		mode               tools.Mode
		input              []string // type and what names it
		title              string
	}{
		{"companion.fix", `,"arguments":[{"uri":"$A","diagnostics":[` + string(diag(2, "bad\nthing")) + `]}]`, tools.ModeAgent, []string{"text Fix these diagnostics in a.go:\n- 3:1 bad\nthing", "diagnostics"}, "fix tu Fix 1 problem in a.go"},
		{"companion.fix", `,"arguments":[{"uri":"$A"}]`, tools.ModeAgent, []string{"text Fix these diagnostics in a.go:\n- 1:1 known one\n- 6:1 known two", "diagnostics"}, "fix tu Fix 2 problems in a.go"},
		{"companion.fix", `,"arguments":[{"uri":"$A",` + at + `}]`, tools.ModeAgent, []string{"text Fix these diagnostics in a.go:\n- 1:1 known one", "diagnostics"}, "fix tu Fix 1 problem in a.go"},
		{"companion.ask", `,"arguments":[{"prompt":"why?"}]`, tools.ModeAsk, []string{"text why?"}, "ask tu why?"},
		{"companion.ask", `,"arguments":[{"prompt":"why\n this?","uri":"$A",` + at + `}]`, tools.ModeAsk, []string{"text why\n this?", "selection"}, "ask tu why this?"},
		{"companion.ask", `,"arguments":[{"prompt":"why?","uri":"$A","range":null}]`, tools.ModeAsk, []string{"text why?", "file"}, "ask tu why?"},
		{"companion.edit", `,"arguments":[{"prompt":"rename","uri":"$A"}]`, tools.ModeAgent, []string{"text rename", "file"}, "edit tu rename"},
		{"companion.explain", `,"arguments":[{"uri":"$A",` + at + `}]`, tools.ModeAsk, []string{"text Explain", "selection"}, "explain tu Explain a.go"},
		{"companion.document", `,"arguments":[{"uri":"$A",` + at + `}]`, tools.ModeAgent, []string{"text Write or improve", "selection"}, "document tu Document a.go"},
		{"companion.test", `,"arguments":[{"uri":"$A",` + at + `}]`, tools.ModeAgent, []string{"text Write tests", "selection"}, "test tu Write tests for a.go"},
		{"companion.extract", `,"arguments":[{"uri":"$A",` + at + `}]`, tools.ModeAgent, []string{"text Extract", "selection"}, "extract tu Extract from a.go"},
	} {
		t.Run(c.title, func(t *testing.T) {
			x := newWorld(t)
			got, err := x.run(c.command, c.arguments)
			if err != nil || got != ids {
				t.Fatalf("%s %v", got, err)
			}
			if len(x.started) != 1 || x.started[0] != c.title {
				t.Errorf("started %q", x.started)
			}
			o := x.f.o
			if o.Mode != c.mode || len(o.Input) != len(c.input) {
				t.Fatalf("mode %s, input %+v", o.Mode, o.Input)
			}
			for i, in := range o.Input {
				if !strings.HasPrefix(in.Type+" "+in.Text, c.input[i]) {
					t.Errorf("input %d: %+v, want %s", i, in, c.input[i])
				}
			}
			if strings.Contains(c.arguments, "$A") && (len(o.Roots) != 2 || o.Roots[0] != x.dir) {
				t.Errorf("roots %v, want %s first", o.Roots, x.dir)
			}
		})
	}
}

func TestBadArgumentsAreNamedByTheirPath(t *testing.T) {
	x := newWorld(t)
	for _, c := range []struct{ command, arguments, want string }{
		{"companion.nothing", ``, `command: there is no command "companion.nothing"`},
		{"companion.fix", ``, `arguments[0].uri: missing`},
		{"companion.fix", `,"arguments":null`, `arguments[0].uri: missing`},
		{"companion.fix", `,"arguments":[]`, `arguments[0].uri: missing`},
		{"companion.fix", `,"arguments":[null]`, `arguments[0].uri: missing`},
		{"companion.fix", `,"arguments":{}`, `arguments: object where an array is expected`},
		{"companion.fix", `,"arguments":["x"]`, `arguments[0]: string where an object is expected`},
		{"companion.fix", `,"arguments":[{"uri":7}]`, `arguments[0].uri: number where a string is expected`},
		{"companion.fix", `,"arguments":[{"uri":"git:/a"}]`, `arguments[0].uri: git:/a is neither a file nor an unsaved buffer`},
		{"companion.fix", `,"arguments":[{"uri":"untitled:7"}]`, `arguments[0].uri: untitled:7`},
		{"companion.fix", `,"arguments":[{"uri":"$A","range":{"start":{"line":1,"character":0}}}]`, `arguments[0].range: start or end is missing`},
		{"companion.fix", `,"arguments":[{"uri":"$A","range":{"start":{"line":"x"}}}]`, `arguments[0].range.start.line: string where an integer is expected`},
		{"companion.fix", `,"arguments":[{"uri":"$A","diagnostics":{}}]`, `arguments[0].diagnostics: object where an array is expected`},
		{"companion.fix", `,"arguments":[{"uri":"$A","diagnostics":[7]}]`, `arguments[0].diagnostics[0]: `},
		{"companion.ask", ``, `arguments[0].prompt: missing`},
		{"companion.edit", `,"arguments":[{"uri":"$A","prompt":"  "}]`, `arguments[0].prompt: missing`},
		{"companion.explain", `,"arguments":[{"uri":"$A"}]`, `arguments[0].range: missing`},
		{"companion.approve", `,"arguments":[{"optionId":"x"}]`, `arguments[0].callId: missing`},
		{"companion.approve", `,"arguments":[{"callId":"x"}]`, `arguments[0].optionId: missing`},
		{"companion.stop", `,"arguments":[{"turnId":1}]`, `arguments[0].turnId: number where a string is expected`},
	} {
		_, err := x.run(c.command, c.arguments)
		if !rpc.IsCode(err, rpc.InvalidParams) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s%s: %v, want %s", c.command, c.arguments, err, c.want)
		}
	}
	if len(x.started) > 0 {
		t.Errorf("started %v", x.started)
	}
}

func TestErrorsOfTheAgentHaveTheirNames(t *testing.T) {
	for err, want := range map[error]string{
		agent.ErrThreadNotFound: "threadNotFound", agent.ErrTurnRunning: "turnRunning", agent.ErrThreadBusy: "threadBusy",
		agent.ErrNoModel: "noModel", workspace.ErrStale: "stale",
	} {
		x := newWorld(t)
		x.f.err = fmt.Errorf("thread x: %w", err)
		_, got := x.run("companion.ask", `,"arguments":[{"prompt":"hi","threadId":"x"}]`)
		var e *rpc.Error
		if !errors.As(got, &e) || e.Code != rpc.RequestFailed || string(e.Data) != fmt.Sprintf(`{"code":%q}`, want) {
			t.Errorf("%v: %+v", err, e)
		}
		if x.f.o.Thread != "x" {
			t.Errorf("thread %q", x.f.o.Thread)
		}
	}
}

func TestControlCommands(t *testing.T) {
	running := []Running{{"th1", "tu1"}, {"th2", "tu2"}}
	for _, c := range []struct{ command, arguments, want string }{
		{"companion.stop", ``, `{"stopped":["all"]}`},
		{"companion.stop", `,"arguments":[{"turnId":"tu2"}]`, `{"stopped":["tu2"]}`},
		{"companion.stop", `,"arguments":[{"threadId":"th1"}]`, `{"stopped":["tu1"]}`},
		{"companion.stop", `,"arguments":[{"threadId":"other"}]`, `{"stopped":[]}`},
		{"companion.approve", `,"arguments":[{"callId":"c","optionId":"o"}]`, `{}`},
		{"companion.threads", ``, `{"threads":[{"threadId":"x","title":"y","cwd":"file:///w%20d","createdAt":"0001-01-01T00:00:00Z","updatedAt":"0001-01-01T00:00:00Z","turns":0,"status":""}]}`},
		{"companion.tools", ``, `{"tools":[{"name":"read","source":"builtin","form":"function","exposure":"direct","enabled":true,"readOnly":true,"description":"Reads."}],"revision":7}`},
		{"companion.status", `,"arguments":[{}]`, `{"version":"v","model":"","mode":"","roots":[],"running":0,"servers":[],"memory":{"heapBytes":0,"sysBytes":0}}`},
		{"companion.restartServer", ``, `{"restarted":[]}`},
		{"companion.restartServer", `,"arguments":[{"server":"gopls"}]`, `{"restarted":["gopls"]}`},
	} {
		x := newWorld(t)
		x.f.running = running
		got, err := x.run(c.command, c.arguments)
		if err != nil || got != c.want {
			t.Errorf("%s%s: %s %v, want %s", c.command, c.arguments, got, err, c.want)
		}
	}
	x := newWorld(t)
	for arguments, code := range map[string]string{`,"arguments":[{"turnId":"gone"}]`: "turnNotFound"} {
		_, err := x.run("companion.stop", arguments)
		var e *rpc.Error
		if !errors.As(err, &e) || !strings.Contains(string(e.Data), code) {
			t.Errorf("%v", err)
		}
	}
}

func TestEditWithoutPromptTakesACommentThatMentionsCompanion(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"go", "package a\n\n// @companion: make it return 2\n// and document it\nfunc F() int { return 1 }\n", "make it return 2 and document it"},
		{"python", "def f():\n    # TODO @companion use a set\n    return []\n", "use a set"},
		{"html", "<p>\n<!-- @companion add a title -->\n</p>\n", "add a title"},
		{"block", "a\n/* @companion shorten */\nb\n", "shorten"},
		{"code, no comment", "a\nmail(\"x@companion.dev\")\n", ""},
		{"nothing asked", "a\n// @companion\nb\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newWorld(t)
			id := string(uri.File(filepath.Join(x.dir, "a.go")))
			x.Workspace.DidOpen(id, "", 1, c.text)
			_, err := x.run("companion.edit", `,"arguments":[{"uri":"$A","range":{"start":{"line":0,"character":0},"end":{"line":9,"character":0}}}]`)
			if c.want == "" {
				if err == nil || !strings.Contains(err.Error(), "arguments[0].prompt: missing") {
					t.Errorf("%v; prompt %+v", err, x.f.o.Input)
				}
				return
			}
			if err != nil || !strings.HasPrefix(x.f.o.Input[0].Text, c.want+"\n") {
				t.Errorf("%v %+v, want %q", err, x.f.o.Input, c.want)
			}
		})
	}
}

func TestACursorStandsForTheFunctionAroundIt(t *testing.T) {
	x := newWorld(t)
	x.Enclosing = func(_, src string, offset int) (int, int, bool) {
		start := strings.Index(src, "func")
		return start, strings.Index(src, "}\n") + 1, offset > start
	}
	x.Encoding = "utf-16"
	x.Workspace.DidOpen(string(uri.File(filepath.Join(x.dir, "a.go"))), "go", 1, "package a\n\nfunc F() {\n\tx()\n}\n")
	for at, want := range map[string]string{
		`{"start":{"line":3,"character":1},"end":{"line":3,"character":1}}`: `{"start":{"line":2,"character":0},"end":{"line":4,"character":1}}`,
		`{"start":{"line":0,"character":1},"end":{"line":0,"character":1}}`: `{"start":{"line":0,"character":1},"end":{"line":0,"character":1}}`,
		`{"start":{"line":3,"character":1},"end":{"line":3,"character":2}}`: `{"start":{"line":3,"character":1},"end":{"line":3,"character":2}}`,
	} {
		if _, err := x.run("companion.explain", `,"arguments":[{"uri":"$A","range":`+at+`}]`); err != nil {
			t.Fatal(err)
		}
		if got := string(x.f.o.Input[1].Range); got != want {
			t.Errorf("%s: %s, want %s", at, got, want)
		}
	}
}
