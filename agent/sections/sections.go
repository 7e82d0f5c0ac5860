package sections

import (
	"context"
	"fmt"

	"companion/agent/prompt"
	"companion/tools"
)

// A Provider gives what a step should know besides the talk. Section is
// appended to the transcript when its text differs from the last one sent.
type Provider interface {
	Name() string
	Section(ctx context.Context, v View) (string, error)
}

// View is what providers may read of a thread.
type View struct {
	ID     string
	Roots  []string
	Mode   tools.Mode
	Editor EditorState
	// Message is the newest text of the person, "" before there was one.
	Message string
	// Box is what the next step sees of tools; nil where that is not known.
	Box *tools.Box
	// Touched are canonical paths that the thread has read or changed, newest
	// last, at most 50.
	Touched []string
	// Plan is the thread's plan in words, where the model is not sent it in any
	// other form; "" = it is, or there is none.
	Plan string
}

// EditorState is what the editor last said of itself. Paths are absolute.
type EditorState struct {
	Active    string
	Selection string // "12:1-14:5", 1-based
	Tabs      []Tab
}

// Tab of the editor.
type Tab struct {
	Path     string
	IsActive bool
	IsDirty  bool
}

// Changed are the sections whose text is not the one that was sent last, by
// name of the provider in their order. last is what was sent; it is not
// changed. warn hears what a provider could not tell, unless ctx has ended.
func Changed(ctx context.Context, list []Provider, v View, last map[string]string, warn func(error), tell func(name, text string)) {
	for _, p := range list {
		name := p.Name()
		text, err := p.Section(ctx, v)
		if err != nil {
			if ctx.Err() == nil {
				warn(fmt.Errorf("%s: %w", name, err))
			}
			continue
		}
		before := last[name]
		if wrapped := prompt.Section(name, text, before != ""); wrapped != before {
			tell(name, wrapped)
		}
	}
}
