package foreign

import (
	"encoding/json"
	"sync"

	"companion/tools/schema"
)

// Schema is a schema from outside, made ready: normalised, known to compile,
// and compiled when it is first needed, since of many tools few are called. It
// is safe for concurrent use.
type Schema struct {
	Text  json.RawMessage // normalised, compact
	ready func() (*schema.Schema, error)
}

// Arguments makes a schema of arguments ready; see Normalise.
func Arguments(raw json.RawMessage) (*Schema, error) { return ready(raw, argumentsTree) }

// Results makes a schema of results ready; see NormaliseOutput.
func Results(raw json.RawMessage) (*Schema, error) { return ready(raw, resultsTree) }

func ready(raw json.RawMessage, normalise func(json.RawMessage) (any, error)) (*Schema, error) {
	tree, err := normalise(raw)
	if err != nil {
		return nil, err
	}
	f := &Schema{Text: writeTree(tree)}
	f.ready = sync.OnceValues(func() (*schema.Schema, error) { return schema.Compile(f.Text) })
	if !sound(tree) {
		if _, err := f.ready(); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// Fit is that of schema.Schema.
func (f *Schema) Fit(args json.RawMessage) (json.RawMessage, error) {
	s, err := f.ready()
	if err != nil {
		return nil, &schema.Misfit{Text: "Its schema cannot be used: " + err.Error() + "."}
	}
	return s.Fit(args)
}

// Check is that of schema.Schema.
func (f *Schema) Check(value json.RawMessage) error {
	s, err := f.ready()
	if err != nil {
		return err
	}
	return s.Check(value)
}
