package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"companion/agent"
	"companion/lspbridge/wire"
	"companion/session"
	"companion/tools"
)

// Headless is one turn without an editor.
type Headless struct {
	Prompt, Mode, Model, Cwd, Resume string
	JSON, Deltas, Trust              bool
}

// closeTime is how long the end of a headless run may take.
const closeTime = 3 * time.Second

// Exit codes by a turn's status (docs/protocol.md, The command line).
func exitCode(status string) int {
	switch status {
	case agent.Completed:
		return 0
	case agent.Limit:
		return 3
	case agent.Stopped:
		return 130
	}
	return 1
}

// Run runs the prompt as one turn and returns the exit code.
func Run(ctx context.Context, o Options, h Headless) (int, error) {
	return headless(ctx, o, h, []session.Input{{Type: "text", Text: h.Prompt}})
}

// Fix fixes what language servers say of the files.
func Fix(ctx context.Context, o Options, h Headless, paths []string) (int, error) {
	root, err := folder(h.Cwd)
	if err != nil {
		return 0, err
	}
	var rels []string
	for _, p := range paths {
		abs := p
		if !filepath.IsAbs(p) {
			abs = filepath.Join(root, p)
		}
		st, err := os.Stat(abs)
		switch {
		case err != nil:
			return 0, usageError{fmt.Errorf("%s: no such file in %s", p, root)}
		case st.IsDir():
			return 0, usageError{fmt.Errorf("%s is a folder: name the files to fix", p)}
		case !st.Mode().IsRegular():
			return 0, usageError{fmt.Errorf("%s is no regular file: it cannot be fixed", p)}
		}
		rel, err := filepath.Rel(root, abs)
		if err != nil || !filepath.IsLocal(rel) {
			return 0, usageError{fmt.Errorf("%s lies outside %s: name its project's folder with --cwd", p, root)}
		}
		rels = append(rels, filepath.ToSlash(rel))
	}
	a := newAsked(root, rels)
	input := []session.Input{{Type: "text", Text: "Fix the problems in: " + strings.Join(rels, ", ")}}
	code, err := headless(ctx, o, h, input, a.event)
	if bad := a.unknown(); code == 0 && err == nil && bad != "" {
		return 1, errors.New(bad)
	}
	return code, err
}

// headless runs one turn; more hear its events too.
func headless(ctx context.Context, o Options, h Headless, input []session.Input, more ...func(session.Event)) (int, error) {
	root, err := folder(h.Cwd)
	if err != nil {
		return 0, err
	}
	mode, err := parseMode(h.Mode)
	if err != nil {
		return 0, err
	}
	log, closeLog := logger(o.Env, io.Discard)
	defer closeLog()
	c, problems, err := newCore(setup{Options: o, roots: []string{root}, trustAll: h.Trust, log: log})
	if err != nil {
		return 0, err
	}
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
		defer cancel()
		_ = c.close(end)
	}()
	for _, s := range repair(ctx, c.ws) {
		fmt.Fprintf(o.Err, "companion: %s\n", s)
	}
	for _, p := range sentences(problems) {
		fmt.Fprintf(o.Err, "companion: settings: %s\n", p)
	}
	for _, r := range c.skipped {
		fmt.Fprintf(o.Err, "companion: %s is ignored: run with --trust if you trust this folder\n", filepath.Join(r, ".companion"))
	}
	if mode == "" && h.Resume == "" {
		mode = c.mode()
	}
	turn, err := c.agent.NewTurn(agent.TurnOptions{
		Thread: h.Resume, Roots: c.ws.Roots(), Input: input, Mode: mode, Model: h.Model,
	})
	if err != nil {
		return 1, err
	}
	p := &printer{out: o.Out, err: o.Err, json: h.JSON, deltas: h.Deltas}
	defer c.agent.Subscribe(p.event)()
	for _, hear := range more {
		defer c.agent.Subscribe(hear)()
	}
	outcome := turn.Run(ctx)
	if outcome.Error != "" && !h.JSON {
		fmt.Fprintf(o.Err, "companion: %s\n", outcome.Error)
	}
	if err := c.models.Unused(); err != nil && outcome.Status == agent.Completed {
		return 1, err
	}
	return exitCode(outcome.Status), p.failed
}

// folder is the project's folder, absolute.
func folder(cwd string) (string, error) {
	abs, err := filepath.Abs(cwd)
	if err != nil {
		return "", err
	}
	if st, err := os.Stat(abs); err != nil || !st.IsDir() {
		return "", usageError{fmt.Errorf("--cwd %s is no folder", cwd)}
	}
	return abs, nil
}

func parseMode(s string) (tools.Mode, error) {
	switch m := tools.Mode(s); m {
	case "", tools.ModeAsk, tools.ModePlan, tools.ModeEdit, tools.ModeAgent, tools.ModeFull:
		return m, nil
	}
	return "", usageError{fmt.Errorf("--mode %s: there are ask, plan, edit, agent and full", s)}
}

// printer shows events: as JSON lines, or for a person.
type printer struct {
	out, err     io.Writer
	json, deltas bool
	failed       error
}

func (p *printer) event(e session.Event) {
	if p.json {
		if !e.Type.Durable() && !p.deltas {
			return
		}
		line, err := wire.EncodeEvent(e)
		if err == nil {
			_, err = fmt.Fprintf(p.out, "%s\n", line)
		}
		if err != nil && p.failed == nil {
			p.failed = fmt.Errorf("writing events: %w", err)
		}
		return
	}
	switch e.Type {
	case session.MessageCompleted:
		fmt.Fprintln(p.out, strings.TrimRight(e.Text, "\n"))
	case session.ToolStarted:
		fmt.Fprintf(p.err, "· %s\n", e.Tool.Activity)
	case session.ToolCompleted:
		if e.End.Outcome != string(tools.OK) {
			fmt.Fprintf(p.err, "  %s: %s\n", e.End.Outcome, firstLine(e.End.Text))
		} else if e.End.Diff != "" {
			fmt.Fprint(p.err, e.End.Diff)
		}
	case session.Warned:
		fmt.Fprintf(p.err, "! %s\n", e.Message)
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
