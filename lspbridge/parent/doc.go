// Package parent sees whether the editor's process lives: one that dies without
// a word leaves no server behind.
//
// Never: signal a process; wait for one that is no child.
package parent
