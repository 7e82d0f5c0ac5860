// Package foreign makes JSON Schemas that come from outside (the editor, MCP
// servers) usable: normalised to one draft, checked, shortened to a budget, and
// compiled when they are first needed. Plain cleans texts from outside.
//
// Never: open what a schema refers to; change the order of properties, or what
// a schema accepts, in the text that arguments are checked against.
package foreign
