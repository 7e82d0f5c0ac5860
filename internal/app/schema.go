package app

import (
	"fmt"

	"companion/config"
	"companion/lspbridge/schema"
)

// Schema prints the JSON Schema of the companion/* methods, or of the settings.
func Schema(o Options, settings bool) error {
	generate := schema.JSON
	if settings {
		generate = config.Schema
	}
	raw, err := generate()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.Out, "%s\n", raw)
	return err
}
