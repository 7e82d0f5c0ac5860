package wire

import (
	"os"

	"companion/session"
	"companion/text"

	"go.lsp.dev/uri"
)

// EncodeRange gives the wire form of r, which must be in the encoding of the
// connection already.
func EncodeRange(r text.Range) Range { return Range{Position(r.Start), Position(r.End)} }

// Folder gives the canonical path of a folder that exists here, by its file
// URI.
func Folder(id string) (string, bool) {
	path, ok := FilePath(id)
	if !ok {
		return "", false
	}
	info, err := os.Stat(path)
	return path, err == nil && info.IsDir()
}

// FilePath is the path of a file URI, whether something is there or not.
func FilePath(id string) (string, bool) {
	u, err := uri.Parse(id)
	if err != nil || !u.IsFile() {
		return "", false
	}
	return u.FsPath(), true
}

// FileURI is the file URI of a path; it leaves what is a URI already (unsaved buffers) as it is.
func FileURI(path string) string {
	if u, err := uri.ParseStrict(path); err == nil && len(u.Scheme()) > 1 { // one letter is a drive
		return path
	}
	return string(uri.File(path))
}

// EncodeThread gives the wire form: every place on the wire is a URI.
func EncodeThread(t session.Info) Thread {
	if t.Cwd != "" {
		t.Cwd = string(uri.File(t.Cwd))
	}
	return t
}

// List makes an empty list of none: the wire has no null for lists.
func List[T any](in []T) []T {
	if in == nil {
		return []T{}
	}
	return in
}
