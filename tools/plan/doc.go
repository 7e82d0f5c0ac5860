// Package plan holds the tools update_plan, mode_set and mode_get: what an agent
// means to do, and how much of it the person lets it do.
//
// Never: decide on more rights (a person does); change a list of steps that a
// model wrote.
package plan
