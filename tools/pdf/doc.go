// Package pdf reads the text of PDF files, within bounds of size and time.
//
// Never: trust the file. The parser below it panics and loops on crooked ones:
// panics become errors, and a page that takes too long ends the reading.
package pdf
