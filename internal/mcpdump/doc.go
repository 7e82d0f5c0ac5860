// Command mcpdump writes down the tools that MCP servers of npm offer, as the
// corpus on which the search for tools is measured: it installs each server of
// servers.json in a folder of its own, starts it over stdio, asks for its tools
// and writes one JSON file for each.
//
//	go run ./internal/mcpdump -work FOLDER -out tools/find/testdata/corpus [PACKAGE…]
//
// Never: start a server with a real key (the keys in servers.json are made up);
// call a tool; write paths of this machine into the corpus.
package main
