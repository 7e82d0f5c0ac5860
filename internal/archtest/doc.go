// Package archtest holds the rules of docs/architecture.md as tests: which
// package may import which, how large files, functions and packages may be, no
// bare go statement, no package-level state by init. It parses the tree with
// go/parser.
//
// Never: run anything of the tree, or loosen a limit for one package.
package archtest
