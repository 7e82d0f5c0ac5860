package changes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"companion/changes/hunk"
	"companion/tools"
	"companion/workspace"
	"companion/workspace/place"
)

// Store knows the changes of all threads of one state folder.
type Store struct {
	dir    string
	ws     *workspace.Workspace
	cancel func()

	mu        sync.Mutex // guards the fields below and those of thread that say so; never held while calling out
	threads   map[string]*thread
	now       map[string]present // by key of the path, of files that some thread changed
	events    int                // observed so far
	listeners []*listener
}

type listener struct {
	f func(thread string, paths []string)
}

// present is the text of a file as last heard.
type present struct {
	exists bool
	text   string
}

// thread is the state of one thread.
type thread struct {
	id string
	op sync.Mutex // held by Record, Keep, Undo and their like

	journal journal // op
	turns   []string
	next    int

	files map[string]hunk.File // by key of the path; Store.mu guards it, written with op held
	at    time.Time            // of the last change; Store.mu
	views map[string]view      // Store.mu
	busy  string               // Store.mu; key of the file that Keep or Undo works on
	late  bool                 // Store.mu; what is pending in it changed meanwhile
}

// view is a file's pending hunks for one present text.
type view struct {
	of    present
	hunks []Hunk
}

func keyOf(path string) string { return place.Key(path, place.Windows) }

// fileKey is the key of a file in thread.files: one with its path at most is
// not set aside.
func fileKey(f hunk.File) string {
	if f.Aside == "" {
		return keyOf(f.Path)
	}
	return keyOf(f.Path) + "\x00" + f.Aside
}

// Open keeps state in the folder "changes" of dir, which is made on first use,
// and hears of what the user changes from ws.
func Open(dir string, ws *workspace.Workspace) *Store {
	s := &Store{
		dir: filepath.Join(dir, "changes"), ws: ws,
		threads: map[string]*thread{}, now: map[string]present{},
	}
	s.cancel = ws.Observe(s.observe)
	return s
}

// Close writes everything to the disk. It changes no file of the user's.
func (s *Store) Close() error {
	s.cancel()
	var errs []error
	for _, t := range s.loaded() {
		t.op.Lock()
		errs = append(errs, t.journal.close())
		t.op.Unlock()
	}
	return errors.Join(errs...)
}

func (s *Store) loaded() []*thread {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*thread, 0, len(s.threads))
	for _, t := range s.threads {
		out = append(out, t)
	}
	return out
}

// Sync returns once all that was recorded of a thread is on the disk; to be
// called where the thread's log is synced.
func (s *Store) Sync(id string) error {
	t, err := s.thread(id)
	if err != nil {
		return err
	}
	t.op.Lock()
	defer t.op.Unlock()
	return t.journal.sync()
}

// Forget drops all that is known of a thread, also on disk. Files stay as they
// are.
func (s *Store) Forget(id string) error {
	t, err := s.thread(id)
	if err != nil {
		return err
	}
	t.op.Lock()
	defer t.op.Unlock()
	err = t.journal.close()
	s.mu.Lock()
	delete(s.threads, id)
	t.files, t.views = map[string]hunk.File{}, nil
	s.mu.Unlock()
	return errors.Join(err, os.RemoveAll(t.journal.dir))
}

// thread is the state of a thread, loaded at its first use, and again when it
// is another process that writes it.
func (s *Store) thread(id string) (*thread, error) {
	if !idForm.MatchString(id) {
		return nil, fmt.Errorf("%q: %w", id, ErrThread)
	}
	s.mu.Lock()
	t := s.threads[id]
	if t == nil {
		t = &thread{id: id, journal: journal{dir: filepath.Join(s.dir, id)}}
		s.threads[id] = t
	}
	s.mu.Unlock()
	t.op.Lock()
	defer t.op.Unlock()
	if t.files != nil && !t.journal.moved() {
		return t, nil
	}
	return t, s.load(t)
}

func (s *Store) load(t *thread) error {
	lines, err := t.journal.load()
	if err != nil {
		return fmt.Errorf("changes of thread %s: %w", t.id, err)
	}
	files := map[string]hunk.File{}
	var at time.Time
	var lost error
	for _, l := range lines {
		t.next, t.turns, at = max(t.next, l.Next), l.Turns, l.At
		if l.File == nil || l.Path == "" {
			continue
		}
		f, err := t.journal.decode(l.Path, l.File)
		if err != nil {
			lost = errors.Join(lost, fmt.Errorf("changes of %s in thread %s: %w", l.Path, t.id, err))
			continue
		}
		f.Aside = l.Aside
		files[fileKey(f)] = f
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t.files, t.at, t.views = files, at, map[string]view{}
	for _, f := range files {
		k := keyOf(f.Path)
		if _, ok := s.now[k]; !ok && f.Aside == "" {
			s.now[k] = present{f.Exists, f.Text}
		}
	}
	return nil
}

// observe hears what became of the files that threads changed. It may be
// called on the goroutine that brings notifications in.
func (s *Store) observe(e workspace.Event) {
	key := keyOf(e.Path)
	s.mu.Lock()
	_, ours := s.now[key]
	s.events++
	s.mu.Unlock()
	if !ours {
		return
	}
	p := present{e.Exists, e.Text}
	if e.Kind == workspace.Disk || e.Kind == workspace.Closed {
		snap, err := s.ws.Read(context.Background(), e.Path)
		if err != nil {
			return
		}
		p = present{snap.Exists, snap.Text}
	}
	s.hear(key, p)
}

// read is the present state of a file.
func (s *Store) read(ctx context.Context, path string) (workspace.Snapshot, error) {
	s.mu.Lock()
	events := s.events
	s.mu.Unlock()
	snap, err := s.ws.Read(ctx, path)
	if err != nil {
		return snap, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ours := s.now[keyOf(path)]; ours && s.events == events {
		s.now[keyOf(path)] = present{snap.Exists, snap.Text}
	}
	return snap, nil
}

// OnChange calls f after Record, Keep and Undo changed what is known of paths,
// and after somebody else changed a file so that other hunks are pending in it
// than before, until cancel. Of what else the user types nothing is told: the
// editor knows it. f must not block, and must not call Record, Keep, Undo or the
// writers of the workspace: it may run while a notification is brought in.
func (s *Store) OnChange(f func(thread string, paths []string)) (cancel func()) {
	l := &listener{f}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners = append(slices.Clone(s.listeners), l)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.listeners = slices.DeleteFunc(slices.Clone(s.listeners), func(o *listener) bool { return o == l })
	}
}

func (s *Store) tell(thread string, paths []string) {
	if len(paths) == 0 {
		return
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	s.mu.Lock()
	listeners := s.listeners
	s.mu.Unlock()
	for _, l := range listeners {
		l.f(thread, paths)
	}
}

// commit makes f what the thread knows of a file, that was old. t.op is held.
func (s *Store) commit(t *thread, old, f hunk.File) error {
	lines := []line{{Path: f.Path}}
	files := []*hunk.File{&f}
	s.mu.Lock()
	key := keyOf(f.Path)
	if other, taken := t.files[key]; taken && fileKey(old) != key && f.Aside == "" {
		if aside, gone := other.SetAside(); gone {
			t.files[fileKey(aside)] = aside
			lines, files = append(lines, line{Path: aside.Path, Aside: aside.Aside}), append(files, &aside)
		}
	} else if f.Exists && f.Aside != "" && len(other.Layers) == 0 {
		f.Aside = ""
	}
	lines[0].Aside = f.Aside
	if k := fileKey(old); k != fileKey(f) {
		delete(t.files, k)
		delete(t.views, k)
		lines, files = append(lines, line{Path: old.Path, Aside: old.Aside}), append(files, nil)
	}
	t.files[fileKey(f)], t.at = f, time.Now()
	delete(t.views, key)
	if _, ok := s.now[key]; !ok {
		s.now[key] = present{f.Exists, f.Text}
	}
	at := t.at
	s.mu.Unlock()
	for i, l := range lines {
		l.At, l.Next, l.Turns = at, t.next, t.turns
		if err := t.journal.append(l, files[i]); err != nil {
			return fmt.Errorf("changes of %s in thread %s: %w", f.Path, t.id, err)
		}
	}
	return nil
}

func (s *Store) file(t *thread, path string) (hunk.File, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := t.files[keyOf(path)]
	return f, ok
}

// author gives the turn its number.
func (t *thread) author(turn, call string) hunk.Author {
	num := slices.Index(t.turns, turn)
	if num < 0 {
		num = len(t.turns)
		t.turns = append(slices.Clip(t.turns), turn)
	}
	return hunk.Author{Turn: turn, Call: call, Num: num, ID: func() string {
		t.next++
		return fmt.Sprintf("h%d", t.next)
	}}
}

// Record notes what a call of a thread's turn changed; to be called as soon as
// the call's Run has returned, for one file in the order in which its changes
// landed: best while the call's locks are held. The state in memory is right also when it cannot
// be written, which is the error.
func (s *Store) Record(thread, turn, call string, changed []tools.Change) error {
	if len(changed) == 0 {
		return nil
	}
	t, err := s.thread(thread)
	if err != nil {
		return err
	}
	paths, err := s.record(t, turn, call, changed)
	s.tell(thread, paths)
	return err
}

func (s *Store) record(t *thread, turn, call string, changed []tools.Change) (paths []string, err error) {
	t.op.Lock()
	defer t.op.Unlock()
	var errs []error
	a := t.author(turn, call)
	for _, c := range changed {
		path := c.Path
		if c.From != "" {
			path = c.From
		}
		old, known := s.file(t, path)
		if !known {
			old = hunk.File{Path: path, Exists: !c.Created, Text: c.Before}
		}
		f := old
		switch {
		case c.From != "":
			f = f.Renamed(a, c.Path, c.Before, c.After)
		case c.Created:
			f = f.Created(a, c.After)
		case c.Deleted:
			f = f.Deleted(a, c.Before, c.Format)
		case c.Before == c.After:
			continue
		default:
			f = f.Edited(a, c.Before, c.After)
		}
		errs = append(errs, s.commit(t, old, f))
		paths = append(paths, path, c.Path)
	}
	return paths, errors.Join(errs...)
}
