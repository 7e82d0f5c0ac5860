// Package modeltest is a loopback HTTP server that speaks the wire of one model
// vendor and answers with scripted turns: text, calls, usage, and on demand
// everything that goes wrong on a network. It records what it was asked.
//
// It fails the test on a request that no turn is left for, on a request that
// lacks what its turn expects, and on turns that were never asked for.
//
// Never: reach anything but 127.0.0.1, check a key, think.
//
// Concurrency: a Server answers requests from several goroutines; turns are
// handed out in the order in which the requests arrive.
package modeltest
