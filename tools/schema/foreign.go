package schema

import (
	"encoding/json"
	"sync"
)

// Foreign is a schema from outside, made ready: normalised, known to compile,
// and compiled when it is first needed, since of many tools few are called. It
// is safe for concurrent use.
type Foreign struct {
	Text  json.RawMessage // normalised, compact
	ready func() (*Schema, error)
}

// ForArguments makes a schema of arguments ready; see Normalise.
func ForArguments(raw json.RawMessage) (*Foreign, error) { return foreign(raw, argumentsTree) }

// ForResults makes a schema of results ready; see NormaliseOutput.
func ForResults(raw json.RawMessage) (*Foreign, error) { return foreign(raw, resultsTree) }

func foreign(raw json.RawMessage, normalise func(json.RawMessage) (any, error)) (*Foreign, error) {
	tree, err := normalise(raw)
	if err != nil {
		return nil, err
	}
	f := &Foreign{Text: writeTree(tree)}
	f.ready = sync.OnceValues(func() (*Schema, error) { return Compile(f.Text) })
	if !sound(tree) {
		if _, err := f.ready(); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// Fit is that of Schema.
func (f *Foreign) Fit(args json.RawMessage) (json.RawMessage, error) {
	s, err := f.ready()
	if err != nil {
		return nil, &Misfit{"Its schema cannot be used: " + err.Error() + "."}
	}
	return s.Fit(args)
}

// Check is that of Schema.
func (f *Foreign) Check(value json.RawMessage) error {
	s, err := f.ready()
	if err != nil {
		return err
	}
	return s.Check(value)
}
