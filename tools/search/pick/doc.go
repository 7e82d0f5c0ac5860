// Package pick says which files a search takes, by their names: globs as models
// write them, and kinds of files. A name that exists is a name, whatever
// characters it holds.
//
// Never: open a file.
package pick
