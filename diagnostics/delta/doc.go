// Package delta compares two lists of diagnostics of one file across an edit,
// and puts the difference into words for the model.
//
// Never: call a list clean that is not known.
package delta
