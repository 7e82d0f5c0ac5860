package workspace

import "context"

// Repair takes back the sets of changes in the middle of which a process died,
// and says in sentences what it found. It is for the start of a program, before
// anything reads files.
func (w *Workspace) Repair(ctx context.Context) (told []string, err error) {
	return w.intents.Told(ctx)
}

// intend writes down what the steps are about to do, until complete is called.
// Where that cannot be, a crash may leave the set half made.
func (w *Workspace) intend(label string, steps []*step) (complete func()) {
	w.mu.Lock()
	editor := w.editor
	w.mu.Unlock()
	set := w.intents.Set()
	for _, s := range steps {
		switch {
		case set == nil || s.Kind == Modify && s.After == s.Before:
		case s.now.Open || editor != nil && s.asks(editor):
			set.Buffer(s.file.Path)
		case s.Kind == Delete:
			set.Remove(w.spot(s.file), s.disk)
		default:
			next, err := s.bytes()
			if err != nil {
				continue // fails when it is run, before it changes anything
			}
			old := s.disk
			if s.Kind == Rename {
				set.Remove(w.spot(s.source), s.disk)
				old.Exists, old.Bytes, old.Info = false, nil, nil
			}
			s.temp = set.Put(w.spot(s.file), old, next)
		}
	}
	lazy, complete := set.Begin(label, w.log)
	for _, s := range steps {
		s.lazy = lazy
	}
	return complete
}
