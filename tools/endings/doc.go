// Package endings says which line endings and which charset a text gets: those
// of the file that it replaces, or those that the project wants of a new file
// (.editorconfig, then .gitattributes).
//
// Never: change anything else of a text, such as a last line ending; ask git, or
// obey its core.autocrlf, which is the user's and not the project's.
package endings
