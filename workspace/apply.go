package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"companion/text"
	"companion/workspace/disk"
	"companion/workspace/mirror"
	"companion/workspace/place"
)

// undoTime bounds the taking back of one file, also after ctx has ended.
const undoTime = 30 * time.Second

// step is one Change on its way.
type step struct {
	Change
	file   File      // of Path
	source File      // Rename: of From
	now    Snapshot  // of Path; of From for Rename
	disk   disk.File // the same, when it is not in a buffer
	undo   func(context.Context) error

	made, wanted string // Before and After as the caller gave them
	merged       bool
	hash         string // of After, once it is on disk
	binary       bool   // deleted or renamed, and no text

	temp string // name of the temporary file while it is written
	lazy bool   // what is written is brought to the disk with the set
	next disk.File
	dirs *disk.Folders
}

// Apply makes all changes or none. A file that the editor has open is changed
// in its buffer through the Editor, and what the editor says is checked against
// the mirror; every other file is written atomically on disk. Any error is an
// *ApplyError; the changes before it are taken back first. The wait for the
// editor's didChange (2 s) does not end with ctx: what was sent may land.
func (w *Workspace) Apply(ctx context.Context, label string, changes []Change) ([]Applied, error) {
	steps, keys, err := w.plan(changes)
	if err != nil {
		return nil, err
	}
	unlock, err := w.locks.Lock(ctx, keys)
	if err != nil {
		path := ""
		if len(changes) > 0 {
			path = changes[0].Path
		}
		return nil, &ApplyError{Path: path, Err: err}
	}
	defer unlock()
	for _, s := range steps {
		if err := w.check(ctx, s); err != nil {
			path := s.Path
			if s.Kind == Rename && (errors.Is(err, ErrDirty) || errors.Is(err, ErrStale)) {
				path = s.From // whose text it is
			}
			return nil, &ApplyError{Path: path, Err: err}
		}
	}
	defer w.intend(label, steps)()
	var dirs disk.Folders
	defer dirs.Close()
	out := make([]Applied, 0, len(steps))
	for i, s := range steps {
		s.dirs = &dirs
		var done Applied
		err := ctx.Err()
		if err == nil {
			done, err = w.run(ctx, label, s)
		}
		if err != nil {
			dirs.Close()
			fail := &ApplyError{Path: s.Path, Err: err}
			var left *leftError
			if errors.As(err, &left) {
				fail.Left = append(fail.Left, s.file.Path)
			}
			fail.Left = append(fail.Left, w.takeBack(ctx, steps[:i])...)
			return nil, fail
		}
		out = append(out, done)
	}
	return out, nil
}

func (w *Workspace) takeBack(ctx context.Context, steps []*step) (left []string) {
	for i := len(steps) - 1; i >= 0; i-- {
		s := steps[i]
		if s.undo == nil {
			continue
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTime)
		err := s.undo(ctx)
		cancel()
		if err != nil {
			w.log.Warn("a change could not be taken back", "path", s.file.Path, "err", err)
			left = append(left, s.file.Path)
		}
	}
	return left
}

// plan resolves every path and makes sure that no file is changed twice.
func (w *Workspace) plan(changes []Change) (steps []*step, keys []string, err error) {
	seen, resolve := map[string]bool{}, w.Resolver()
	add := func(path string) (File, error) {
		f, err := w.locate(path, resolve)
		if err != nil {
			return f, err
		}
		k := mirror.Key(f.Path)
		if seen[k] {
			return f, errors.New("changed twice in one set")
		}
		seen[k] = true
		keys = append(keys, k)
		return f, nil
	}
	for _, c := range changes {
		s := &step{Change: c, made: c.Before, wanted: c.After}
		if c.Kind == Rename {
			if s.source, err = add(c.From); err != nil {
				return nil, nil, &ApplyError{Path: c.From, Err: err}
			}
		}
		if s.file, err = add(c.Path); err != nil {
			if c.Kind == Rename && s.file.Path == s.source.Path {
				err = errors.New("a rename to its own name")
			}
			return nil, nil, &ApplyError{Path: c.Path, Err: err}
		}
		steps = append(steps, s)
	}
	return steps, keys, nil
}

// allowed refuses what must not be written at all, and a path that leads
// elsewhere than when the caller resolved it.
func (w *Workspace) allowed(f File, asked string, outside bool) error {
	if f.Outside && !outside {
		return fmt.Errorf("%w: %s", ErrOutside, f.Path)
	}
	if f.Path != asked && mirror.Key(place.Clean(asked)) != mirror.Key(f.Path) {
		return fmt.Errorf("%w: the path now leads to %s", ErrStale, f.Path)
	}
	if root, marked := w.roots.ReadOnly(f.Path); marked {
		return fmt.Errorf("%w: %s", ErrReadOnly, root)
	}
	return nil
}

// check looks at the files as they are now, with their locks held.
func (w *Workspace) check(ctx context.Context, s *step) error {
	if err := w.allowed(s.file, s.Path, s.AllowOutside); err != nil {
		return err
	}
	if s.Kind != Delete && (!utf8.ValidString(s.After) || strings.IndexByte(s.After, 0) >= 0) {
		return &text.CharsetError{Charset: text.CharsetUTF8, Reason: "the text holds a NUL or is not valid Unicode"}
	}
	switch s.Kind {
	case Modify, Delete:
		if err := w.load(ctx, s, s.file); err != nil {
			return err
		}
	case Create:
		s.disk.Format = s.Format
		return w.vacant(ctx, s)
	case Rename:
		if err := w.allowed(s.source, s.From, s.AllowOutside); err != nil {
			return fmt.Errorf("%s: %w", s.From, err)
		}
		if err := w.vacant(ctx, s); err != nil {
			return err
		}
		if err := w.load(ctx, s, s.source); err != nil {
			return fmt.Errorf("%s: %w", s.From, err)
		}
	default:
		return fmt.Errorf("%q is no kind of change", s.Kind)
	}
	w.mu.Lock()
	editor := w.editor
	w.mu.Unlock()
	moves := s.Kind == Rename && editor != nil && s.asks(editor) // what is unsaved stays so under the new name
	reaches := moves || s.Kind == Delete && s.Unsaved && editor != nil && s.asks(editor)
	if s.Kind != Modify && s.now.Dirty && !reaches {
		return ErrDirty
	}
	if s.Kind != Modify && !reaches && s.now.Open && !(s.disk.Exists && mirror.Same(s.disk.Text, s.now.Text)) {
		return fmt.Errorf("%w: the disk holds another text than the editor shows", ErrStale)
	}
	if err := s.current(); err != nil {
		return err
	}
	if s.Kind == Rename && moves && s.made == "" && s.After == "" {
		s.After = s.now.Text
	}
	if s.Kind == Rename && !moves && (s.After == s.now.Text || s.made == "" && s.After == "") {
		s.After = s.disk.Text // a buffer may show other endings
	}
	return nil
}

// current is ErrStale unless the file is what the change was made for, or the
// change can be made to what it is now.
func (s *step) current() error {
	if !s.now.Exists {
		return fmt.Errorf("%w: it is not there any more", ErrStale)
	}
	if s.Base != "" && s.Base != s.now.Hash || s.Base == "" && s.Kind == Modify && s.Before != s.now.Text {
		if !s.Merge || s.Kind == Delete {
			return ErrStale
		}
		return s.merge()
	}
	s.Before = s.now.Text
	return nil
}

// merge makes the change one of the present text.
func (s *step) merge() error {
	merged, conflicts := text.Merge3(s.made, s.wanted, s.now.Text)
	if len(conflicts) == 0 {
		s.Before, s.After, s.merged = s.now.Text, merged, true
		return nil
	}
	e := &ConflictError{Text: s.now.Text}
	x := text.NewIndex(e.Text)
	for _, c := range conflicts {
		e.Ranges = append(e.Ranges, text.Range{Start: x.Position(c.InB.Start, text.UTF16), End: x.Position(c.InB.End, text.UTF16)})
	}
	return e
}

// load fills now and disk. What is deleted or renamed need not be text.
func (w *Workspace) load(ctx context.Context, s *step, f File) (err error) {
	if now, ok := w.mirror.Live(f.Path); ok {
		s.now = now
		if now.Lost {
			return ErrLost
		}
		if s.Kind == Modify {
			return nil
		}
		s.disk, err = w.readDisk(ctx, f.Path)
		return err
	}
	s.disk, err = w.readDisk(ctx, f.Path)
	if (s.Kind == Delete || s.Kind == Rename && s.made == "" && s.wanted == "") && errors.Is(err, ErrBinary) {
		s.binary, err = true, nil
	}
	if s.made != "" && s.made == s.disk.Text {
		s.disk.Hash = s.Base // the hash of a large text costs more than looking whether it is the same
	}
	s.now = mirror.OfDisk(f, s.disk)
	return err
}

// vacant is an error when something is at Path.
func (w *Workspace) vacant(ctx context.Context, s *step) error {
	now, err := w.Read(ctx, s.file.Path)
	if errors.Is(err, ErrBinary) || errors.Is(err, ErrTooLarge) || err == nil && now.Exists {
		return ErrExists
	}
	return err
}

// run makes one change and sets s.undo.
func (w *Workspace) run(ctx context.Context, label string, s *step) (Applied, error) {
	out, err := w.once(ctx, label, s)
	if err != nil {
		return w.retry(ctx, label, s, err)
	}
	return out, nil
}

func (w *Workspace) once(ctx context.Context, label string, s *step) (Applied, error) {
	out := Applied{
		File: s.file, Kind: s.Kind, From: s.source.Path, Before: s.Before, After: s.After,
		Format: s.disk.Format, Merged: s.merged, Saved: true,
	}
	w.mu.Lock()
	editor := w.editor
	w.mu.Unlock()
	if s.Kind == Modify && s.After == s.Before {
		out.Hash, out.Format = s.now.Hash, s.now.Format
		out.Buffer, out.Version, out.Saved = s.now.Open, s.now.Version, !s.now.Dirty
		return out, nil
	}
	if editor != nil && s.asks(editor) {
		done, err := w.throughEditor(ctx, editor, label, s)
		if !errors.Is(err, errUnsupported) {
			return done, err
		}
	}
	if s.Kind != Modify {
		if s.now.Dirty {
			return Applied{}, ErrDirty
		}
		if err := w.runDisk(s); err != nil {
			return Applied{}, err
		}
		if s.Kind == Delete {
			out.After = ""
			return out, nil
		}
		out.Hash = s.hash
		return out, nil
	}
	if s.now.Open && editor != nil {
		landed, err := w.editBuffer(ctx, editor, label, w.save(s.now.Dirty), s.now, s.After)
		if err == nil {
			s.undo = func(ctx context.Context) error {
				return w.undoBuffer(ctx, editor, label, s.now, landed.Text)
			}
			out.After, out.Hash, out.Version, out.Buffer = landed.Text, landed.Hash, landed.Version, true
			out.Format, out.Saved = s.now.Format, !landed.Dirty
			return out, nil
		}
		if !errors.Is(err, errUnsupported) {
			return Applied{}, err
		}
	}
	if s.now.Open {
		if b := w.mirror.Buffer(s.file.Path); s.now.Dirty || b.Open && b.Text != s.Before {
			return Applied{}, ErrDirty
		}
		if err := w.underBuffer(ctx, s); err != nil {
			return Applied{}, err
		}
	}
	if err := w.runDisk(s); err != nil {
		return Applied{}, err
	}
	out.Hash = s.hash
	return out, nil
}
