package prompt

import (
	"embed"
	"strings"

	"companion/tools"
)

//go:embed instructions/*.md
var instructionFiles embed.FS

// Instructions are the base instructions of a thread that began in mode. They
// stay the same when the mode changes later: the mode's section tells that.
func Instructions(mode tools.Mode, parallelCalls bool) string {
	parts := []string{part("base"), part("mode-" + string(mode))}
	if parallelCalls {
		parts = append(parts, part("parallel"))
	} else {
		parts = append(parts, part("serial"))
	}
	return strings.Join(parts, "\n\n")
}

func part(name string) string {
	b, err := instructionFiles.ReadFile("instructions/" + name + ".md")
	if err != nil { // a mode without a file of its own
		b, _ = instructionFiles.ReadFile("instructions/mode-agent.md")
	}
	return strings.TrimSpace(string(b))
}

// Offline are the base instructions where no model reads them.
func Offline() string { return part("offline") }
