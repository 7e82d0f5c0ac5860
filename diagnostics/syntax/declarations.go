package syntax

import (
	"path/filepath"
	"strings"

	"companion/tools/lang"
)

// Declarations is a lang.Declarations. It is false for all where no parsers are
// built in (Available).
func Declarations(name, src string) ([]lang.Declaration, bool) {
	return declarations(declared(name), src)
}

// declared names the grammar of a file for its declarations: those of language,
// and "rust", "java", "c" and "bash".
func declared(name string) string {
	if l := language(name); l != "" {
		return l
	}
	ext := strings.TrimPrefix(filepath.Ext(name), ".")
	if ext == "" {
		ext = filepath.Base(name)
	}
	switch strings.ToLower(ext) {
	case "rs", "rust":
		return "rust"
	case "java":
		return "java"
	case "c", "h":
		return "c"
	case "sh", "bash", "bats", "bashrc", "bash_profile", "profile", "shellscript":
		return "bash"
	}
	return ""
}
