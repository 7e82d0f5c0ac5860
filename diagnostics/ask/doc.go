// Package ask puts questions to a language server: code actions and their
// edits, places of a symbol, hover.
//
// Never: apply an edit (it is checked against the server's present text and
// handed back); run a server's command without taking the edits it asks for.
package ask
