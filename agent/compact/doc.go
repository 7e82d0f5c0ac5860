// Package compact shortens what a model is sent of a thread: what the person
// said stays word for word as far as there is room, the rest becomes a summary,
// by the model or, where there is none or it cannot take the thread any more,
// a list of what was done.
//
// Never: ask a model twice; give back more than came in; leave a call without
// its result (no calls are left at all).
package compact
