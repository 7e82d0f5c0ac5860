// Package remember keeps the rules that people allowed for good, by project, in
// companion's state folder: never in the project, whose files may come from
// anybody.
//
// Never: judge; keep a rule that is not an allow; read a file of a workspace.
//
// # Concurrency
//
// A Store is safe for concurrent use. Processes that share a state folder see
// each other's rules; of two that add at the same instant, one may be lost and
// is asked for again.
package remember
