// Package sections keeps what a step knows besides the talk up to date: of each
// provider's text only what differs from the last one sent is told.
//
// Never: take back a text that was sent; say anything of its own.
package sections
