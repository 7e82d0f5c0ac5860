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

// Configuration answers workspace/configuration from the settings: a dotted
// section is a path into them, no section is all of them, nothing there is null.
func Configuration(settings, params json.RawMessage) json.RawMessage {
	var p struct {
		Items []struct {
			Section string `json:"section"`
		} `json:"items"`
	}
	if json.Unmarshal(params, &p) != nil {
		return json.RawMessage("[]")
	}
	out := make([]json.RawMessage, len(p.Items))
	for i, item := range p.Items {
		out[i] = Section(settings, item.Section)
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return json.RawMessage("[]")
	}
	return raw
}
