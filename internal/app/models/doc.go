// Package models finds the model providers that settings, environment and the
// editor name.
//
// Never: make a provider before somebody asks for it; ask an editor for a key
// twice; keep a key anywhere but in memory.
//
// # Concurrency
//
// Models is safe for concurrent use.
package models
