package proc

import (
	"path/filepath"
	"strings"
)

// Foreign names the system's shell where it is no kin of bash, so that nobody
// reads its lines as bash would; "" = it is.
func Foreign() string {
	if name := filepath.Base(shellCommand("", "", false).Path); strings.EqualFold(name, "cmd.exe") {
		return "cmd"
	}
	return ""
}
