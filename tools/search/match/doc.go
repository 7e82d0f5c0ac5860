// Package match searches texts for a pattern, line by line or across lines, and
// words the pattern for ripgrep, so that ripgrep finds at least the files in
// which Matcher finds something.
//
// The dialect is RE2's as Go reads it, and what \d, \w, \s and \b mean is
// ASCII.
//
// Never: open a file; walk folders.
package match
