// Package gate is the stage that lets calls run side by side where they touch
// different things, and one after the other where they touch the same.
//
// Never: know a tool; hold a lock while a person is asked, a tool is prepared or
// a source is waited for.
//
// # Concurrency
//
// Locks is safe for concurrent use; one serves a whole process.
package gate
