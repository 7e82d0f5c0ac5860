package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"companion/agent"
	agentcontext "companion/agent/context"
	lent "companion/agent/model/editor"
	"companion/changes"
	"companion/config"
	"companion/diagnostics"
	"companion/dynamic"
	"companion/internal/app/hands"
	"companion/internal/app/models"
	"companion/permission"
	"companion/permission/granted"
	"companion/session"
	"companion/tools"
	"companion/tools/attempt"
	"companion/tools/cells"
	"companion/tools/edit"
	"companion/tools/find"
	"companion/tools/fs"
	"companion/tools/gate"
	"companion/tools/hooks"
	"companion/tools/limit"
	"companion/tools/move"
	"companion/tools/names"
	"companion/tools/nav"
	"companion/tools/outputs"
	"companion/tools/patch"
	"companion/tools/router"
	"companion/tools/search"
	"companion/tools/shell"
	"companion/tools/web"
	"companion/workspace"
)

// core is companion without a front: what serve and the headless commands share.
type core struct {
	env      env
	state    string // state folder
	trust    *config.Trust
	trustAll bool // --trust, or the editor said trusted:true
	log      *slog.Logger

	ws     *workspace.Workspace
	diag   *diagnostics.Service
	reg    *tools.Registry
	shell  *shell.Shell
	agent  *agent.Agent
	models *models.Models

	dynamic *dynamic.Host  // the editor's tools
	changes *changes.Store // what the agent changed

	pipeline atomic.Pointer[tools.Handler]
	switches atomic.Pointer[router.Switches]
	judge    *permission.Judge
	approval tools.Stage
	gate     tools.Stage
	granted  granted.Store // to threads, at their request
	hooks    *hooks.Set    // of plug-ins; none yet

	mu       sync.Mutex
	editor   [][]byte // settings that the editor sent
	settings config.Settings
	skipped  []string // roots whose project configuration is ignored
}

// setup is what newCore is told.
type setup struct {
	Options
	roots    []string
	settings []byte // from the editor
	trustAll bool
	editor   workspace.Editor // nil = headless
	asker    permission.Asker // nil = nobody
	// questions reaches the same person with questions of the model; nil = nobody.
	questions hands.Questioner
	caller    dynamic.Caller // runs the editor's tools; nil = headless
	models    lent.Caller    // asks the editor's models; nil = headless
	secret    models.Secrets // asks the editor for keys; nil = headless
	log       *slog.Logger
	// language puts the editor's own language servers before ours; nil = headless.
	language func(ws *workspace.Workspace, own *diagnostics.Service) nav.Servers
	// problems asks the editor's own language servers; nil = headless.
	problems func(ws *workspace.Workspace) diagnostics.Ask
}

// newCore builds everything and starts nothing.
func newCore(s setup) (*core, []config.Problem, error) {
	c := &core{env: s.Env, trustAll: s.trustAll, log: s.log, editor: [][]byte{s.settings}}
	var err error
	if c.state, err = stateDir(c.env); err != nil {
		return nil, nil, err
	}
	c.trust = config.NewTrust(c.state)
	if c.ws, err = workspace.New(workspace.Options{
		Roots: s.roots, Editor: s.editor, Log: s.log, Intents: intentsDir(c.state),
	}); err != nil {
		return nil, nil, err
	}
	problems := c.load()
	c.ws.SetSavePolicy(workspace.SavePolicy(c.settings.Edits.Save))
	var problemsOf diagnostics.Ask
	if s.problems != nil {
		problemsOf = s.problems(c.ws)
	}
	c.diag = diagnostics.New(diagnostics.Options{
		Editor: problemsOf, Policy: policy(c.settings.Diagnostics),
		Workspace: c.ws, Servers: c.servers(), Dial: s.Dial, Env: s.Env, Log: s.log,
		TrustedCommand: func(string) bool { return c.trustAll },
	})
	var lang nav.Servers = c.diag
	if s.language != nil {
		lang = s.language(c.ws, c.diag)
	}
	patches := patch.New(c.ws)
	c.shell = shell.New(shell.Options{
		Workspace: c.ws, Env: s.Env, Secrets: keyNames(c.settings), Dir: filepath.Join(c.state, "output"), Patch: patchIn(patches),
	})
	finder := find.NewCache()
	ours := []tools.Tool{
		fs.Write(c.ws), edit.New(c.ws), patches, move.Delete(c.ws), move.Move(c.ws), cells.New(c.ws),
		find.Tool(finder),
		nav.Diagnostics(c.ws, c.diag), nav.LSP(c.ws, lang),
		web.New(web.Options{Version: number()}),
	}
	readable := func(call tools.Call, spec tools.Spec) func(string) bool { return c.judge.Readable(call, spec) }
	c.reg = tools.NewRegistry(slices.Concat(ours, readingTools(c.ws), c.shell.Tools(),
		search.Tools(search.Options{Workspace: c.ws, Getenv: c.env.get, Readable: readable}),
		hands.Tools(hands.Options{Agent: func() *agent.Agent { return c.agent }, Workspace: c.ws, Granted: &c.granted, Questions: s.questions}),
	)...)
	c.dynamic = dynamic.New(dynamic.Options{
		Registry: c.reg, Workspace: c.ws, Caller: s.caller, Log: s.log,
		TrustedOwners: c.settings.Tools.TrustedOwners, Strict: c.settings.Tools.StrictNames,
	})
	c.changes = changes.Open(c.state, c.ws)
	c.judge = c.newJudge()
	c.approval = c.judge.Approval(s.asker)
	c.gate = gate.Stage(gate.New())
	c.hooks = hooks.New(s.log)
	c.reg.SetDefine(func(s tools.Spec) tools.Spec { return c.hooks.Define(outputs.Describe(s)) })
	c.compose()
	c.models = models.New(c.env.get, first(s.roots), c.settings)
	c.models.Lend(s.models, s.secret)
	c.agent = agent.New(agent.Options{
		Models: c.models, Registry: c.reg, Barrier: barrier{c.diag, func() bool { return c.current().Diagnostics.Mode != "off" }}, Store: session.NewStore(c.state),
		Pipeline: func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
			return (*c.pipeline.Load())(ctx, inv)
		},
		Context:  append(agentcontext.Defaults(), agentcontext.Tools(finder)...),
		Recorder: c.changes, Scene: c.scene, Mode: c.mode, Ask: hands.Asks(s.asker), Closed: c.shell.CloseThread, Deleted: c.forget,
		Version: number(), MaxSteps: c.settings.MaxSteps, MaxTokens: c.settings.MaxTokens, CompactAt: c.settings.CompactAt, Log: s.log,
	})
	return c, problems, nil
}

// compose is the one line through which every call goes.
func (c *core) compose() {
	spill := filepath.Join(c.state, "output")
	h := tools.Chain(tools.Run,
		c.hooks.Notices(), limit.Stage(spill), c.hooks.After(), tools.Answer(c.log),
		tools.Lookup(), tools.Validate(), c.hooks.Before(), tools.Prepare(),
		c.judge.Policy(), gate.Declare(), c.hooks.Approve(), c.approval,
		attempt.Wait(), attempt.Escalate(), c.gate, attempt.Checkpoint(nil), attempt.Retry(), outputs.Check())
	c.pipeline.Store(&h)
	t := c.current().Tools
	c.switches.Store(router.New(router.Settings{Disabled: t.Disabled, OmitFrom: t.OmitFrom, Direct: t.Direct, Denied: c.judge.Hidden}))
	strict := names.Rules{Strict: t.StrictNames, Warn: func(clash *names.Clash) { c.log.Warn("tool not registered", "why", clash.Error()) }}
	c.reg.SetNameRules(strict)
}

// load reads all layers of settings for the present roots.
func (c *core) load() []config.Problem {
	c.mu.Lock()
	defer c.mu.Unlock()
	trusted := func(root string, p config.Project) bool { return c.trustAll || c.trust.TrustedAs(root, p) }
	list, skipped, problems := layers(c.env, c.ws.Roots(), trusted, c.editor...)
	settings, wrong := config.Load(list...)
	c.settings, c.skipped = settings, skipped
	return append(problems, wrong...)
}

// reload applies settings anew: to models, rules and limits at once, to
// language servers when they start next.
func (c *core) reload() []config.Problem {
	problems := c.load()
	c.models.Configure(c.current())
	c.diag.Prefer(policy(c.current().Diagnostics))
	c.diag.Configure(c.servers())
	c.dynamic.SetTrustedOwners(c.current().Tools.TrustedOwners)
	c.dynamic.SetStrict(c.current().Tools.StrictNames)
	c.ws.SetSavePolicy(workspace.SavePolicy(c.current().Edits.Save))
	c.compose()
	return problems
}

// configure takes what the editor's configuration says now.
func (c *core) configure(_ context.Context, settings json.RawMessage) []string {
	c.mu.Lock()
	first := c.editor[0]
	if len(c.editor) > 1 {
		first = config.Withdrawn(first, c.editor[1], settings)
	}
	c.editor = [][]byte{first, settings}
	c.mu.Unlock()
	return sentences(c.reload())
}

// trusted takes a person's answer for one root.
func (c *core) trusted(_ context.Context, root string, yes bool) {
	if err := c.trust.Set(root, yes); err != nil {
		c.log.Error("remembering trust", "root", root, "err", err)
	}
	c.reload()
}

// close kills what runs first, so that nothing waits for it.
func (c *core) close(ctx context.Context) error {
	c.shell.Close()
	return errors.Join(c.agent.Close(ctx), c.diag.Close(ctx), c.changes.Close())
}

func (c *core) mode() tools.Mode { return tools.Mode(c.current().Mode) }

func (c *core) current() config.Settings {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.settings
}

// specs is what a new thread's model would be given, sorted by name.
func (c *core) specs() []tools.Spec {
	in := c.scene("")
	in.Mode = c.mode()
	var cache router.Cache
	return slices.Clone(cache.Box(c.reg, in, nil, nil).Listed())
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

func sentences(problems []config.Problem) []string {
	var out []string
	for _, p := range problems {
		out = append(out, p.String())
	}
	return out
}

// servers maps settings to the diagnostics room's words.
func (c *core) servers() map[string]diagnostics.Override {
	out := map[string]diagnostics.Override{}
	for name, s := range c.current().LSP {
		out[name] = diagnostics.Override{
			Command: s.Command, Args: s.Args, Env: s.Env, InitializationOptions: s.InitializationOptions,
			Settings: s.Settings, RootMarkers: s.RootMarkers, Extensions: s.Extensions, Disabled: s.Disabled,
			Bounds: bounds(s.Limits),
		}
	}
	return out
}

// patchIn prepares a patch with paths relative to a folder, as a call of t.
func patchIn(t tools.Tool) func(context.Context, tools.Call, string, string) (tools.Action, error) {
	return func(ctx context.Context, call tools.Call, dir, text string) (tools.Action, error) {
		args, err := json.Marshal(map[string]string{"input": text})
		if err != nil {
			return tools.Action{}, err
		}
		call.Args, call.Roots = args, append([]string{dir}, call.Roots...)
		return t.Prepare(ctx, call)
	}
}

// keyNames are the variables that hold keys, kept from commands.
func keyNames(s config.Settings) []string {
	var out []string
	for _, p := range s.Providers {
		if p.APIKeyEnv != "" {
			out = append(out, p.APIKeyEnv)
		}
	}
	return out
}

// bounds maps limits of waiting, in ms, to the diagnostics room's words.
func bounds(l config.Limits) diagnostics.Bounds {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	return diagnostics.Bounds{Initialize: ms(l.StartMs), Soft: ms(l.SoftMs), Hard: ms(l.HardMs)}
}

// policy maps settings to the diagnostics room's words.
func policy(d config.Diagnostics) diagnostics.Policy {
	return diagnostics.Policy{Source: diagnostics.SourceKind(d.Source), Worst: map[string]tools.Severity{
		"error": tools.Error, "warning": tools.Warning, "info": tools.Information, "hint": tools.Hint,
	}[d.MinSeverity]}
}
