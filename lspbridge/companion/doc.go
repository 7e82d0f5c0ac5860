// Package companion holds the wire form of the companion/* surface: how events
// of a thread look to an editor and to companion run --json.
//
// Never: change an event; leave a field of docs/protocol.md out because it is
// zero.
package companion
