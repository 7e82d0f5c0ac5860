package main

import (
	"fmt"
	"io"
	"strings"

	"companion/internal/app"

	"github.com/spf13/cobra"
)

// maxPrompt is the most bytes of a prompt on stdin.
const maxPrompt = 4 << 20

func runCmd(o *app.Options, code *int) *cobra.Command {
	h := app.Headless{}
	cmd := &cobra.Command{
		Use:   "run [flags] PROMPT",
		Short: "Run one turn without an editor",
		Long: `Run one turn without an editor. PROMPT "-" is read from stdin. The answer goes to
stdout, what the agent does to stderr; with --json stdout has one event a line.
What no rule allows is rejected, since there is nobody to ask.
` + exitCodes,
		Example: `  companion run --model anthropic "why does TestParse fail?"`,
		Args:    exactly(1, "one PROMPT"),
	}
	headlessFlags(cmd, &h)
	cmd.Flags().StringVar(&h.Resume, "resume", "", "go on with this thread")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		h.Prompt = args[0]
		if args[0] == "-" {
			data, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), maxPrompt+1))
			if err != nil {
				return fmt.Errorf("reading the prompt from stdin: %w", err)
			}
			if len(data) > maxPrompt {
				return usage("the prompt on stdin is longer than %d bytes", maxPrompt)
			}
			h.Prompt = string(data)
		}
		if strings.TrimSpace(h.Prompt) == "" {
			return usage("the prompt is empty")
		}
		var err error
		*code, err = app.Run(cmd.Context(), *o, h)
		return wrap(err)
	}
	return cmd
}

func fixCmd(o *app.Options, code *int) *cobra.Command {
	h := app.Headless{}
	cmd := &cobra.Command{
		Use:   "fix [flags] PATH…",
		Short: "Fix what the language servers say of files",
		Long: `Fix what the language servers say of files. Without a model companion takes quick
fixes of the language servers that are the preferred or the only one, and keeps
one only if errors fell and none is new.
` + exitCodes,
		Example: "  companion fix main.go server.go",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("%s takes at least one PATH", cmd.CommandPath())
			}
			return nil
		},
	}
	headlessFlags(cmd, &h)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var err error
		*code, err = app.Fix(cmd.Context(), *o, h, args)
		return wrap(err)
	}
	return cmd
}

func headlessFlags(cmd *cobra.Command, h *app.Headless) {
	f := cmd.Flags()
	f.BoolVar(&h.JSON, "json", false, "print events, one JSON object a line")
	f.BoolVar(&h.Deltas, "deltas", false, "with --json: print deltas too")
	f.StringVar(&h.Mode, "mode", "", "ask, plan, edit, agent or full (default: the setting companion.mode)")
	f.StringVar(&h.Model, "model", "", "provider/model (default: COMPANION_MODEL, then the setting companion.model)")
	f.StringVar(&h.Cwd, "cwd", "", "the project's folder (default: the current one)")
	f.BoolVar(&h.Trust, "trust", false, "trust this folder's .companion configuration for this run")
}

// wrap tells wrong usage that only app can see apart from failures.
func wrap(err error) error {
	if app.IsUsage(err) {
		return &usageError{err}
	}
	return err
}
