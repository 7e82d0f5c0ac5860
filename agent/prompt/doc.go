// Package prompt words what a model is told: the base instructions per mode,
// the person's input, the tools; and it tells when the beginning of a request
// differs from the one before.
//
// Never: say something that changes by itself, such as the time; change what
// was said in an earlier step.
package prompt
