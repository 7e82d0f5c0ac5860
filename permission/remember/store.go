package remember

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"companion/permission"
)

// Store is a file of rules.
type Store struct {
	file string

	mu    sync.Mutex
	read  time.Time // change time of what is in rules
	size  int64
	rules map[string]permission.Rules // by root
}

// Open gives the store of a state folder; nothing is read or made yet.
func Open(state string) *Store { return &Store{file: filepath.Join(state, "permissions.json")} }

// Rules of a root, in the order in which they were given. A file that cannot be
// read holds none.
func (s *Store) Rules(root string) permission.Rules {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(); err != nil {
		return nil
	}
	return slices.Clone(s.rules[root])
}

// Add keeps rules for a root; those that are there stay as they are. Only
// allows with a pattern are taken.
func (s *Store) Add(root string, rules permission.Rules) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(); err != nil {
		return err
	}
	if s.rules == nil {
		s.rules = map[string]permission.Rules{}
	}
	for _, r := range rules {
		if r.Action != permission.Allow || r.Pattern == "" || r.Effect == "" {
			return fmt.Errorf("rule %+v is no allow with a pattern", r)
		}
		if !slices.Contains(s.rules[root], r) {
			s.rules[root] = append(s.rules[root], r)
		}
	}
	return s.save()
}

// load reads the file if it is another than the one read last. The caller holds
// mu.
func (s *Store) load() error {
	st, err := os.Stat(s.file)
	if errors.Is(err, fs.ErrNotExist) {
		s.rules, s.read, s.size = nil, time.Time{}, 0
		return nil
	}
	if err != nil {
		return err
	}
	if st.ModTime().Equal(s.read) && st.Size() == s.size {
		return nil
	}
	data, err := os.ReadFile(s.file)
	if err != nil {
		return err
	}
	var rules map[string]permission.Rules
	if err := json.Unmarshal(data, &rules); err != nil {
		return fmt.Errorf("%s: %w", s.file, err)
	}
	for root := range rules {
		rules[root] = slices.DeleteFunc(rules[root], func(r permission.Rule) bool { return r.Action != permission.Allow || r.Pattern == "" || r.Effect == "" })
	}
	s.rules, s.read, s.size = rules, st.ModTime(), st.Size()
	return nil
}

// save replaces the file, readable by its owner alone. The caller holds mu.
func (s *Store) save() error {
	data, err := json.MarshalIndent(s.rules, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.file), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(s.file), "permissions-*.tmp") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(append(data, '\n'))
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), s.file); err != nil {
		return err
	}
	s.read = time.Time{} // read again: the time is the file system's
	return s.load()
}
