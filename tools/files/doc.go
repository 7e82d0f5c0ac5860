// Package files turns the paths that a model writes into files of the
// workspace, and what goes wrong with files into words that a model can act on.
// The tools that touch files share it.
//
// Never: read or change a file's content.
package files
