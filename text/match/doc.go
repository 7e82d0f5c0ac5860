// Package match finds a text that a model remembers in the text that a file
// really has: exactly, and, where that fails, by passes that forgive one kind
// of difference each. Line endings are "\n" in all texts that it is given.
//
// Never: choose between several places; take a span that is far larger than
// what was sought; touch files.
package match
