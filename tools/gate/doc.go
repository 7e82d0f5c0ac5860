// Package gate is the stage that lets calls run side by side where they touch
// different things, and one after the other where they touch the same.
//
// Locks are held over all threads, Line keeps the calls of one step in call
// order. Both together cannot deadlock: a call takes its place in the line
// first and holds no lock while it waits there, it waits there only for calls
// before it, and it takes all of its locks at once.
//
// What a rule allows does not queue behind a question to a person, unless that
// question is of a call that is known to touch the same thing: a read of a file
// waits for the edit in front of it, a read behind a command does not.
//
// Never: know a tool; hold a lock while a person is asked or a source is waited
// for.
//
// # Concurrency
//
// Locks and Line are safe for concurrent use; one Locks serves a whole process,
// a Line serves one step.
package gate
