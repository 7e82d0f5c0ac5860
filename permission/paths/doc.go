// Package paths says of a file's path what a permission needs to know: where
// it really lies, whether its content is a secret, and whether other programs
// take commands from it.
//
// Never: decide; open a file other than an .npmrc, whose text alone tells
// whether it holds a token.
package paths
