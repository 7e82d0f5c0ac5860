package preset

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Options are the initializationOptions for the server that command starts.
// typescript-language-server would run the TypeScript in the workspace's
// node_modules, which a repository can bring along: unless that is trusted, it
// is told to run the one installed beside itself, and an error says that there
// is none. Options that name a tsserver themselves stay.
func (p Preset) Options(w Where, command string) (json.RawMessage, error) {
	theirs := above(w.Root, w.inside)
	if w.Fake || !p.Profile.Tsserver || theirs == "" || w.Trusted != nil && w.Trusted(theirs) {
		return p.Init, nil
	}
	opt := map[string]any{}
	if len(p.Init) > 0 {
		if err := json.Unmarshal(p.Init, &opt); err != nil {
			return nil, fmt.Errorf("%s: initializationOptions: %w", p.Name, err)
		}
	}
	if opt["tsserver"] != nil {
		return p.Init, nil
	}
	if real, err := filepath.EvalSymlinks(command); err == nil {
		command = real
	}
	ours := above(filepath.Dir(command), func(path string) bool { return !w.inside(path) })
	if ours == "" {
		return nil, fmt.Errorf("%s: %s lies inside the workspace and is not run; install TypeScript outside: %s", p.Name, theirs, p.Install)
	}
	opt["tsserver"] = map[string]string{"path": ours}
	return json.Marshal(opt)
}

// above is the nearest tsserver upward from dir that may be taken, "" = none.
func above(dir string, take func(path string) bool) string {
	for {
		path := filepath.Join(dir, "node_modules", "typescript", "lib", "tsserver.js")
		if _, err := os.Stat(path); err == nil && take(path) {
			return path
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}
