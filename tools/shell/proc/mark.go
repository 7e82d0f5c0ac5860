package proc

import "crypto/rand"

// newMark is a variable by which descendants are known.
func newMark() string { return "COMPANION_CALL=" + rand.Text() }
