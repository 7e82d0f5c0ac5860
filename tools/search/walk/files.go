package walk

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/sourcegraph/conc"
)

// File is one that a walk comes by.
type File struct {
	Rel  string // from the folder, with slashes
	Link bool   // a symlink, to whatever
}

// node is a folder of a running walk.
type node struct {
	below string // from dir, "" or with a slash at its end
	up    *frame
	items []item
	ready chan struct{}
}

type item struct {
	name string
	link bool
	sub  *node // nil = a file
}

// Files gives regular files and symlinks, in the order of Compare. It ends when
// ctx does; who needs to know asks ctx. Pipes, devices and sockets are left out.
func (t *Tree) Files(ctx context.Context) iter.Seq[File] {
	return func(yield func(File) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		root := &node{up: t.start, ready: make(chan struct{})}
		c := &crew{t: t, stack: []*node{root}, open: 1}
		c.more.L = &c.mu
		defer context.AfterFunc(ctx, c.stop)()
		var wg conc.WaitGroup
		defer wg.Wait()
		defer c.stop()
		for range min(max(runtime.GOMAXPROCS(0), 2), 8) {
			wg.Go(func() { c.work(ctx) })
		}
		give(ctx, root, yield)
	}
}

func give(ctx context.Context, n *node, yield func(File) bool) bool {
	select {
	case <-n.ready:
	case <-ctx.Done():
		return false
	}
	for i, it := range n.items {
		if it.sub == nil {
			if !yield(File{n.below + it.name, it.link}) {
				return false
			}
			continue
		}
		if !give(ctx, it.sub, yield) {
			return false
		}
		n.items[i].sub = nil // a large tree is not kept
	}
	return ctx.Err() == nil
}

// crew are the goroutines that list folders, the first in order first.
type crew struct {
	t *Tree

	mu    sync.Mutex
	more  sync.Cond
	stack []*node
	open  int // folders that are not listed yet
	over  bool
}

func (c *crew) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	c.more.Broadcast()
}

func (c *crew) next() *node {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.stack) == 0 && c.open > 0 && !c.over {
		c.more.Wait()
	}
	if c.over || len(c.stack) == 0 {
		return nil
	}
	n := c.stack[len(c.stack)-1]
	c.stack = c.stack[:len(c.stack)-1]
	return n
}

func (c *crew) work(ctx context.Context) {
	for n := c.next(); n != nil; n = c.next() {
		c.t.list(ctx, n)
		c.mu.Lock()
		for i := len(n.items) - 1; i >= 0; i-- {
			if sub := n.items[i].sub; sub != nil {
				c.stack = append(c.stack, sub)
				c.open++
			}
		}
		if c.open--; c.open == 0 || len(c.stack) > 1 {
			c.more.Broadcast()
		}
		c.mu.Unlock()
		close(n.ready)
	}
}

// list reads a folder into its node.
func (t *Tree) list(ctx context.Context, n *node) {
	abs := filepath.Join(t.dir, filepath.FromSlash(n.below))
	entries, err := readDir(ctx, abs)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && ctx.Err() == nil {
		t.mu.Lock()
		t.unreadable = append(t.unreadable, strings.TrimSuffix(n.below, "/"))
		t.mu.Unlock()
	}
	git, ignore := false, false
	for _, e := range entries {
		git = git || e.Name() == ".git"
		ignore = ignore || e.Name() == ".gitignore"
	}
	f := t.inside(n.up, n.below, git, ignore)
	for _, e := range entries {
		mode := e.Type()
		if mode&^(fs.ModeDir|fs.ModeSymlink) != 0 || !t.keeps(f, n.below+e.Name(), mode.IsDir()) {
			continue
		}
		it := item{name: e.Name(), link: mode != 0}
		if mode.IsDir() {
			it = item{name: it.name, sub: &node{below: n.below + it.name + "/", up: f, ready: make(chan struct{})}}
		}
		n.items = append(n.items, it)
	}
	slices.SortFunc(n.items, func(a, b item) int { return strings.Compare(a.name, b.name) })
}

// readDir gives what could be read of a folder, in no order.
func readDir(ctx context.Context, path string) ([]fs.DirEntry, error) {
	d, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	var all []fs.DirEntry
	for {
		some, err := d.ReadDir(4096)
		if all = append(all, some...); err != nil || ctx.Err() != nil {
			if len(some) == 0 && err != nil && errors.Is(err, io.EOF) {
				err = nil
			}
			return all, err
		}
	}
}
