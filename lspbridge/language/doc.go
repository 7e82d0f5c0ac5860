// Package language asks the editor's own language servers, by
// companion/language/request, what companion's would be asked otherwise: they
// run already, know the project as its user set it up, and have its buffers.
//
// Never: diagnostics and code actions, whose freshness and edits only
// companion's own client can vouch for.
//
// # Concurrency
//
// A Language holds no state of its own; all methods may be called at once.
package language
