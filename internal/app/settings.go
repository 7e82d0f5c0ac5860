package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"companion/config"
)

// maxSettings is the most bytes of a settings file that are read.
const maxSettings = 4 << 20

// layers collects what holds for roots: the user's file, the project's files of
// trusted roots, what the editor sent. Skipped names the roots whose project
// configuration was left out for want of trust; trusted judges what is taken.
func layers(e env, roots []string, trusted func(root string, p config.Project) bool, editor ...[]byte) (list []config.Layer, skipped []string, problems []config.Problem) {
	if file := configFile(e); file != "" {
		l, err := fileLayer(file)
		if err != nil {
			problems = append(problems, config.Problem{Layer: file, Text: err.Error()})
		}
		list = append(list, l)
	}
	for _, root := range roots {
		if !config.HasProject(root) {
			continue
		}
		project := config.ReadProject(root)
		if !trusted(root, project) {
			skipped = append(skipped, root)
			continue
		}
		for _, f := range project.Files {
			l := config.Layer{Name: filepath.Join(root, filepath.FromSlash(f.Name)), Data: f.Data}
			if f.Err != nil && !errors.Is(f.Err, fs.ErrNotExist) {
				problems = append(problems, config.Problem{Layer: l.Name, Text: f.Err.Error()})
			}
			list = append(list, l)
		}
	}
	for i, data := range editor {
		name := "initializationOptions.settings"
		if i > 0 {
			name = "workspace/configuration"
		}
		list = append(list, config.Layer{Name: name, Data: data, Section: true})
	}
	return list, skipped, problems
}

func fileLayer(file string) (config.Layer, error) {
	l := config.Layer{Name: file}
	st, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return l, nil
	case err != nil:
		return l, err
	case st.Mode()&fs.ModeCharDevice != 0:
		return l, nil // os.DevNull: no settings
	case !st.Mode().IsRegular():
		return l, fmt.Errorf("is no file")
	case st.Size() > maxSettings:
		return l, fmt.Errorf("is larger than %d bytes", maxSettings)
	}
	l.Data, err = os.ReadFile(file)
	return l, err
}
