// Package syntax reads patches of the form that begins with "*** Begin Patch",
// whole or as they come, as models really write them: wrapped in a heredoc, a
// fence or JSON, indented, without their first or last line. What it had to
// understand beyond the grammar is told in Patch.Healed.
//
// Never: look at a file; guess where two readings are possible.
package syntax
