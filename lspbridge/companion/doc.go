// Package companion answers the companion/* requests of an editor, one file for
// each family of methods, and holds the table of all of them, in both
// directions.
//
// Never: decide anything that a room behind the bridge decides; leave a field
// of a request unchecked.
package companion
