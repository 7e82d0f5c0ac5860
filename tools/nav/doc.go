// Package nav holds the tools diagnostics and lsp, over what language servers
// know. The forms of their texts are a contract: an offline planner reads them.
//
// Never: trust an edit that a server supplied (ranges and paths are checked,
// and it lands as any other edit); call a file clean that is not known to be.
package nav
