// Package turns is what others see of turns: how one waits, what runs, and how
// one ended.
//
// Never: run one.
package turns
