package app

import (
	"context"
	"fmt"
	"path/filepath"

	"companion/agent"
	"companion/config"
	"companion/diagnostics"
	"companion/lspbridge"
	"companion/lspbridge/command"
	"companion/lspbridge/language"
	"companion/session"
	"companion/tools/nav"
	"companion/workspace"
)

// Serve speaks LSP on Options.In and Out until the editor ends it. It returns
// the exit code: 0 after shutdown, else 1.
func Serve(ctx context.Context, o Options) int {
	log, closeLog := logger(o.Env, o.Err)
	defer closeLog()
	state, err := stateDir(o.Env)
	if err != nil {
		fmt.Fprintf(o.Err, "companion: %v\n", err)
		return 1
	}
	server := lspbridge.New(lspbridge.Options{
		Version: number(), StateDir: state, ClientPID: o.ClientPID, Log: log,
		Build: func(ctx context.Context, in lspbridge.Init) (*lspbridge.Backend, error) {
			c, problems, err := newCore(setup{
				Options: o, roots: in.Roots, settings: in.Settings,
				trustAll: in.Trusted != nil && *in.Trusted,
				editor:   in.Editor, asker: in.Editor, questions: in.Lends, caller: in.Lends, models: in.Lends, secret: in.Lends.Secret, log: log,
				problems: func(ws *workspace.Workspace) diagnostics.Ask {
					return language.Diagnostics(in.Lends, ws, in.Encoding)
				},
				language: func(ws *workspace.Workspace, own *diagnostics.Service) nav.Servers {
					return language.New(language.Options{Editor: in.Lends, Workspace: ws, Encoding: in.Encoding, Own: own, Known: own.ToldByEditor})
				},
			})
			if err != nil {
				return nil, err
			}
			if in.Trusted != nil && !*in.Trusted {
				for _, r := range c.ws.Roots() {
					c.ws.SetReadOnly(r, true)
				}
			}
			b := c.backend(problems)
			b.Notices = repair(ctx, c.ws)
			return b, nil
		},
	})
	return server.Serve(ctx, o.In, o.Out)
}

// backend is the core as the bridge asks for it.
func (c *core) backend(problems []config.Problem) *lspbridge.Backend {
	return c.tier1(&lspbridge.Backend{
		Workspace: c.ws, Agent: bridgeAgent{c.agent}, Diagnostics: c.diag,
		Subscribe: c.agent.Subscribe,
		Configure: c.configure, Problems: sentences(problems),
		Untrusted: c.untrusted, Trust: c.trusted,
		SetRoots: func(_ context.Context, roots []string) error {
			if err := c.ws.SetRoots(roots); err != nil {
				return err
			}
			c.reload()
			c.diag.RootsChanged()
			return nil
		},
		Mode: c.mode, Status: c.status,
		Answers: func() string { return c.current().Answers },
		Close:   c.close,
	})
}

func (c *core) untrusted() []lspbridge.ProjectConfig {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []lspbridge.ProjectConfig
	for _, root := range c.skipped {
		p := lspbridge.ProjectConfig{Root: root}
		for _, f := range config.ProjectFiles() {
			p.Found = append(p.Found, filepath.FromSlash(f))
		}
		out = append(out, p)
	}
	return out
}

// bridgeAgent narrows the agent to what the bridge asks of it.
type bridgeAgent struct{ *agent.Agent }

func (b bridgeAgent) NewTurn(o agent.TurnOptions) (lspbridge.Turn, error) {
	t, err := b.Agent.NewTurn(o)
	if err != nil {
		return nil, err
	}
	return bridgeTurn{t}, nil
}

func (b bridgeAgent) Running() []command.Running {
	var out []command.Running
	for _, r := range b.Agent.Running() {
		out = append(out, command.Running{Thread: r.Thread, Turn: r.Turn})
	}
	return out
}

func (b bridgeAgent) Threads() ([]session.Info, error) { return b.Agent.Threads() }

type bridgeTurn struct{ *agent.Turn }

func (t bridgeTurn) Run(ctx context.Context) { t.Turn.Run(ctx) }
