// Package place gives one name to one file: paths and file URIs in every
// spelling that editors, servers and models use, and paths through symlinks.
//
// Never: change anything on disk, or know roots and buffers.
package place
