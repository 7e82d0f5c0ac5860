package notebook

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Notebook is one file, as far as it is understood (nbformat 4).
type Notebook struct {
	Language string // of its code, "" = not said
	Cells    []Cell
}

// Cell is one cell.
type Cell struct {
	ID      string // "" where the notebook has none
	Type    string // "code", "markdown", "raw"
	Source  string
	Run     int // number of its last run, 0 = none
	Outputs []Output
}

// Output is one output of a code cell.
type Output struct {
	Kind  string // "stdout", "stderr", "result", "display", "error"
	Text  string // "" where it has only pictures and such
	Other []string
}

// Is tells whether a file is a notebook by its name.
func Is(path string) bool { return strings.EqualFold(filepath.Ext(path), ".ipynb") }

// ErrNone is what a text gets that is no notebook.
var ErrNone = errors.New("not a Jupyter notebook of format 4")

// lines is a string, or a list of them, as nbformat writes texts.
type lines string

// UnmarshalJSON takes either; JSON of its own, such as a plot's, stays that.
func (l *lines) UnmarshalJSON(b []byte) error {
	var list []string
	if json.Unmarshal(b, &list) == nil {
		*l = lines(strings.Join(list, ""))
		return nil
	}
	var one string
	if json.Unmarshal(b, &one) != nil {
		one = string(b)
	}
	*l = lines(one)
	return nil
}

type file struct {
	Cells  *[]cell `json:"cells"`
	Format int     `json:"nbformat"`
	Meta   struct {
		Kernel struct {
			Language string `json:"language"`
		} `json:"kernelspec"`
		Language struct {
			Name string `json:"name"`
		} `json:"language_info"`
	} `json:"metadata"`
}

type cell struct {
	ID      string   `json:"id"`
	Type    string   `json:"cell_type"`
	Source  lines    `json:"source"`
	Run     *int     `json:"execution_count"`
	Outputs []output `json:"outputs"`
}

type output struct {
	Type      string           `json:"output_type"`
	Name      string           `json:"name"`
	Text      lines            `json:"text"`
	Data      map[string]lines `json:"data"`
	Error     string           `json:"ename"`
	Value     string           `json:"evalue"`
	Traceback []string         `json:"traceback"`
}

// Parse reads the text of a notebook file.
func Parse(text string) (*Notebook, error) {
	var f file
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	if f.Cells == nil || f.Format != 0 && f.Format != 4 {
		return nil, ErrNone
	}
	n := &Notebook{Language: f.Meta.Language.Name}
	if n.Language == "" {
		n.Language = f.Meta.Kernel.Language
	}
	for _, r := range *f.Cells {
		c := Cell{ID: r.ID, Type: r.Type, Source: string(r.Source)}
		if r.Run != nil {
			c.Run = *r.Run
		}
		for _, o := range r.Outputs {
			c.Outputs = append(c.Outputs, o.words())
		}
		n.Cells = append(n.Cells, c)
	}
	return n, nil
}

func (o output) words() Output {
	out := Output{Kind: o.Name, Text: string(o.Text)}
	switch o.Type {
	case "execute_result":
		out.Kind = "result"
	case "display_data":
		out.Kind = "display"
	case "error":
		out.Kind = "error"
		out.Text = strings.Join(o.Traceback, "\n")
		if out.Text == "" {
			out.Text = o.Error + ": " + o.Value
		}
	}
	if out.Kind == "" {
		out.Kind = o.Type
	}
	data(&out, o.Data)
	return out
}
