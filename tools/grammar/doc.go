// Package grammar checks text against a Lark grammar, where the vendor of a
// model does not hold the model to it. It knows the part of Lark that vendors
// take: rules, terminals of strings, ranges and regular expressions, groups,
// | ? * + ~, aliases, priorities, %import of common terminals, %ignore. It is a
// leaf, and only recognises: it builds no tree.
//
// Rules may be ambiguous and recursive in any way. A terminal matches the
// longest text that it can at its place, as the lexers of vendors do.
//
// Never: refuse a text that it had no time to check (1 MB, 2 s).
//
// # Concurrency
//
// A Grammar is immutable and safe for concurrent use.
package grammar
