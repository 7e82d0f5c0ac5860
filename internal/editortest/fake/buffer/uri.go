package buffer

import (
	"net/url"
	"path/filepath"
	"strings"
)

// URI is the file URI of an absolute path, as an editor would spell it.
func URI(path string) string {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // C:/x
	}
	return (&url.URL{Scheme: "file", Path: p}).String()
}

// Path is the inverse of URI; "" for another scheme.
func Path(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	p := u.Path
	if len(p) > 2 && p[0] == '/' && p[2] == ':' {
		p = p[1:]
	}
	return filepath.FromSlash(p)
}

// languages are the ids of LSP 3.17, TextDocumentItem.
var languages = map[string]string{
	".go": "go", ".ts": "typescript", ".tsx": "typescriptreact", ".js": "javascript", ".jsx": "javascriptreact",
	".py": "python", ".rs": "rust", ".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".json": "json",
	".md": "markdown", ".sh": "shellscript", ".yaml": "yaml", ".yml": "yaml",
}

// Language is the LSP language id of a file by its name.
func Language(path string) string {
	if filepath.Base(path) == "go.mod" {
		return "go.mod"
	}
	if id, ok := languages[filepath.Ext(path)]; ok {
		return id
	}
	return "plaintext"
}
