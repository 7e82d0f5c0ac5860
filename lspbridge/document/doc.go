// Package document handles what the editor tells of its documents, folders,
// settings and files, one file per method. Every handler runs one at a time,
// in the order of the wire, and never waits.
//
// Never: call back to the editor; read a file; decide anything about a turn.
package document
