// Package find is the tool tool_search, by which a model finds deferred tools,
// and the index behind it: BM25 over namespace, name, description, hint and
// properties.
//
// Never: find what the step may not call; change the registry; call a tool;
// order hits by anything but their score and name.
//
// # Concurrency
//
// An Index never changes once it is built. A Cache may be used from everywhere;
// who asks while an index is built waits for it.
package find
