package app

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// env looks variables up in a list of "KEY=value", the last one wins.
type env []string

func (e env) get(key string) string {
	for i := len(e) - 1; i >= 0; i-- {
		if len(e[i]) > len(key) && e[i][len(key)] == '=' && e[i][:len(key)] == key {
			return e[i][len(key)+1:]
		}
	}
	return ""
}

// stateDir is where threads, logs, trust and spilled output live.
func stateDir(e env) (string, error) {
	if d := e.get("COMPANION_STATE_DIR"); d != "" {
		return filepath.Abs(d)
	}
	switch runtime.GOOS {
	case "windows":
		if d := e.get("LocalAppData"); d != "" {
			return filepath.Join(d, "companion"), nil
		}
	case "darwin":
		if d := e.get("HOME"); d != "" {
			return filepath.Join(d, "Library", "Application Support", "companion"), nil
		}
	default:
		if d := e.get("XDG_STATE_HOME"); filepath.IsAbs(d) {
			return filepath.Join(d, "companion"), nil
		}
	}
	home := e.get("HOME")
	if home == "" {
		var err error
		if home, err = os.UserHomeDir(); err != nil {
			return "", fmt.Errorf("no state folder: set COMPANION_STATE_DIR or HOME: %w", err)
		}
	}
	return filepath.Join(home, ".local", "state", "companion"), nil
}

// configFile is the user's settings file; it need not exist.
func configFile(e env) string {
	if f := e.get("COMPANION_CONFIG"); f != "" {
		return f
	}
	dir := ""
	switch runtime.GOOS {
	case "windows":
		dir = e.get("AppData")
	case "darwin":
		if h := e.get("HOME"); h != "" {
			dir = filepath.Join(h, "Library", "Application Support")
		}
	default:
		if dir = e.get("XDG_CONFIG_HOME"); !filepath.IsAbs(dir) {
			dir = ""
			if h := e.get("HOME"); h != "" {
				dir = filepath.Join(h, ".config")
			}
		}
	}
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "companion", "config.jsonc")
}
