// Package editor is the models that the editor lends: it puts a request into
// messages (companion/model/call of docs/protocol.md) and reads the parts that
// come back. Who speaks to the editor implements Caller.
//
// Tools travel under flat names, namespace__name. Companion's own words in the
// middle of a thread go as the user's, in <developer> tags, since not every
// editor's API knows another role. A model that cannot call tools is told of
// none, one that cannot see images gets none.
//
// Never: ask a model that is not lent any more; take a stream that broke off as
// whole.
//
// # Concurrency
//
// Models and Provider are safe for concurrent use. Streams do not know of each
// other.
package editor
