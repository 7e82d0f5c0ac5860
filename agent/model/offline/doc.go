// Package offline is the model that companion has when none is set up:
// offline/quickfix. It writes no code. It fixes what language servers know how
// to fix: it reads diagnostics, asks for code actions, applies one, looks at
// the fresh diagnostics in the result and takes the change back by the inverse
// edit unless problems fell and none is new.
//
// It is a Provider like any other and sees only what a model sees: the request's
// items. Its next step is a function of them: the plan runs from the start at
// every step and is fed with the results that the transcript holds, so a turn
// can be resumed and nothing is kept between requests.
//
// The texts that it reads are those of the tools diagnostics, lsp, edit and
// read (docs/tools.md).
//
// Never: choose among rival fixes; silence a diagnostic instead of fixing it;
// say that something is fixed which no result said.
package offline
