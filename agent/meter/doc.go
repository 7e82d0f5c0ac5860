// Package meter knows how much of a model's window a thread takes, and when it
// should be shortened.
//
// Never: shorten anything; ask for it again before the thread has grown.
package meter
