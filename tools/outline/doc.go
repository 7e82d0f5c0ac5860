// Package outline holds the tool outline: the declarations of one file with their
// lines. The parsers are given to it.
//
// Never: parse by itself; say that code is wrong.
package outline
