package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"sync"
	"time"

	"companion/filelock"
)

// Version of the log format, written in every header.
const Version = 1

// Errors of opening a thread.
var (
	// ErrNotFound: there is no log of that id.
	ErrNotFound = errors.New("no such thread")
	// ErrBusy: another process (or another Log of this one) holds the lock.
	ErrBusy = errors.New("the thread is open in another process")
	// ErrNewer: the log was written by a later version of companion.
	ErrNewer = errors.New("the thread was written by a newer companion")
	// ErrNoHeader: the file does not begin with a header record.
	ErrNoHeader = errors.New("not a thread log")
)

// idForm keeps ids inside the threads folder.
var idForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// Store is the threads of one state directory. Directories are made 0700 and
// files 0600 (they hold what the user and the model said).
type Store struct {
	dir string
	// mu keeps a look at a lock from being taken for another process's hold.
	mu sync.Mutex
}

// NewStore keeps threads in dir/threads, which is made on first use.
func NewStore(dir string) *Store { return &Store{dir: filepath.Join(dir, "threads")} }

// Log is one thread's append-only log.
type Log interface {
	// Append writes the records in one write; on an error none of them is
	// there, as far as the disk allows.
	Append(recs ...Record) error
	// Sync returns once everything appended is on the disk.
	Sync() error
	// Close syncs, closes and gives the lock back.
	Close() error
}

func (s *Store) path(id, ext string) (string, error) {
	if !idForm.MatchString(id) {
		return "", fmt.Errorf("thread %q: %w", id, ErrNotFound)
	}
	return filepath.Join(s.dir, id+ext), nil
}

// Create makes the log of a new thread, writes its header and locks it.
// info.ID must be new.
func (s *Store) Create(info Info) (Log, error) {
	path, err := s.path(info.ID, ".jsonl")
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}
	lock, err := s.lock(info.ID)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		lock.Close()
		return nil, err
	}
	l := &fileLog{f: f, lock: lock, info: info}
	if err := l.Append(Record{Kind: KindHeader, V: Version, Info: &info}); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// Open locks a thread, cuts a torn tail off and gives its records.
func (s *Store) Open(id string) (Log, []Record, error) {
	path, err := s.path(id, ".jsonl")
	if err != nil {
		return nil, nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return nil, nil, notFound(id, err)
	}
	lock, err := s.lock(id)
	if err != nil {
		return nil, nil, err
	}
	l, recs, err := openLog(path, id)
	if err != nil {
		lock.Close()
		return nil, nil, err
	}
	l.lock = lock
	return l, recs, nil
}

func openLog(path, id string) (*fileLog, []Record, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nil, notFound(id, err)
	}
	fail := func(err error) (*fileLog, []Record, error) {
		f.Close()
		return nil, nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fail(err)
	}
	recs, whole := Replay(data)
	info, err := summary(recs)
	if err != nil {
		return fail(fmt.Errorf("thread %s: %w", id, err))
	}
	if whole < len(data) {
		if err := f.Truncate(int64(whole)); err != nil {
			return fail(err)
		}
	}
	info.ID = id
	return &fileLog{f: f, info: info, size: int64(whole)}, recs, nil
}

// Read gives a thread's records without locking it; a record that is being
// written is left out.
func (s *Store) Read(id string) ([]Record, error) {
	path, err := s.path(id, ".jsonl")
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, notFound(id, err)
	}
	recs, _ := Replay(data)
	if _, err := summary(recs); err != nil {
		return nil, fmt.Errorf("thread %s: %w", id, err)
	}
	return recs, nil
}

func notFound(id string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("thread %q: %w", id, ErrNotFound)
	}
	return fmt.Errorf("thread %q: %w", id, err)
}

// List gives every thread, the last changed first. It reads the beginning and
// the end of each log only; a file that is no log is left out.
func (s *Store) List() ([]Info, error) {
	var out []Info
	err := s.each(func(id string, info Info, err error) {
		if err != nil {
			return
		}
		if info.Status == StatusRunning && !s.held(id) {
			info.Status = StatusCrashed
		}
		out = append(out, info)
	})
	if err != nil {
		return nil, err
	}
	sort.SliceStable(out, func(i, j int) bool {
		if !out[i].UpdatedAt.Equal(out[j].UpdatedAt) {
			return out[i].UpdatedAt.After(out[j].UpdatedAt)
		}
		return out[i].ID > out[j].ID
	})
	return out, nil
}

// Unlisted is a log that List leaves out.
type Unlisted struct {
	ID, File string
	Err      error // such as ErrNewer or ErrNoHeader
}

// Unlisted gives the logs that List leaves out, by id.
func (s *Store) Unlisted() ([]Unlisted, error) {
	var out []Unlisted
	err := s.each(func(id string, _ Info, err error) {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			out = append(out, Unlisted{id, filepath.Join(s.dir, id+".jsonl"), err})
		}
	})
	return out, err
}

// each looks at every log, by id.
func (s *Store) each(see func(id string, info Info, err error)) error {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		id, isLog := strings.CutSuffix(e.Name(), ".jsonl")
		if !isLog || !idForm.MatchString(id) || !e.Type().IsRegular() {
			continue
		}
		info, err := peek(filepath.Join(s.dir, e.Name()))
		info.ID = id
		see(id, info, err)
	}
	return nil
}

// Info gives one thread's line of the list.
func (s *Store) Info(id string) (Info, error) {
	path, err := s.path(id, ".jsonl")
	if err != nil {
		return Info{}, err
	}
	info, err := peek(path)
	if err != nil {
		return Info{}, notFound(id, err)
	}
	info.ID = id
	if info.Status == StatusRunning && !s.held(id) {
		info.Status = StatusCrashed
	}
	return info, nil
}

// Delete removes a thread for good. ErrBusy when it is open, here or in
// another process.
func (s *Store) Delete(id string) error {
	path, err := s.path(id, ".jsonl")
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); err != nil {
		return notFound(id, err)
	}
	lock, err := s.lock(id)
	if err != nil {
		return err
	}
	// The lock's file goes last: until then nobody else can open the thread.
	err = os.Remove(path)
	lock.Close()
	if err != nil {
		return notFound(id, err)
	}
	if err := os.Remove(lock.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("lock of thread %q: %w", id, err)
	}
	return nil
}

// held tells whether some process holds the thread's lock.
func (s *Store) held(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	lock, err := s.take(id)
	if err != nil {
		return errors.Is(err, ErrBusy)
	}
	lock.Close()
	return false
}

func (s *Store) lock(id string) (*os.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.take(id)
}

// take is lock; the caller holds mu.
func (s *Store) take(id string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(s.dir, id+".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	busy, err := filelock.Try(f)
	switch {
	case busy:
		f.Close()
		return nil, fmt.Errorf("thread %q: %w", id, ErrBusy)
	case err != nil:
		f.Close()
		return nil, fmt.Errorf("lock of thread %q: %w", id, err)
	}
	return f, nil
}

// Statuses of Info.
const (
	StatusIdle    = "idle"
	StatusRunning = "running"
	StatusCrashed = "crashed" // a turn began and its process is gone
)

// Title makes a thread's title from the first input of its first turn: the
// first line of its first text, at most 60 runes.
func Title(in []Input) string {
	for _, p := range in {
		if p.Type != "text" {
			continue
		}
		for line := range strings.Lines(p.Text) {
			if line = strings.Join(strings.Fields(line), " "); line != "" {
				return cut(line, 60)
			}
		}
	}
	for _, p := range in {
		if p.URI != "" {
			return cut("About "+p.URI[strings.LastIndexByte(p.URI, '/')+1:], 60)
		}
	}
	return ""
}

func cut(s string, runes int) string {
	r := []rune(s)
	if len(r) <= runes {
		return s
	}
	return string(r[:runes-1]) + "…"
}

// observe brings info up to date with one more record.
func (i *Info) observe(r Record) {
	if r.Kind != KindEvent || r.Event == nil {
		return
	}
	e := r.Event
	if e.At.After(i.UpdatedAt) {
		i.UpdatedAt = e.At
	}
	switch e.Type {
	case TurnStarted:
		i.Turns++
		i.Status = StatusRunning
		if i.Title == "" {
			i.Title = Title(e.Input)
		}
	case TurnCompleted:
		i.Status = StatusIdle
	case ThreadRenamed:
		i.Title = e.Title
	}
}

// told tells whether events of this type change more of Info than its time.
func (t EventType) told() bool {
	return t == TurnStarted || t == TurnCompleted || t == ThreadRenamed
}

// summary computes Info from all records.
func summary(recs []Record) (Info, error) {
	if len(recs) == 0 || recs[0].Kind != KindHeader {
		return Info{}, ErrNoHeader
	}
	if recs[0].V > Version {
		return Info{}, fmt.Errorf("%w (format %d, this one knows %d)", ErrNewer, recs[0].V, Version)
	}
	var info Info
	if recs[0].Info != nil {
		info = *recs[0].Info
	}
	if info.Status == "" {
		info.Status = StatusIdle
	}
	for _, r := range recs[1:] {
		info.observe(r)
	}
	return info, nil
}

// latest is the later of two times.
func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
