// Package subset cuts JSON Schemas of arguments down to what a vendor takes:
// what it would refuse the whole request for is rewritten or left out, all else
// stays byte for byte, properties in their order. It is for reading only, since
// arguments are checked by us against the whole schema.
//
// Never: make a schema stricter than it was; know a vendor's wire.
package subset
