package router

import "companion/tools"

// Cache keeps the last box of one thread. The zero value has none.
type Cache struct {
	key key
	box *tools.Box
	// crowded stays once there were too many tools to list: when one of them
	// goes, the others do not all come into the list.
	crowded bool
}

// key is all that a box depends on.
type key struct {
	registry     *tools.Registry
	revision     int
	mode         tools.Mode
	agent        string
	model        Model
	switches     *Switches
	told, loaded list
}

// list stands for a slice of names that is replaced and never written.
type list struct {
	first *string
	n     int
}

func listOf(names []string) list {
	if len(names) == 0 {
		return list{}
	}
	return list{&names[0], len(names)}
}

// Box is the box of a step: the last one, for as long as nothing that it depends
// on changed. told and loaded are those of tools.BoxOptions; they must not be
// written to afterwards.
func (c *Cache) Box(reg *tools.Registry, in Scene, told, loaded []string) *tools.Box {
	k := key{reg, reg.Revision(), in.Mode, in.Agent, in.Model, in.Switches, listOf(told), listOf(loaded)}
	if c.box != nil && c.key == k {
		return c.box
	}
	in.crowded = c.crowded
	c.box = reg.Box(tools.BoxOptions{
		Stand: func(specs []tools.Spec) []tools.Standing {
			out, crowded := stand(specs, in)
			c.crowded = c.crowded || crowded
			return out
		},
		Told: told, Loaded: loaded,
	})
	k.revision = c.box.Revision
	c.key = k
	return c.box
}
