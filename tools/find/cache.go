package find

import (
	"hash/maphash"
	"sync"

	"companion/tools"
)

// Cache keeps the indexes of the last few boxes, by the registry's revision and
// the tools that are deferred in them. An index is built when it is asked for.
type Cache struct {
	seed maphash.Seed
	mu   sync.Mutex
	list []cached // the last used first
}

// cached is one index and what it was built of.
type cached struct {
	revision int
	sum      uint64 // of the full names
	index    *Index
}

// mostCached bounds the indexes that are kept: threads differ in what they may
// call by mode and model, and there are few such kinds at a time.
const mostCached = 4

// NewCache is an empty cache.
func NewCache() *Cache { return &Cache{seed: maphash.MakeSeed()} }

// Of is the index of specs, which a registry of that revision gave.
func (c *Cache) Of(revision int, specs []tools.Spec) *Index {
	var h maphash.Hash
	h.SetSeed(c.seed)
	for _, s := range specs {
		_, _ = h.WriteString(s.Namespace) // a Hash's writes do not fail
		_ = h.WriteByte('.')
		_, _ = h.WriteString(s.Name)
		_ = h.WriteByte(0)
	}
	sum := h.Sum64()
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, e := range c.list {
		if e.revision == revision && e.sum == sum {
			copy(c.list[1:i+1], c.list[:i])
			c.list[0] = e
			return e.index
		}
	}
	e := cached{revision, sum, New(specs)}
	c.list = append([]cached{e}, c.list[:min(len(c.list), mostCached-1)]...)
	return e.index
}
