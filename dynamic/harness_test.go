package dynamic

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"companion/permission"
	"companion/tools"
	"companion/tools/gate"
	"companion/tools/limit"
	"companion/workspace"
)

// editor plays the editor's side: it records calls and answers as a test says.
type editor struct {
	mu     sync.Mutex
	calls  []Call
	answer func(ctx context.Context, c Call) (Answer, error) // nil = "done"
}

func (e *editor) CallTool(ctx context.Context, c Call) (Answer, error) {
	e.mu.Lock()
	e.calls = append(e.calls, c)
	answer := e.answer
	e.mu.Unlock()
	if answer == nil {
		return says("done"), nil
	}
	return answer(ctx, c)
}

func (e *editor) called() []Call {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]Call(nil), e.calls...)
}

func says(text string) Answer {
	return Answer{Content: []tools.Content{{Kind: tools.TextContent, Text: text}}}
}

// stand is a Host with what is around it.
type stand struct {
	t    *testing.T
	host *Host
	reg  *tools.Registry
	ed   *editor
	root string
	ws   *workspace.Workspace
	run  tools.Handler
}

// builtin is a tool of ours.
type builtin struct{ spec tools.Spec }

func (b builtin) Spec() tools.Spec { return b.spec }
func (b builtin) Prepare(context.Context, tools.Call) (tools.Action, error) {
	return tools.Action{Run: func(context.Context, tools.Progress) (tools.Result, error) {
		return tools.Result{Outcome: tools.OK, Text: "built in"}, nil
	}}, nil
}

func newStand(t *testing.T, change func(*Options)) *stand {
	t.Helper()
	s := &stand{t: t, ed: &editor{}, root: t.TempDir()}
	ws, err := workspace.New(workspace.Options{Roots: []string{s.root}})
	if err != nil {
		t.Fatal(err)
	}
	s.ws, s.root = ws, ws.Roots()[0]
	s.reg = tools.NewRegistry(
		builtin{tools.Spec{Name: "read", Aliases: []string{"view"}, ReadOnly: true}},
		builtin{tools.Spec{Name: "edit"}},
	)
	opt := Options{Registry: s.reg, Workspace: ws, Caller: s.ed}
	if change != nil {
		change(&opt)
	}
	s.host = New(opt)
	s.run = s.pipeline(nil)
	return s
}

// pipeline is the real one, with the feedback of diagnostics left out. A nil
// asker stands for mode full.
func (s *stand) pipeline(asker permission.Asker) tools.Handler {
	return tools.Chain(tools.Run, tools.Answer(nil), limit.Stage(""), tools.Lookup(), tools.Validate(), tools.Prepare(),
		permission.Policy(permission.Options{}), permission.Approval(asker), gate.Stage(gate.New()))
}

func trusting(owners ...string) func(*Options) {
	return func(o *Options) { o.TrustedOwners = owners }
}

// define gives a definition that a test changes.
func define(name string, change ...func(*Spec)) Spec {
	s := Spec{Name: name, Description: "Does " + name + ".", Input: json.RawMessage(`{"type":"object"}`)}
	for _, c := range change {
		c(&s)
	}
	return s
}

func input(schema string) func(*Spec) { return func(s *Spec) { s.Input = json.RawMessage(schema) } }

func in(namespace string) func(*Spec) { return func(s *Spec) { s.Namespace = namespace } }

func readOnly(s *Spec) { yes := true; s.Annotations.ReadOnly = &yes }

// register fails the test when something is rejected.
func (s *stand) register(owner string, specs ...Spec) int {
	s.t.Helper()
	_, rejected, revision := s.host.Register(owner, specs, nil, false)
	if len(rejected) > 0 {
		s.t.Fatalf("rejected: %v", rejected)
	}
	return revision
}

func (s *stand) box() *tools.Box {
	return s.reg.Box(tools.BoxOptions{Withhold: s.host.Withhold("t")})
}

func (s *stand) invocation(name, args string) *tools.Invocation {
	return &tools.Invocation{Box: s.box(), Call: tools.Call{
		Thread: "t", Turn: "u", ID: "c1", Mode: tools.ModeFull, Roots: []string{s.root}, Name: name, Raw: json.RawMessage(args),
	}}
}

// call runs one call through the stages.
func (s *stand) call(name, args string) tools.Result {
	s.t.Helper()
	res, err := s.run(context.Background(), s.invocation(name, args))
	if err != nil {
		s.t.Fatalf("the turn ended: %v", err)
	}
	return res
}

func (s *stand) path(rel string) string { return filepath.Join(s.root, rel) }

func (s *stand) uri(rel string) string {
	f, err := s.ws.Resolve(rel)
	if err != nil {
		s.t.Fatal(err)
	}
	return f.URI
}

func (s *stand) write(rel, content string) {
	s.t.Helper()
	if err := os.WriteFile(s.path(rel), []byte(content), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// want checks outcome and words of a result.
func want(t *testing.T, res tools.Result, outcome tools.Outcome, parts ...string) {
	t.Helper()
	if res.Outcome != outcome {
		t.Errorf("outcome %q, want %q: %s", res.Outcome, outcome, res.Text)
	}
	for _, p := range parts {
		if !strings.Contains(res.Text, p) {
			t.Errorf("the text lacks %q:\n%s", p, res.Text)
		}
	}
	if strings.TrimSpace(res.Text) == "" {
		t.Error("the result has no text")
	}
}

func listed(b *tools.Box) []string {
	out := []string{}
	for _, s := range b.Listed() {
		out = append(out, s.Full())
	}
	return out
}
