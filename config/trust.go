package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Trust remembers which roots the user trusted, with the hash of the project
// configuration that they trusted. Changed content is untrusted again.
type Trust struct {
	file string // in the state folder
	mu   sync.Mutex
}

// NewTrust keeps its memory in dir/trust.json (0600).
func NewTrust(dir string) *Trust { return &Trust{file: filepath.Join(dir, "trust.json")} }

// ProjectFiles are the files of a root whose content is configuration, from the root.
func ProjectFiles() []string { return []string{".companion/config.jsonc"} }

// HasProject tells whether the root carries any configuration of companion.
func HasProject(root string) bool {
	for _, f := range ProjectFiles() {
		if st, err := os.Lstat(filepath.Join(root, f)); err == nil && !st.IsDir() {
			return true
		}
	}
	return false
}

// Hash is over the root's configuration files, missing ones included. What is
// no regular file, or larger than maxSize, counts as one that cannot be read.
func Hash(root string) string {
	h := sha256.New()
	for _, f := range ProjectFiles() {
		data, err := readFile(filepath.Join(root, f))
		fmt.Fprintf(h, "%s %v %d\n", f, err == nil, len(data))
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// maxSize of a settings file, in bytes.
const maxSize = 4 << 20

// readFile never waits or reads without end, whatever a repository put there.
func readFile(name string) ([]byte, error) {
	switch st, err := os.Stat(name); {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("%s: is no regular file", name)
	case st.Size() > maxSize:
		return nil, fmt.Errorf("%s: %d bytes, at most %d are read", name, st.Size(), maxSize)
	}
	return os.ReadFile(name)
}

// Trusted tells whether the root was trusted with its present content.
func (t *Trust) Trusted(root string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	m, err := t.load()
	return err == nil && m[root] != "" && m[root] == Hash(root)
}

// Set remembers or forgets a root.
func (t *Trust) Set(root string, trusted bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	m, err := t.load()
	if err != nil {
		return err
	}
	if trusted {
		m[root] = Hash(root)
	} else {
		delete(m, root)
	}
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(t.file), 0o700); err != nil {
		return err
	}
	tmp := t.file + ".new"
	if err := os.WriteFile(tmp, data, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, t.file)
}

func (t *Trust) load() (map[string]string, error) {
	data, err := os.ReadFile(t.file)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, err
	}
	m := map[string]string{}
	if err := json.Unmarshal(data, &m); err != nil {
		return map[string]string{}, nil // torn: nobody is trusted
	}
	return m, nil
}
