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
func Hash(root string) string { return ReadProject(root).Hash() }

// Project is the configuration of one root as it was read at one time, so that
// what is judged is what is taken.
type Project struct{ Files []ProjectFile }

// ProjectFile is one of ProjectFiles.
type ProjectFile struct {
	Name string // from the root, with slashes
	Data []byte
	Err  error // why it could not be read; fs.ErrNotExist where there is none
}

// ReadProject reads the root's configuration files, each once.
func ReadProject(root string) Project {
	var p Project
	for _, f := range ProjectFiles() {
		data, err := readFile(filepath.Join(root, filepath.FromSlash(f)))
		p.Files = append(p.Files, ProjectFile{f, data, err})
	}
	return p
}

// Hash is that of the function Hash, over what was read.
func (p Project) Hash() string {
	h := sha256.New()
	for _, f := range p.Files {
		fmt.Fprintf(h, "%s %v %d\n", f.Name, f.Err == nil, len(f.Data))
		h.Write(f.Data)
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
		return nil, errors.New("is no regular file")
	case st.Size() > maxSize:
		return nil, fmt.Errorf("is larger than %d bytes", maxSize)
	}
	return os.ReadFile(name)
}

// Trusted tells whether the root was trusted with its present content. Who then
// takes the content asks TrustedAs: it may change in between.
func (t *Trust) Trusted(root string) bool { return t.TrustedAs(root, ReadProject(root)) }

// TrustedAs tells whether the root was trusted with the content that was read.
func (t *Trust) TrustedAs(root string, p Project) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	m, err := t.load()
	return err == nil && m[root] != "" && m[root] == p.Hash()
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
