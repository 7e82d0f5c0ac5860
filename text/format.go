package text

// Format is what is lost when bytes become a Go string: how to get the same
// bytes back.
type Format struct {
	BOM     bool
	Charset Charset // "" = UTF-8
}

// Charset of a file on disk.
type Charset string

// The charsets that are recognised. Latin1 is taken for anything that is not
// valid UTF-8 and has no NUL bytes.
const (
	CharsetUTF8    Charset = "utf-8"
	CharsetUTF16LE Charset = "utf-16le"
	CharsetUTF16BE Charset = "utf-16be"
	CharsetLatin1  Charset = "latin-1"
)
