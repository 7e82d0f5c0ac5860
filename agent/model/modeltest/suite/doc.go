// Package suite is what every model provider must keep, whatever its vendor: how
// streams end, what faults are called, what requests look like, over the
// vendor's wire.
//
// Never: know a provider; reach anything but 127.0.0.1.
package suite
