// Package language asks the editor's own language servers, by
// companion/language/request and companion/diagnostics/await, what companion's
// would be asked otherwise: they run already, know the project as its user set
// it up, and have its buffers. Where the editor does not offer a method, fails,
// says nothing or says it in the wrong shape, companion's own client is asked.
//
// Never: apply an edit; give on an edit whose places do not lie in the present
// text of its file, or that is of another version; run a command of the
// editor's servers, whose edits it could not show first.
//
// # Concurrency
//
// A Language holds the code actions that were last offered, under a lock; all
// methods may be called at once.
package language
