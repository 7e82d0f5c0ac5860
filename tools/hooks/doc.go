// Package hooks lets others have a say in calls: block one, change its
// arguments, answer for a person, keep a result from the model, add to what it
// reads, hear of it. Here they are Go values; who runs programs as hooks wraps
// them.
//
// The stages, in the order of the line in internal/app:
//
//	Notices → … → After → answer → lookup → validate → Before → prepare → policy → Approve → approval → … → run
//
// Hooks act in the order in which they are set; each sees what those before it
// left. A hook that fails, panics or does not answer in time fails safe:
//
//   - one that may block (PreCall) blocks, one that may withhold (PostCall)
//     withholds, unless it is Lenient: then the call goes on, and the model is
//     told;
//   - one that may answer for a person has no opinion: the person is asked;
//   - one that only hears (Lifecycle), or defines, changes nothing.
//
// No hook grants what a rule denies, or answers for a call that has to be asked
// for each time.
//
// Never: know a tool; hide from the log what a tool said; change a name, a form
// or a schema.
//
// # Concurrency
//
// A Set is safe for concurrent use. Hooks of different calls run at the same
// time; those of one call one after the other.
package hooks
