package editortest

import (
	"path/filepath"
	"regexp"
	"strings"
)

var duration = regexp.MustCompile(`\b\d+(\.\d+)? ?(ms|s|µs)\b`)

// steady takes out of a text what differs from run to run: folders, durations.
func (w *world) steady(text string) string {
	pairs := []string{w.ws, "$W", w.state, "$STATE", w.dir, "$DIR", w.cfg.FakeLS[0], "$FAKELS"}
	if real, err := filepath.EvalSymlinks(w.dir); err == nil && real != w.dir {
		pairs = append(pairs, filepath.Join(real, "w"), "$W", filepath.Join(real, "state"), "$STATE", real, "$DIR")
	}
	text = strings.NewReplacer(pairs...).Replace(text)
	text = duration.ReplaceAllString(text, "N ms")
	return text
}
