package search

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	conciter "github.com/sourcegraph/conc/iter"

	"companion/tools"
	"companion/tools/search/match"
	"companion/tools/search/pick"
	"companion/tools/search/walk"
	"companion/workspace"
)

// run is one call of grep.
type run struct {
	g        grep
	call     tools.Call
	a        grepArgs
	m        *match.Matcher
	limits   match.Limits
	readable func(path string) bool
	bufs     sync.Pool // of *[]byte

	hits   int       // found
	files  []matched // in order; hits of those beyond what is shown are only counted
	atEnd  bool      // the search was ended before the last file
	told   map[string][]string
	unsave map[string]bool // shown paths whose buffer was searched
}

type matched struct {
	path string // as shown
	match.Found
}

// Reasons why something was not searched, as they are told.
const (
	noAccess  = "cannot be read (permission denied)"
	noSpan    = "too large to be searched across lines (over 16 MiB)"
	noLost    = "not in step with the editor"
	noText    = "binary"
	noPages   = "the text of its pages, which `read` gives"
	noneFound = ""
)

func newRun(g grep, call tools.Call, a grepArgs, m *match.Matcher) *run {
	r := &run{g: g, call: call, a: a, m: m, told: map[string][]string{}, unsave: map[string]bool{}, readable: func(string) bool { return true }}
	if g.o.Readable != nil {
		r.readable = g.o.Readable(call, g.Spec())
	}
	switch a.Mode {
	case "files":
		r.limits = match.Limits{Stop: 1}
	case "count":
	default:
		r.limits = match.Limits{Most: a.Offset + a.Limit, Stop: a.Offset + a.Limit + ahead, Context: a.Context}
	}
	r.bufs.New = func() any { b := make([]byte, 0, 256<<10); return &b }
	return r
}

// job is one file to search; found is what came of it.
type job struct {
	rel  string
	path string
	doc  *workspace.Snapshot // the buffer to search instead
}

type found struct {
	match.Found
	err error
}

// search looks through one target and adds what it finds.
func (r *run) search(ctx context.Context, t target, kinds []string) error {
	if !t.isDir {
		j := job{rel: filepath.Base(t.file.Path), path: t.file.Path}
		if d, ok := dirty(r.g.o.Workspace, filepath.Dir(t.file.Path))[j.rel]; ok {
			j.doc = &d
		}
		got := r.one(ctx, j)
		if got.Binary {
			r.told[noText] = append(r.told[noText], shown(r.call, j.path))
		} else if got.Count == 0 && strings.EqualFold(filepath.Ext(j.rel), ".pdf") {
			r.told[noPages] = append(r.told[noPages], shown(r.call, j.path))
		}
		r.take(j, got, true)
		return ctx.Err()
	}
	if r.enough() {
		r.atEnd = true
		return nil
	}
	dir, top, from := t.file.Path, "", ""
	for _, root := range r.call.Roots {
		if _, in := below(root, dir); in {
			top = root
		}
	}
	if len(r.call.Roots) > 0 {
		if rel, in := below(r.call.Roots[0], dir); in && rel != "." {
			from = rel + "/"
		}
	}
	f := pick.NewFilter(dir, from, r.a.Glob, kinds)
	tree := walk.Open(dir, walk.Options{Hidden: r.a.Hidden || pick.AsksHidden(r.a.Glob), Ignored: r.a.Ignored, Top: top, Getenv: r.g.o.Getenv})
	docs := dirty(r.g.o.Workspace, dir)
	maps.DeleteFunc(docs, func(rel string, _ workspace.Snapshot) bool { return !f.Takes(rel) || !tree.Visible(rel) })

	a := r.a
	a.Hidden = a.Hidden || pick.AsksHidden(a.Glob)
	rg := r.g.rg.find(ctx, append(slices.Clone(r.call.Roots), r.g.o.Workspace.Roots()...))
	rels, denied, ok := r.g.rg.candidates(ctx, rg, dir, tree, r.m, a, f)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !ok {
		r.each(ctx, dir, r.jobs(dir, walked(ctx, tree, f), docs))
		denied = tree.Unreadable()
	} else {
		r.each(ctx, dir, r.jobs(dir, listed(rels, tree, f), docs))
	}
	for _, d := range denied {
		r.told[noAccess] = append(r.told[noAccess], shown(r.call, filepath.Join(dir, filepath.FromSlash(d))))
	}
	return ctx.Err()
}

func walked(ctx context.Context, tree *walk.Tree, f pick.Filter) iter.Seq[string] {
	return func(yield func(string) bool) {
		for file := range tree.Files(ctx) {
			if !file.Link && f.Takes(file.Rel) && !yield(file.Rel) {
				return
			}
		}
	}
}

func listed(rels []string, tree *walk.Tree, f pick.Filter) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, rel := range rels {
			if f.Takes(rel) && tree.Visible(rel) && !yield(rel) {
				return
			}
		}
	}
}

// jobs puts the buffers among the files, in order.
func (r *run) jobs(dir string, rels iter.Seq[string], docs map[string]workspace.Snapshot) iter.Seq[job] {
	open := slices.SortedFunc(maps.Keys(docs), walk.Compare)
	buffer := func() job {
		d := docs[open[0]]
		j := job{open[0], d.Path, &d}
		open = open[1:]
		return j
	}
	return func(yield func(job) bool) {
		for rel := range rels {
			for len(open) > 0 && walk.Compare(open[0], rel) < 0 {
				if !yield(buffer()) {
					return
				}
			}
			if len(open) > 0 && open[0] == rel {
				if !yield(buffer()) {
					return
				}
				continue
			}
			if !yield(job{rel: rel, path: filepath.Join(dir, filepath.FromSlash(rel))}) {
				return
			}
		}
		for len(open) > 0 {
			if !yield(buffer()) {
				return
			}
		}
	}
}

// Files are searched so many at a time, fewer at first, so that a search that
// finds much ends early.
const (
	firstBatch = 32
	mostBatch  = 512
)

func (r *run) each(ctx context.Context, _ string, jobs iter.Seq[job]) {
	size := firstBatch
	var batch []job
	flush := func() bool {
		results := make([]found, len(batch))
		it := conciter.Iterator[job]{MaxGoroutines: max(runtime.GOMAXPROCS(0), 2)}
		it.ForEachIdx(batch, func(i int, j *job) { results[i] = r.one(ctx, *j) })
		for i, got := range results {
			if r.enough() {
				break
			}
			r.take(batch[i], got, false)
		}
		batch, size = batch[:0], min(2*size, mostBatch)
		r.atEnd = r.enough()
		return !r.atEnd && ctx.Err() == nil
	}
	for j := range jobs {
		if batch = append(batch, j); len(batch) >= size && !flush() {
			return
		}
	}
	flush()
}

// enough tells whether what is shown is found, and what is counted behind it.
func (r *run) enough() bool {
	return r.limits.Stop > 1 && r.hits >= r.limits.Stop
}

// one searches one file or buffer.
func (r *run) one(ctx context.Context, j job) found {
	if ctx.Err() != nil {
		return found{err: ctx.Err()}
	}
	if j.doc != nil {
		if j.doc.Lost {
			return found{err: workspace.ErrLost}
		}
		return found{Found: r.m.Search(ctx, []byte(j.doc.Text), r.limits)}
	}
	buf, _ := r.bufs.Get().(*[]byte)
	defer r.bufs.Put(buf)
	got, err := searchFile(ctx, r.m, j.path, r.a.Multiline, r.limits, buf)
	if cap(*buf) > 8<<20 {
		*buf = nil // one large file is no reason to keep that much
	}
	return found{got, err}
}

// take adds what one file gave; asked says that the call names the file itself.
func (r *run) take(j job, got found, asked bool) {
	reason := noneFound
	switch {
	case errors.Is(got.err, fs.ErrPermission):
		reason = noAccess
	case errors.Is(got.err, errTooLarge):
		reason = noSpan
	case errors.Is(got.err, workspace.ErrLost):
		reason = noLost
	}
	if reason != noneFound {
		r.told[reason] = append(r.told[reason], shown(r.call, j.path))
	}
	if got.err != nil || got.Count == 0 || !asked && !r.readable(j.path) {
		return
	}
	show := shown(r.call, j.path)
	r.files = append(r.files, matched{show, got.Found})
	r.hits += got.Count
	if j.doc != nil {
		r.unsave[show] = true
	}
}

func list(paths []string) string {
	const most = 5
	slices.Sort(paths)
	paths = slices.Compact(paths)
	s := strings.Join(paths[:min(len(paths), most)], ", ")
	if len(paths) > most {
		s += " and others"
	}
	return s
}
