// Package fakels is a language server that finds problems by rules: words of a
// text that are wrong, and what to put instead. It serves scenarios, in this
// process or as a child, where a real server would be slow or would not hang,
// stay silent or die on demand.
//
// Rules, a line each:
//
//	error "WORD" "MESSAGE" [fix "TEXT"]     each WORD is an error; the quick fix puts TEXT instead
//	warning "WORD" "MESSAGE" [fix "TEXT"]
//	delay 300ms                             publish that late
//	silent                                  never publish
//	silent-initialize                       never answer initialize
//	die-on "WORD"                           end when a text holds WORD
//
// Never: import anything of the product.
package fakels
