package transcript

import (
	"crypto/rand"
	"strings"
	"time"
)

// NewID is prefix and 40 random bits, in the alphabet of ids.
func NewID(prefix string) string { return prefix + strings.ToLower(rand.Text()[:8]) }

// NewThreadID is the id of a thread that begins now: by name in order of time.
func NewThreadID(now time.Time) string { return NewID("t" + now.UTC().Format("20060102-150405") + "-") }
