package editortest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"companion/internal/editortest/line"

	"github.com/rogpeppe/go-internal/txtar"
)

// Scenario is one parsed file.
type Scenario struct {
	File     string // where it was read
	Rule     string // the prose
	Script   []line.Line
	Head     line.Head
	Turns    []json.RawMessage // model/N in order
	LSP      string            // "" = no server
	Settings json.RawMessage
	Editor   string
	Files    map[string]string // workspace, by slash path
	Want     map[string]string
	archive  *txtar.Archive
	listener *listener // nil = the scenario does not speak of $LISTENER
}

// Parse reads a scenario.
func Parse(file string) (*Scenario, error) {
	a, err := txtar.ParseFile(file)
	if err != nil {
		return nil, err
	}
	s := &Scenario{
		File: file, archive: a, Rule: strings.TrimSpace(string(a.Comment)),
		Files: map[string]string{}, Want: map[string]string{}, Settings: json.RawMessage("{}"),
	}
	if s.Rule == "" {
		return nil, fmt.Errorf("%s: the first paragraph must state the rule", file)
	}
	turns := map[string]json.RawMessage{}
	for _, f := range a.Files {
		data := string(f.Data)
		switch {
		case f.Name == "script":
			if s.Script, err = line.Parse(data); err != nil {
				return nil, fmt.Errorf("%s: script: %w", file, err)
			}
		case f.Name == "lsp":
			s.LSP = data
		case f.Name == "editor":
			s.Editor = data
		case f.Name == "settings":
			s.Settings = f.Data
		case strings.HasPrefix(f.Name, "model/"):
			if !json.Valid(f.Data) {
				return nil, fmt.Errorf("%s: %s is no JSON", file, f.Name)
			}
			turns[strings.TrimPrefix(f.Name, "model/")] = bytes.TrimSpace(f.Data)
		case strings.HasPrefix(f.Name, "want/"):
			s.Want[strings.TrimPrefix(f.Name, "want/")] = data
		default:
			s.Files[f.Name] = reveal(data)
		}
	}
	for i := 1; len(turns) > 0; i++ {
		t, ok := turns[fmt.Sprint(i)]
		if !ok {
			return nil, fmt.Errorf("%s: model/%d is missing", file, i)
		}
		delete(turns, fmt.Sprint(i))
		s.Turns = append(s.Turns, t)
	}
	s.Script = s.Head.Take(s.Script)
	if len(s.Script) == 0 {
		return nil, fmt.Errorf("%s: no script", file)
	}
	return s, nil
}

// write puts the workspace on disk.
func (s *Scenario) write(dir string) error {
	for name, text := range s.Files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		mode := os.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			return err
		}
	}
	return nil
}

// update rewrites the goldens that changed; new ones go to the end.
func (s *Scenario) update(got map[string]string) error {
	var names []string
	for n := range got {
		names = append(names, n)
	}
	sort.Strings(names)
	changed := false
	for _, n := range names {
		found := false
		for i, f := range s.archive.Files {
			if f.Name == "want/"+n {
				found = true
				changed = changed || string(f.Data) != got[n]
				s.archive.Files[i].Data = []byte(got[n])
			}
		}
		if !found {
			changed = true
			s.archive.Files = append(s.archive.Files, txtar.File{Name: "want/" + n, Data: []byte(got[n])})
		}
	}
	if !changed {
		return nil
	}
	return os.WriteFile(s.File, txtar.Format(s.archive), 0o644)
}

// reveal makes bytes of what a txtar file can show; show is its inverse.
func reveal(s string) string {
	s = strings.TrimSuffix(s, "⊘\n")
	return strings.ReplaceAll(s, "␍", "\r")
}

func show(s string) string {
	s = strings.ReplaceAll(s, "\r", "␍")
	if !strings.HasSuffix(s, "\n") {
		s += "⊘\n"
	}
	return s
}
