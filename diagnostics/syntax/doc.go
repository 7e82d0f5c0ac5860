// Package syntax finds the function that encloses a place in a file, for Go,
// TypeScript, JavaScript and Python, and the declarations of a file, for those,
// Rust, Java, C and bash, by tree-sitter.
//
// The parsers are C: without cgo, or with the build tag notreesitter, the
// package says that it is absent and finds nothing.
//
// Never: report a syntax error as a fact (the grammars are of 2024 and flag
// valid newer syntax); keep a tree.
package syntax
