package main

import (
	"fmt"

	"companion/internal/app"

	"github.com/spf13/cobra"
)

func demoCmd(o *app.Options, code *int) *cobra.Command {
	keep := false
	cmd := &cobra.Command{
		Use:     "demo",
		Short:   "Show the main job on a small broken Go module, with no key",
		Long:    "Show the main job: a small Go module that does not build is opened in an editor,\nthe code action \"Fix all N with Companion\" is run, and the module builds. Needs Go\nand gopls.\n" + exitCodes,
		Example: "  companion demo",
		Args:    exactly(0, "no arguments"),
	}
	cmd.Flags().BoolVar(&keep, "keep", false, "leave the module's folder")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return app.Demo(cmd.Context(), *o, keep)
	}
	_ = code
	return cmd
}

func toolsCmd(o *app.Options) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:     "tools",
		Short:   "List the tools that a model is given",
		Long:    "List the tools that a model is given, with their descriptions; with --json with\ntheir schemas.\n" + exitCodes,
		Example: "  companion tools --json",
		Args:    exactly(0, "no arguments"),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return app.Tools(*o, asJSON) }
	return cmd
}

func threadsCmd(o *app.Options) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:     "threads",
		Short:   "List the threads on this machine, newest first",
		Long:    "List the threads on this machine, newest first. companion run --resume THREAD goes\non with one.\n" + exitCodes,
		Example: "  companion threads",
		Args:    exactly(0, "no arguments"),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return app.Threads(*o, asJSON) }
	return cmd
}

func doctorCmd(o *app.Options, code *int) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "doctor",
		Short:   "Say what was found and what is missing",
		Long:    "Say which settings, model and language servers were found, whether they answer,\nand how to get what is missing.\n\nExit codes: 0 all that is needed is there, 1 something is wrong, 2 wrong usage.",
		Example: "  companion doctor",
		Args:    exactly(0, "no arguments"),
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ok, err := app.Doctor(cmd.Context(), *o)
		if !ok {
			*code = exitFailed
		}
		return err
	}
	return cmd
}

func versionCmd(o *app.Options) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "Print the version, the protocol's number, the Go release and the platform.\n" + exitCodes,
		Example: "  companion version",
		Args:    exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(o.Out, app.Version())
			return err
		},
	}
}
