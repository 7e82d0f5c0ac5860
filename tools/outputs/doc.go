// Package outputs holds tools to the structured results that they declare: the
// schema is told to the model as a line of the description, and what a call
// gave is checked against it.
//
// Never: change a result that fits.
//
// # Concurrency
//
// Stages are safe for concurrent use.
package outputs
