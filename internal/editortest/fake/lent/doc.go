// Package lent is what an editor of tier 1 answers: the requests that companion
// makes of it, matched with the replies that a test prepared, right ones and
// wrong ones.
//
// Never: send anything itself; answer what no reply was prepared for.
package lent
