// Package web is the tool web_fetch: one page or file of the web as text that a
// model can read.
//
// Never: connect to an address of a private network that was not asked for;
// follow a redirect to another host; read more than was allowed; send cookies,
// credentials or a made-up user agent.
//
// # Concurrency
//
// A Fetcher serves any number of calls at the same time.
package web
