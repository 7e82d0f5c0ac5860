package wire

import (
	"encoding/json"
	"strings"
)

// maxVersion bounds what is shown of a version, in bytes.
const maxVersion = 60

// ShortVersion is what a person reads of a server's version. gopls tells all of
// its build as a JSON object, of which Main.Version or GoVersion is meant.
func ShortVersion(s string) string {
	var build struct {
		Version string
		Main    struct{ Version string }
	}
	if strings.HasPrefix(s, "{") && json.Unmarshal([]byte(s), &build) == nil {
		for _, v := range []string{build.Main.Version, build.Version} {
			if v != "" && v != "(devel)" {
				return v
			}
		}
		return ""
	}
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if len(s) > maxVersion {
		s = strings.ToValidUTF8(s[:maxVersion], "") + "…"
	}
	return s
}
