// Command fixtable measures "companion fix" on real modules: it copies a public
// module, breaks it by a seeded script, runs the built binary on the broken
// files and prints a table of what was fixed and what is left, with the errors
// of the compiler before and after.
//
//	go run ./internal/fixtable [-seeds 5] [-modules 2] [-bin bin/companion] [-npm]
//
// Never: change anything outside its temporary folder.
package main
