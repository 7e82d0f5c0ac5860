// Package limit is the stage that keeps results within their budgets: head and
// tail stay, the whole goes to a file that can be read.
//
// Never: leave something out without saying how much and where it is.
package limit
