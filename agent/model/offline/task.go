package offline

import (
	pathpkg "path"
	"regexp"
	"slices"
	"strings"
)

// task is what the person asked for.
type task struct {
	free    bool                // a question, or work that is no fixing
	files   []string            // none = whatever the project has
	targets map[string][]string // path → messages to fix; absent = all
	mild    bool                // infos or hints are among them
}

var (
	fixThese  = regexp.MustCompile(`^Fix these diagnostics in (.+):$`)
	fixIn     = regexp.MustCompile(`^Fix (?:the|all) (?:problems|diagnostics|errors) in:? (.+)$`)
	fileLine  = regexp.MustCompile(`^File: (.+)$`)
	selection = regexp.MustCompile(`^Selection in (.+?)(?: \d+:\d+-\d+:\d+)?:?$`)
	fixVerb   = regexp.MustCompile(`(?i)\b(fix|repair|mend|correct|resolve|clean\s+up|organi[sz]e)\b`)
	fixNoun   = regexp.MustCompile(`(?i)\b(problems?|errors?|diagnostics?|warnings?|issues?|imports?|lints?|builds?|everything|all|this file)\b`)
)

// readTask understands the forms that companion itself writes, and a person's
// plain wish to have problems fixed.
func readTask(said string) task {
	t := task{targets: map[string][]string{}}
	asked := false
	for line := range strings.Lines(said) {
		line = strings.TrimRight(line, "\r\n")
		if m := fixThese.FindStringSubmatch(line); m != nil {
			asked = true
			t.add(m[1])
		} else if m := fixIn.FindStringSubmatch(line); m != nil {
			asked = true
			for _, path := range strings.Split(strings.TrimSuffix(m[1], "."), ", ") {
				t.add(path)
			}
		} else if m := fileLine.FindStringSubmatch(line); m != nil {
			t.add(m[1])
		} else if m := selection.FindStringSubmatch(line); m != nil {
			t.add(m[1])
		}
	}
	for _, p := range problems(said) {
		if asked {
			t.add(p.path)
			t.targets[p.path] = append(t.targets[p.path], p.message)
			t.mild = t.mild || p.severity == "info" || p.severity == "hint"
		}
	}
	t.free = !asked && !(fixVerb.MatchString(said) && fixNoun.MatchString(said))
	return t
}

func (t *task) add(path string) {
	path = strings.TrimSpace(path)
	if path != "" {
		path = pathpkg.Clean(path) // as the tools print it
	}
	if path != "" && !slices.Contains(t.files, path) {
		t.files = append(t.files, path)
	}
}

// wants tells whether a problem is to be fixed: those that were named, else
// every error and warning.
func (t *task) wants(p problem) bool {
	if named, ok := t.targets[p.path]; ok {
		return slices.Contains(named, p.message)
	}
	return p.severity == "error" || p.severity == "warning"
}
