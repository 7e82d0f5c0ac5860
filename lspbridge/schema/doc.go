// Package schema renders the companion/* surface for other programs and for
// people: JSON Schema, TypeScript and the tables of docs/protocol.md, all from
// the table of methods and the Go types of the wire.
//
// Never: know a field that the wire types do not have.
package schema
