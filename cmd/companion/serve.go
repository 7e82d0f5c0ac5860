package main

import (
	"companion/internal/app"

	"github.com/spf13/cobra"
)

func serveCmd(o *app.Options, code *int) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "serve",
		Short:   "Serve an editor on stdin and stdout",
		Long:    "Serve an editor on stdin and stdout, as editors start it. Logs go to stderr and to\nthe file that COMPANION_LOG names.\n\nExit codes: 0 after shutdown and exit, 1 when the editor went without them, 2 wrong usage.",
		Example: "  companion serve --stdio",
		Args:    exactly(0, "no arguments"),
	}
	cmd.Flags().Bool("stdio", true, "taken for editors that give it; there is no other way")
	cmd.Flags().IntVar(&o.ClientPID, "clientProcessId", 0, "end when this process ends")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		*code = app.Serve(cmd.Context(), *o)
		return nil
	}
	return cmd
}
