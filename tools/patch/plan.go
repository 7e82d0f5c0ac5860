package patch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"companion/text"
	"companion/tools"
	"companion/tools/endings"
	"companion/tools/files"
	"companion/tools/patch/match"
	"companion/tools/patch/syntax"
	"companion/workspace"
)

// job is one patch to be worked out on the files as they are.
type job struct {
	ws        *workspace.Workspace
	call      tools.Call
	overwrite bool // files may be replaced that nobody read
	resolve   func(path string) (workspace.File, error)
}

// find names the file that a path means.
func (j job) find(path string) (workspace.File, error) {
	plain := path != "" && len(j.call.Roots) > 0 && !strings.HasPrefix(path, "~") && !strings.Contains(path, ":")
	if !plain {
		return files.Resolve(j.ws, j.call, path)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(j.call.Roots[0], path)
	}
	f, err := j.resolve(path)
	if err != nil {
		return files.Resolve(j.ws, j.call, path) // words it
	}
	return f, nil
}

// moved tells whether the file was read in this thread and is another now.
func (j job) moved(e *entry) bool {
	if j.call.Thread == "" {
		return false
	}
	hash, ok := j.ws.LastRead(j.call.Thread, e.file.Path)
	return ok && hash != e.snap.Hash
}

// entry is one file of a patch: how it is, and how it is to be.
type entry struct {
	file   workspace.File
	snap   workspace.Snapshot // as it is now
	binary bool               // it exists, but is no text
	format text.Format        // of a new file
	exists bool               // as the patch leaves it
	text   string
	origin *entry // whose text it holds since a move; nil = its own
	added  bool   // by a section of this patch
	line   int    // of its first change, 1-based, 0 = unknown
	places []int  // of its hunks in the text before
}

// plan is one patch worked out.
type plan struct {
	entries []*entry
	byPath  map[string]*entry
	changes []workspace.Change
	notes   []string
	none    *tools.Refusal // it does not fit
}

func (p *plan) entry(path string) *entry { return p.byPath[path] }

func (p *plan) rel(path string) string {
	if e := p.byPath[path]; e != nil {
		return e.file.Rel
	}
	return path
}

// at is the file that an error of the workspace is about.
func (p *plan) at(err error) *entry {
	var apply *workspace.ApplyError
	if errors.As(err, &apply) {
		return p.byPath[apply.Path]
	}
	return nil
}

// plan works the patch out. An error is a *tools.Refusal about the patch alone
// or a broken contract; plan.none is one that tells of files.
func (j job) plan(ctx context.Context, input string) (*plan, error) {
	parsed, err := syntax.Parse(input)
	if err != nil {
		return nil, tools.Fail("Not applied, nothing was changed: " + err.Error() + ".")
	}
	j.resolve = j.ws.Resolver()
	p := &plan{byPath: make(map[string]*entry, len(parsed.Sections))}
	if len(parsed.Healed) > 0 {
		p.notes = append(p.notes, "The patch was understood although: "+strings.Join(parsed.Healed, "; ")+".")
	}
	for i := range parsed.Sections {
		s := &parsed.Sections[i]
		if parsed.Dir != "" && !filepath.IsAbs(s.Path) {
			s.Path = filepath.Join(parsed.Dir, s.Path)
		}
		if parsed.Dir != "" && s.To != "" && !filepath.IsAbs(s.To) {
			s.To = filepath.Join(parsed.Dir, s.To)
		}
		if err := j.section(ctx, p, s); err != nil {
			var no *tools.Refusal
			if !errors.As(err, &no) {
				return nil, err
			}
			if len(p.entries) == 0 {
				return nil, no
			}
			p.none = no
			return p, nil
		}
	}
	p.change()
	return p, nil
}

// open gives the entry of a path; there says that a file should be at it.
func (j job) open(ctx context.Context, p *plan, path string, there bool) (*entry, error) {
	f, err := j.find(path)
	if err != nil {
		return nil, err
	}
	if e := p.byPath[f.Path]; e != nil {
		return e, nil
	}
	e, err := j.look(ctx, p, f)
	if err != nil || e.exists || !there {
		return e, err
	}
	other, told, err := files.Locate(ctx, j.ws, j.call, path) // a name that looks the same
	if told != "" {
		p.notes = append(p.notes, told)
	}
	if err != nil || other.Path == f.Path {
		return e, err
	}
	if known := p.byPath[other.Path]; known != nil {
		return known, nil
	}
	return j.look(ctx, p, other)
}

// look makes an entry of a file as it is.
func (j job) look(ctx context.Context, p *plan, f workspace.File) (e *entry, err error) {
	e = &entry{file: f}
	p.entries = append(p.entries, e)
	p.byPath[f.Path] = e
	e.snap, err = j.ws.ReadFile(ctx, f)
	if errors.Is(err, workspace.ErrBinary) {
		e.binary, err = true, nil
		e.snap = workspace.Snapshot{File: f, Exists: true}
	}
	if err != nil {
		return nil, files.Refuse(f, err)
	}
	e.exists, e.text = e.snap.Exists, e.snap.Text
	return e, nil
}

func (j job) section(ctx context.Context, p *plan, s *syntax.Section) error {
	e, err := j.open(ctx, p, s.Path, s.Kind != syntax.Add)
	if err != nil {
		return err
	}
	switch s.Kind {
	case syntax.Add:
		return j.add(ctx, p, e, s)
	case syntax.Delete:
		if !e.exists {
			return j.missing(e, s)
		}
		e.exists, e.text, e.origin = false, "", nil
		return nil
	}
	if !e.exists {
		return j.missing(e, s)
	}
	if err := j.update(p, e, s); err != nil || s.To == "" {
		return err
	}
	return j.move(ctx, p, e, s)
}

func refuse(format string, a ...any) *tools.Refusal {
	return tools.Fail("Not applied, nothing was changed. " + fmt.Sprintf(format, a...))
}

func (j job) missing(e *entry, s *syntax.Section) error {
	if e.snap.Exists {
		return refuse("Line %d of the patch: %s is deleted or moved away by a section before.", s.Line, e.file.Rel)
	}
	return tools.Fail("Not applied, nothing was changed. " + files.Missing(j.call, e.file).Text)
}

// known tells whether what is at e may be replaced.
func (j job) known(e *entry) error {
	if j.overwrite {
		return nil
	}
	hash, ok := j.ws.LastRead(j.call.Thread, e.file.Path)
	switch {
	case j.call.Thread == "":
		return refuse("%s exists already: change it with *** Update File, or delete it in a section before if it is to go.", e.file.Rel)
	case e.binary:
		return refuse("%s exists already and is a binary file; delete it in a section before if it is to go.", e.file.Rel)
	case !ok:
		return refuse("%s exists already and was not read in this thread. Use *** Update File to change it, or read it first to replace it.", e.file.Rel)
	case hash != e.snap.Hash:
		return refuse("%s exists already and changed since you read it. Read it again, or use *** Update File.", e.file.Rel)
	}
	return nil
}

func (j job) add(ctx context.Context, p *plan, e *entry, s *syntax.Section) error {
	if e.added {
		return refuse("Line %d of the patch: %s is added twice.", s.Line, e.file.Rel)
	}
	if e.exists {
		if e.origin != nil || e.text != e.snap.Text {
			return refuse("Line %d of the patch: %s is changed by one section and added by another.", s.Line, e.file.Rel)
		}
		if err := j.known(e); err != nil && !(e.text == content(s, text.LF) && !e.binary) {
			return err
		}
	}
	e.exists, e.added, e.line, e.origin = true, true, 1, nil
	if own, _ := text.Ending(e.snap.Text); own != "" {
		e.text = content(s, own)
		return nil
	}
	var told string
	e.text, e.format, told = endings.Of(ctx, j.ws, e.file.Path).New(content(s, text.LF))
	if told != "" {
		p.notes = append(p.notes, e.file.Rel+":"+told)
	}
	return nil
}

// content is the text of a new file.
func content(s *syntax.Section, ending string) string {
	if len(s.Lines) == 0 {
		return ""
	}
	out := strings.Join(s.Lines, ending)
	if s.Bare {
		return out
	}
	return out + ending
}

func (j job) update(p *plan, e *entry, s *syntax.Section) error {
	if len(s.Hunks) == 0 {
		return nil
	}
	if e.binary {
		return refuse("%s is a binary file: it cannot be patched as text.", e.file.Rel)
	}
	edits, placed, err := match.Place(e.text, s.Hunks, s.Bare)
	if err != nil {
		more := ""
		if j.moved(e) {
			more = "\nThe file changed since you last read it: read it again."
		}
		return refuse("%s, %v%s", e.file.Rel, err, more)
	}
	after, err := text.Apply(e.text, edits)
	if err != nil {
		return refuse("%s: two hunks change the same lines (%v): join them.", e.file.Rel, err)
	}
	e.text = after
	for i, at := range placed {
		e.places = append(e.places, at.Line)
		if at.Pass != match.Exact {
			p.notes = append(p.notes, fmt.Sprintf("%s, hunk %d: the lines of the patch are those of the file at line %d %s.", e.file.Rel, i+1, at.Line, at.Pass))
		}
		if at.Lost != "" {
			p.notes = append(p.notes, fmt.Sprintf("%s, hunk %d: placed at line %d by its lines alone; %q is not above them.", e.file.Rel, i+1, at.Line, "@@ "+at.Lost))
		}
	}
	if e.line == 0 {
		e.line = placed[0].Line
	}
	if j.moved(e) {
		p.notes = append(p.notes, fmt.Sprintf("%s had changed since you last read it; the patch was made on its present text.", e.file.Rel))
	}
	return nil
}

func (j job) move(ctx context.Context, p *plan, e *entry, s *syntax.Section) error {
	to, err := j.open(ctx, p, s.To, false)
	if err != nil {
		return err
	}
	if to == e {
		return nil
	}
	if e.binary && to.snap.Exists {
		return refuse("%s is a binary file and %s exists: move it with a command.", e.file.Rel, to.file.Rel)
	}
	to.binary = e.binary
	if to.exists {
		if to.added || to.origin != nil || to.text != to.snap.Text {
			return refuse("Line %d of the patch: %s is made by one section and moved onto by another.", s.Line, to.file.Rel)
		}
		if err := j.known(to); err != nil {
			return err
		}
	}
	to.exists, to.text, to.line, to.places, to.origin = true, e.text, e.line, e.places, e
	if e.origin != nil {
		to.origin = e.origin
	}
	if e.added {
		to.origin, to.added, to.format = nil, true, e.format
	}
	e.exists, e.text, e.origin, e.added = false, "", nil, false
	return nil
}

// change makes the entries a set of changes, one for each file.
func (p *plan) change() {
	moved := map[*entry]bool{} // origins that a rename takes along
	for _, e := range p.entries {
		if o := e.origin; e.exists && o != nil && !e.snap.Exists && !o.exists && !moved[o] {
			moved[o] = true
			p.changes = append(p.changes, workspace.Change{
				Kind: workspace.Rename, From: o.file.Path, Path: e.file.Path, Base: o.snap.Hash, Before: o.snap.Text, After: e.text,
				Merge: !e.binary, AllowOutside: e.file.Outside || o.file.Outside,
			})
			continue
		}
		c := workspace.Change{Path: e.file.Path, AllowOutside: e.file.Outside}
		switch {
		case e.exists && !e.snap.Exists:
			c.Kind, c.After, c.Format = workspace.Create, e.text, e.format
			if e.origin != nil {
				c.Format = e.origin.snap.Format
			}
		case e.exists && e.text != e.snap.Text:
			c.Kind, c.Base, c.Before, c.After, c.Merge = workspace.Modify, e.snap.Hash, e.snap.Text, e.text, !e.added
		case !e.exists && e.snap.Exists && !p.takes(e):
			c.Kind, c.Base, c.Before = workspace.Delete, e.snap.Hash, e.snap.Text
		default:
			continue
		}
		p.changes = append(p.changes, c)
	}
}

// takes tells whether a rename takes the file along.
func (p *plan) takes(o *entry) bool {
	for _, e := range p.entries {
		if e.exists && e.origin == o && !e.snap.Exists && !o.exists {
			return true
		}
	}
	return false
}
