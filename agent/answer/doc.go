// Package answer reads a model's stream into the transcript: deltas become
// events, complete items are appended, calls start while more is coming.
//
// Never: take a stream that broke off as whole; append what a retried request
// had given before.
package answer
