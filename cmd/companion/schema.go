package main

import (
	"companion/internal/app"

	"github.com/spf13/cobra"
)

func schemaCmd(o *app.Options) *cobra.Command {
	settings := false
	cmd := &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of the wire protocol or of the settings",
		Long:    "Print the JSON Schema of every companion/* method; with --settings that of the\nsettings.\n" + exitCodes,
		Example: "  companion schema --settings",
		Args:    exactly(0, "no arguments"),
	}
	cmd.Flags().BoolVar(&settings, "settings", false, "print that of the settings")
	cmd.RunE = func(*cobra.Command, []string) error { return app.Schema(*o, settings) }
	return cmd
}
