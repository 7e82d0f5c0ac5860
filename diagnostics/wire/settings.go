package wire

import (
	"encoding/json"
	"strings"
)

// Section gives what a dotted path names in the settings, null when there is
// nothing; no path is all of them.
func Section(settings json.RawMessage, path string) json.RawMessage {
	if len(settings) == 0 {
		return json.RawMessage("null")
	}
	if path == "" {
		return settings
	}
	for _, key := range strings.Split(path, ".") {
		var m map[string]json.RawMessage
		if json.Unmarshal(settings, &m) != nil || m[key] == nil {
			return json.RawMessage("null")
		}
		settings = m[key]
	}
	return settings
}
