package walk

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Options of Open.
type Options struct {
	// Hidden: names that begin with a dot are visited too, .git aside.
	Hidden bool
	// Ignored: ignore files do not count.
	Ignored bool
	// Top is the folder from which ignore files count where no git repository
	// holds dir; "" = dir.
	Top string
	// Getenv finds git's configuration; nil = os.Getenv.
	Getenv func(string) string
}

// Tree is what of a folder is to be visited.
type Tree struct {
	dir    string // what is walked
	prefix string // from the top to dir, "" or with a slash at its end
	top    string
	git    bool
	o      Options
	getenv func(string) string
	start  *frame // what counts in dir, its own ignore file not yet

	mu         sync.Mutex
	unreadable []string
	frames     map[string]*frame // by folder from dir, see Visible
}

// Open looks at what lies above dir, a canonical absolute path. A folder that
// is itself ignored and asked for by name is visited as if nothing were.
func Open(dir string, o Options) *Tree {
	t := &Tree{dir: dir, o: o, getenv: o.Getenv, frames: map[string]*frame{}}
	if t.getenv == nil {
		t.getenv = os.Getenv
	}
	if t.top, t.git = gitTop(dir); !t.git {
		t.top = dir
		if rel, err := filepath.Rel(o.Top, dir); err == nil && o.Top != "" && filepath.IsLocal(rel) {
			t.top = o.Top
		}
	}
	rel, err := filepath.Rel(t.top, dir)
	if err != nil {
		rel = "."
	}
	t.prefix = strings.TrimPrefix(filepath.ToSlash(rel)+"/", "./")
	if o.Ignored {
		return t
	}
	if t.git {
		t.start = t.ofRepo(t.top, 0)
	}
	above := ""
	for part := range strings.SplitSeq(strings.TrimSuffix(t.prefix, "/"), "/") {
		if part == "" {
			break
		}
		t.start = with(t.start, filepath.Join(t.top, filepath.FromSlash(above)), above)
		above += part + "/"
		if t.start.ignored(strings.TrimSuffix(above, "/"), true) {
			t.o.Ignored, t.start = true, nil
			break
		}
	}
	return t
}

// Git tells whether the folder lies in a git work tree.
func (t *Tree) Git() bool { return t.git }

// All tells whether ignore files do not count: as asked, or because the folder
// is itself ignored.
func (t *Tree) All() bool { return t.o.Ignored }

// IgnoreFileAtTop tells whether the top holds an ignore file; for a folder
// outside git.
func (t *Tree) IgnoreFileAtTop() bool {
	_, err := os.Lstat(filepath.Join(t.top, ".gitignore"))
	return err == nil
}

// with adds a folder's ignore file, if it has one. git reads no symlink here.
func with(up *frame, dir, base string) *frame {
	file := filepath.Join(dir, ".gitignore")
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() {
		return up
	}
	rules := parse(readSmall(file))
	if len(rules) == 0 {
		return up
	}
	return &frame{up, len(base), rules}
}

// inside is what counts in a folder: its path from dir with a slash ("" = dir),
// and which of the two names it holds.
func (t *Tree) inside(up *frame, below string, git, ignore bool) *frame {
	if t.o.Ignored {
		return nil
	}
	base := t.prefix + below
	abs := filepath.Join(t.dir, filepath.FromSlash(below))
	if git && base != "" {
		up = t.ofRepo(abs, len(base)) // another repository begins here
	}
	if ignore {
		up = with(up, abs, base)
	}
	return up
}

// keeps tells whether an entry is visited; its path is from dir.
func (t *Tree) keeps(f *frame, rel string, dir bool) bool {
	name := path.Base(rel)
	if name == ".git" || name[0] == '.' && !t.o.Hidden {
		return false
	}
	return !f.ignored(t.prefix+rel, dir)
}

// Visible tells whether a walk comes by a file: its path from dir, with
// slashes. The file need not exist.
func (t *Tree) Visible(rel string) bool {
	if rel == "." || !filepath.IsLocal(filepath.FromSlash(rel)) || rel != path.Clean(rel) {
		return false
	}
	f, at := t.frameOf("", nil), 0
	for {
		i := strings.IndexByte(rel[at:], '/')
		if i < 0 {
			return t.keeps(f, rel, false)
		}
		if !t.keeps(f, rel[:at+i], true) {
			return false
		}
		at += i + 1
		f = t.frameOf(rel[:at], f)
	}
}

// frameOf is inside, remembered.
func (t *Tree) frameOf(below string, up *frame) *frame {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f, ok := t.frames[below]; ok {
		return f
	}
	abs := filepath.Join(t.dir, filepath.FromSlash(below))
	if below == "" {
		up = t.start
	}
	_, err := os.Lstat(filepath.Join(abs, ".git"))
	f := t.inside(up, below, err == nil, true)
	t.frames[below] = f
	return f
}

// Unreadable are the folders that could not be listed, from dir, sorted.
func (t *Tree) Unreadable() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Sorted(slices.Values(t.unreadable))
}

// Compare orders two paths as a walk comes by them.
func Compare(a, b string) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		switch {
		case a[i] == b[i]:
		case a[i] == '/':
			return -1
		case b[i] == '/':
			return 1
		default:
			return int(a[i]) - int(b[i])
		}
	}
	return len(a) - len(b)
}
