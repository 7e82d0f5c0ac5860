// Package preset is the table of language servers that companion knows: how
// each is found, started and listened to, and how it is installed.
//
// Never: start a program that lies inside the workspace unless it is trusted.
package preset
