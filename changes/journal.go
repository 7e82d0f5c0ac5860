package changes

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"companion/changes/hunk"
	"companion/text"
)

// inline is the length in bytes up to which a text stands in the journal itself.
const inline = 256

// idForm keeps ids of threads inside the folder.
var idForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// journal keeps the state of one thread: each line is all that is known of one
// file; the last line of a file is true.
type journal struct {
	dir   string
	f     *os.File // nil = not open for writing
	size  int64    // bytes when it was loaded
	blobs map[string]bool
	fresh []string            // paths of blobs that were not synced
	refs  map[string][]string // blobs of each file's last line
}

// line is one record of the journal.
type line struct {
	V     int       `json:"v"`
	At    time.Time `json:"at"`
	Next  int       `json:"next"`  // ids of hunks given so far
	Turns []string  `json:"turns"` // in order
	Path  string    `json:"path"`
	Aside string    `json:"aside,omitempty"`
	File  *fileJSON `json:"file,omitempty"` // nil = nothing is known of Path any more
}

type fileJSON struct {
	Exists bool            `json:"exists"`
	Text   ref             `json:"text"`
	Layers []layerJSON     `json:"layers,omitempty"`
	Done   []hunk.Resolved `json:"done,omitempty"`
}

type layerJSON struct {
	Turn     string       `json:"turn"`
	Num      int          `json:"num"`
	Text     ref          `json:"text"`
	Pieces   []pieceJSON  `json:"pieces,omitempty"`
	Created  bool         `json:"created,omitempty"`
	Deleted  bool         `json:"deleted,omitempty"`
	Touched  bool         `json:"touched,omitempty"`
	Format   *text.Format `json:"format,omitempty"`
	From     string       `json:"from,omitempty"`
	RenameID string       `json:"renameId,omitempty"`
}

type pieceJSON struct {
	ID    string `json:"id"`
	Call  string `json:"call,omitempty"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	Old   ref    `json:"old"`
}

// ref is a text: itself when it is short, else the name of its blob.
type ref struct {
	Text string `json:"text,omitempty"`
	Blob string `json:"blob,omitempty"`
}

func (l line) key() string { return l.Path + "\x00" + l.Aside }

// blobs are the names of the texts that are not in the line itself.
func (f *fileJSON) blobs() []string {
	if f == nil {
		return nil
	}
	out := []string{f.Text.Blob}
	for _, l := range f.Layers {
		out = append(out, l.Text.Blob)
		for _, p := range l.Pieces {
			out = append(out, p.Old.Blob)
		}
	}
	return out
}

// version of the journal's format.
const version = 1

// load gives the last line of each path. A torn tail is cut when the journal is
// written next; a line that is not ours is skipped.
func (j *journal) load() ([]line, error) {
	j.refs = map[string][]string{}
	data, err := os.ReadFile(filepath.Join(j.dir, "journal.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	j.size = int64(len(data))
	var out []line
	at := map[string]int{}
	for {
		n := bytes.IndexByte(data, '\n')
		if n < 0 {
			return out, nil
		}
		var l line
		if json.Unmarshal(data[:n], &l) == nil && l.V == version && l.Path != "" {
			if i, ok := at[l.key()]; ok {
				out[i].Path = "" // the later line is the one
			}
			at[l.key()] = len(out)
			j.refs[l.key()] = l.File.blobs()
			out = append(out, l)
		}
		data = data[n+1:]
	}
}

// open makes the journal ready for writing and cuts a torn tail.
func (j *journal) open() error {
	if j.f != nil {
		return nil
	}
	if err := os.MkdirAll(j.dir, 0o700); err != nil {
		return err
	}
	name := filepath.Join(j.dir, "journal.jsonl")
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(name)
	if err == nil {
		if whole := bytes.LastIndexByte(data, '\n') + 1; whole < len(data) {
			err = f.Truncate(int64(whole))
		}
	}
	if err != nil {
		f.Close()
		return err
	}
	j.f, j.blobs = f, map[string]bool{}
	names, err := filepath.Glob(filepath.Join(j.dir, strings.Repeat("?", 2*sha256.Size)))
	for _, n := range names {
		j.blobs[filepath.Base(n)] = true
	}
	return err
}

// append writes one line, after the texts that it names.
func (j *journal) append(l line, f *hunk.File) error {
	if err := j.open(); err != nil {
		return err
	}
	l.V = version
	if f != nil {
		var err error
		if l.File, err = j.encode(*f); err != nil {
			return err
		}
	}
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if _, err = j.f.Write(append(data, '\n')); err == nil {
		j.refs[l.key()] = l.File.blobs()
	}
	return err
}

func (j *journal) encode(f hunk.File) (out *fileJSON, err error) {
	keep := func(s string) (r ref) {
		if err == nil {
			r, err = j.put(s)
		}
		return r
	}
	out = &fileJSON{Exists: f.Exists, Text: keep(f.Text), Done: f.Done}
	for _, l := range f.Layers {
		lj := layerJSON{
			Turn: l.Turn, Num: l.Num, Text: keep(l.Text), Created: l.Created, Deleted: l.Deleted,
			Touched: l.Touched, From: l.From, RenameID: l.RenameID,
		}
		if l.Deleted {
			lj.Format = &l.Format
		}
		for _, p := range l.Pieces {
			lj.Pieces = append(lj.Pieces, pieceJSON{p.ID, p.Call, p.Start, p.End, keep(p.Old)})
		}
		out.Layers = append(out.Layers, lj)
	}
	return out, err
}

// decode is the inverse of encode; an error when a text is lost.
func (j *journal) decode(path string, f *fileJSON) (out hunk.File, err error) {
	get := func(r ref) (s string) {
		if err == nil {
			s, err = j.get(r)
		}
		return s
	}
	out = hunk.File{Path: path, Exists: f.Exists, Text: get(f.Text), Done: f.Done}
	for _, lj := range f.Layers {
		l := hunk.Layer{
			Turn: lj.Turn, Num: lj.Num, Text: get(lj.Text), Created: lj.Created, Deleted: lj.Deleted,
			Touched: lj.Touched, From: lj.From, RenameID: lj.RenameID,
		}
		if lj.Format != nil {
			l.Format = *lj.Format
		}
		last := 0
		for _, p := range lj.Pieces {
			if p.Start < last || p.End < p.Start || p.End > len(l.Text) && err == nil {
				return out, fmt.Errorf("a hunk at bytes %d to %d of a text of %d", p.Start, p.End, len(l.Text))
			}
			last = p.End
			l.Pieces = append(l.Pieces, hunk.Piece{ID: p.ID, Call: p.Call, Start: p.Start, End: p.End, Old: get(p.Old)})
		}
		if l.Whole() && len(l.Pieces) != 1 {
			return out, errors.New("a whole file without its hunk")
		}
		out.Layers = append(out.Layers, l)
	}
	return out, err
}

func (j *journal) put(s string) (ref, error) {
	if len(s) <= inline {
		return ref{Text: s}, nil
	}
	sum := sha256.Sum256([]byte(s))
	name := hex.EncodeToString(sum[:])
	if j.blobs[name] {
		return ref{Blob: name}, nil
	}
	path := filepath.Join(j.dir, name)
	if info, err := os.Stat(path); err != nil || info.Size() != int64(len(s)) {
		f, err := os.CreateTemp(j.dir, "tmp-*") // 0600
		if err != nil {
			return ref{}, err
		}
		_, err = f.WriteString(s)
		if err = errors.Join(err, f.Close()); err == nil {
			err = os.Rename(f.Name(), path)
		}
		if err != nil {
			os.Remove(f.Name())
			return ref{}, err
		}
		j.fresh = append(j.fresh, path)
	}
	j.blobs[name] = true
	return ref{Blob: name}, nil
}

func (j *journal) get(r ref) (string, error) {
	if r.Blob == "" {
		return r.Text, nil
	}
	if len(r.Blob) != 64 || filepath.Base(r.Blob) != r.Blob {
		return "", fmt.Errorf("%q names no text", r.Blob)
	}
	data, err := os.ReadFile(filepath.Join(j.dir, r.Blob))
	if err != nil {
		return "", err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != r.Blob {
		return "", fmt.Errorf("the text %s was damaged", r.Blob)
	}
	return string(data), nil
}

// sync returns once all is on the disk; texts that no last line names go.
func (j *journal) sync() error {
	if j.f == nil {
		return nil
	}
	var errs []error
	for _, path := range j.fresh {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err == nil {
			err = errors.Join(f.Sync(), f.Close())
		}
		errs = append(errs, err)
	}
	j.fresh = nil
	if err := errors.Join(append(errs, j.f.Sync())...); err != nil {
		return err
	}
	used := map[string]bool{}
	for _, names := range j.refs {
		for _, n := range names {
			used[n] = true
		}
	}
	for n := range j.blobs {
		if !used[n] {
			delete(j.blobs, n)
			errs = append(errs, os.Remove(filepath.Join(j.dir, n)))
		}
	}
	return errors.Join(errs...)
}

// moved tells whether another process wrote the journal since it was loaded.
func (j *journal) moved() bool {
	if j.f != nil {
		return false
	}
	info, err := os.Stat(filepath.Join(j.dir, "journal.jsonl"))
	return err == nil && info.Size() != j.size
}

func (j *journal) close() error {
	err := j.sync()
	if j.f != nil {
		err = errors.Join(err, j.f.Close())
		j.f = nil
	}
	return err
}
