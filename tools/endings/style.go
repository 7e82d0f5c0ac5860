package endings

import (
	"context"
	"path/filepath"
	"runtime"
	"strings"

	"companion/text"
	"companion/workspace"
)

// Style is what a project wants of a new file.
type Style struct {
	Ending string      // text.LF, CRLF or CR; "" = nothing is said, so that the text stays as it is
	Format text.Format // zero = nothing is said: UTF-8 without byte order mark
	Said   string      // the file that says so, for words; "" = none
}

// Apply gives a text the endings of the style.
func (s Style) Apply(content string) string {
	if s.Ending == "" {
		return content
	}
	return text.WithEnding(content, s.Ending)
}

// New gives a text for a new file the style's endings, and the format to write
// it in: a byte order mark at its start becomes the format's, and a charset that
// cannot hold the text is UTF-8 instead; then told says so, with a leading
// space.
func (s Style) New(content string) (out string, f text.Format, told string) {
	f = s.Format
	if cut, ok := strings.CutPrefix(content, "\ufeff"); ok {
		content = cut
		if f.Charset == "" {
			f = text.Format{BOM: true, Charset: text.CharsetUTF8}
		}
	}
	out = s.Apply(content)
	if _, err := text.Encode(out, f); err != nil && f.Charset != "" && f.Charset != text.CharsetUTF8 {
		return out, text.Format{}, " " + s.Said + " asks for " + string(f.Charset) + ", which cannot hold this text; it was written in UTF-8."
	}
	return out, f, ""
}

// mostFolders is how many folders above a file are looked into.
const mostFolders = 40

// Of says what the project wants of a new file at a canonical path. Files that
// cannot be read say nothing.
func Of(ctx context.Context, ws *workspace.Workspace, path string) Style {
	read := func(path string) string {
		snap, err := ws.Read(ctx, path)
		if err != nil || len(snap.Text) > mostConfig {
			return ""
		}
		return snap.Text
	}
	wish := editorconfig(read, path)
	s := Style{Format: charset(wish["charset"])}
	if s.Format != (text.Format{}) {
		s.Said = ".editorconfig"
	}
	switch wish["end_of_line"] {
	case "lf":
		s.Ending = text.LF
	case "crlf":
		s.Ending = text.CRLF
	case "cr":
		s.Ending = text.CR
	}
	if s.Ending != "" {
		s.Said = ".editorconfig"
		return s
	}
	if s.Ending = gitEnding(gitattributes(read, path)); s.Ending != "" && s.Said == "" {
		s.Said = ".gitattributes"
	}
	return s
}

// mostConfig is the size of the largest file that is looked at, in bytes.
const mostConfig = 256 << 10

func charset(name string) text.Format {
	switch name {
	case "utf-8":
		return text.Format{Charset: text.CharsetUTF8}
	case "utf-8-bom":
		return text.Format{BOM: true, Charset: text.CharsetUTF8}
	case "latin1":
		return text.Format{Charset: text.CharsetLatin1}
	case "utf-16le":
		return text.Format{BOM: true, Charset: text.CharsetUTF16LE}
	case "utf-16be":
		return text.Format{BOM: true, Charset: text.CharsetUTF16BE}
	}
	return text.Format{}
}

// gitEnding is the ending of a file in the working tree, as gitattributes(5)
// has it: what is text without eol gets the system's own.
func gitEnding(attr map[string]string) string {
	switch {
	case attr["text"] == "unset":
		return ""
	case attr["eol"] == "lf":
		return text.LF
	case attr["eol"] == "crlf":
		return text.CRLF
	case (attr["text"] == "set" || attr["text"] == "auto") && runtime.GOOS != "windows":
		return text.LF
	}
	return ""
}

// above are the folders that hold a path, the innermost first.
func above(path string) (out []string) {
	for dir := filepath.Dir(path); len(out) < mostFolders; dir = filepath.Dir(dir) {
		out = append(out, dir)
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return out
}

func relative(dir, path string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(rel)
}
