// Package edit holds the tool edit: exact, unique replacements in one file.
//
// Never: guess which of several places is meant; write to disk (workspace
// does); tell what a file holds before the policy has judged the call.
package edit
