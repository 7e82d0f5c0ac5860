// Command companion is a coding agent that editors start as a language server.
// This package holds the command line: flags and exit codes.
//
// Never: do what a room could do; write anything but frames to stdout in serve.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"companion/internal/app"

	"github.com/spf13/cobra"
)

// Exit codes of every subcommand.
const (
	exitDone    = 0   // completed
	exitFailed  = 1   // failed
	exitUsage   = 2   // the command line is wrong
	exitLimit   = 3   // a limit ended the turn
	exitStopped = 130 // stopped by a signal
)

const exitCodes = `
Exit codes: 0 completed, 1 failed, 2 wrong usage, 3 a limit ended the turn, 130 stopped.`

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is main inside a test.
func run(args []string, in io.Reader, out, errw io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	// A write to an editor that is gone is an error, from which the end is
	// orderly; as a signal it would leave the children behind.
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	defer signal.Stop(pipes)
	code := exitDone
	root := newRoot(&app.Options{Env: os.Environ(), In: in, Out: out, Err: errw}, &code)
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errw)
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintf(errw, "companion: %v\n", err)
		if use := (*usageError)(nil); errors.As(err, &use) || strings.HasPrefix(err.Error(), "unknown command") {
			fmt.Fprintln(errw, `Run "companion help" for the commands.`)
			return exitUsage
		}
		return exitFailed
	}
	if ctx.Err() != nil && code != exitDone {
		return exitStopped
	}
	return code
}

// usageError is a wrong command line.
type usageError struct{ error }

func usage(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

func newRoot(o *app.Options, code *int) *cobra.Command {
	root := &cobra.Command{
		Use:   "companion",
		Short: "A coding agent that lives in your editor, as a language server",
		Long: `companion is started by an editor as a language server (companion serve); its
code actions and commands start turns of a coding agent. The same agent runs
headless: companion run, companion fix.`,
		Example:       "  companion fix main.go",
		SilenceErrors: true, SilenceUsage: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("unknown command %q", args[0])
			}
			return nil
		},
	}
	// Editors start servers as "companion --stdio", some add their own process.
	stdio := root.Flags().Bool("stdio", false, "serve on stdin and stdout")
	pid := root.Flags().Int("clientProcessId", 0, "end when this process ends")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if !*stdio {
			return cmd.Help()
		}
		o.ClientPID = *pid
		*code = app.Serve(cmd.Context(), *o)
		return nil
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usage("%s: %w", cmd.CommandPath(), err) })
	root.CompletionOptions.HiddenDefaultCmd = true
	for _, sub := range []*cobra.Command{
		serveCmd(o, code), runCmd(o, code), fixCmd(o, code), demoCmd(o, code), applyPatchCmd(o, code),
		toolsCmd(o), threadsCmd(o), doctorCmd(o, code), schemaCmd(o), versionCmd(o),
	} {
		root.AddCommand(sub)
	}
	return root
}

// exactly refuses other numbers of arguments as wrong usage.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usage("%s takes %s, not %d arguments", cmd.CommandPath(), what, len(args))
		}
		return nil
	}
}
