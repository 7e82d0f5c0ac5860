package proc

import (
	"os/exec"

	"github.com/sourcegraph/conc"
)

// watchdog does nothing here.
type watchdog struct{}

func watch(*conc.WaitGroup, string) *watchdog { return nil }

func (*watchdog) guard(*exec.Cmd) {}

func (*watchdog) dismiss() {}
