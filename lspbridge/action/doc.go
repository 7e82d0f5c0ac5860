// Package action answers textDocument/codeAction: what companion offers for a
// place in a file. It only lists; each action carries a command that the editor
// sends back when a person chooses it.
//
// Never: ask a model, a language server or the editor; start anything; mark an
// action as preferred or as a source action.
package action
