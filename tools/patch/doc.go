// Package patch holds the tool apply_patch: one text that adds, changes, moves
// and deletes any number of files, all or none. Package syntax reads the text,
// package match finds the places, workspace writes.
//
// Never: guess which of several places is meant; replace a file that was not
// read; write to disk (workspace does); tell what a file holds before the policy
// has judged the call.
package patch
