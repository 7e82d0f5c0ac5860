// Package fs holds the tools read and write: one file a tool, its description
// beside it.
//
// Never: write to disk (workspace does); decide whether a path may be touched
// (the policy does).
package fs
