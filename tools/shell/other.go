package shell

import (
	"path/filepath"
	"strings"
)

// otherShell names the shell that gets a line where it is no kin of bash, so that
// the policy does not read the line as bash would; "" = it is.
func otherShell() string {
	if name := filepath.Base(shellCommand("").Path); strings.EqualFold(name, "cmd.exe") {
		return "cmd"
	}
	return ""
}
