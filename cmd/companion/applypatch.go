package main

import (
	"fmt"
	"io"

	"companion/internal/app"

	"github.com/spf13/cobra"
)

// maxPatch is the most bytes of a patch on stdin.
const maxPatch = 256 << 20

func applyPatchCmd(o *app.Options, code *int) *cobra.Command {
	var dir string
	var overwrite bool
	cmd := &cobra.Command{
		Use:   "apply-patch [flags] [PATCH]",
		Short: "Apply a patch of the form *** Begin Patch",
		Long: `Apply a patch as models write it (*** Begin Patch … *** End Patch), from stdin or
as the one argument, to files below a folder. All of it is made or nothing, also
where the process is killed in the middle: the next start takes back what is half
made. Changed files are listed on stdout, A for added, M for modified or moved, D
for deleted; why nothing was changed stands on stderr.
` + exitCodes,
		Example: "  companion apply-patch --dir ~/project < fix.patch",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("%s takes one PATCH, not %d arguments", cmd.CommandPath(), len(args))
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "the folder that paths start from (default: the current one)")
	cmd.Flags().BoolVar(&overwrite, "overwrite", false, "let new and moved files replace files that are there")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			data, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), maxPatch+1))
			if err != nil {
				return fmt.Errorf("reading the patch from stdin: %w", err)
			}
			if len(data) > maxPatch {
				return usage("the patch on stdin is longer than %d bytes", maxPatch)
			}
			args = []string{string(data)}
		}
		var err error
		*code, err = app.ApplyPatch(cmd.Context(), *o, dir, args[0], overwrite)
		return wrap(err)
	}
	return cmd
}
