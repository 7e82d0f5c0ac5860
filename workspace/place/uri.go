package place

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Windows tells whether paths are those of Windows; the functions of this
// package take it as an argument, so that both kinds are tested everywhere.
const Windows = runtime.GOOS == "windows"

// ErrNotFile: a URI that names no file.
var ErrNotFile = errors.New("not a regular file")

// FromURI gives the file name in a file URI, decoded once: "%2520" is "%20",
// "+" stays "+". A "?" or "#" that a client forgot to encode is part of the
// name, as is a "%" without two hex digits.
func FromURI(uri string, windows bool) (string, error) {
	scheme, rest, ok := strings.Cut(uri, ":")
	if !ok || !strings.EqualFold(scheme, "file") {
		return "", fmt.Errorf("%s: %w: not a file URI", uri, ErrNotFile)
	}
	host := ""
	if r, ok := strings.CutPrefix(rest, "//"); ok {
		i := strings.IndexByte(r, '/')
		if i < 0 {
			return "", fmt.Errorf("%s: %w: a file URI without a path", uri, ErrNotFile)
		}
		host, rest = r[:i], r[i:]
	}
	p := unescape(rest)
	if strings.EqualFold(host, "localhost") {
		host = ""
	}
	if !windows {
		if host != "" {
			return "", fmt.Errorf("%s: %w: it names the host %q", uri, ErrNotFile, host)
		}
		if !strings.HasPrefix(p, "/") {
			return "", fmt.Errorf("%s: %w: its path is not absolute", uri, ErrNotFile)
		}
		return p, nil
	}
	p = strings.ReplaceAll(p, "/", `\`)
	if host != "" {
		return `\\` + unescape(host) + p, nil
	}
	if d := strings.TrimPrefix(p, `\`); len(d) >= 2 && d[1] == ':' {
		return FoldDrive(d), nil
	}
	return p, nil
}

// FoldDrive writes a drive letter in upper case.
func FoldDrive(p string) string {
	if len(p) >= 2 && p[1] == ':' && 'a' <= p[0] && p[0] <= 'z' {
		return string(p[0]-'a'+'A') + p[1:]
	}
	return p
}

// ToURI gives the file URI of an absolute path, encoding all but
// unreserved characters and those that editors leave as they are in paths.
func ToURI(p string, windows bool) string {
	prefix := "file://"
	if windows {
		p = strings.ReplaceAll(p, `\`, "/")
		if !strings.HasPrefix(p, "//") && !strings.HasPrefix(p, "/") {
			p = "/" + p
		} else if strings.HasPrefix(p, "//") {
			prefix = "file:"
		}
	}
	const hex = "0123456789ABCDEF"
	var out strings.Builder
	out.WriteString(prefix)
	for i := 0; i < len(p); i++ {
		c := p[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_.~/!$&'()*+,;=:@", c) >= 0 {
			out.WriteByte(c)
			continue
		}
		out.WriteByte('%')
		out.WriteByte(hex[c>>4])
		out.WriteByte(hex[c&15])
	}
	return out.String()
}

func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			hi, lo := unhex(s[i+1]), unhex(s[i+2])
			if hi >= 0 && lo >= 0 {
				out.WriteByte(byte(hi<<4 | lo))
				i += 2
				continue
			}
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// Key makes one map key of the spellings of one canonical path.
func Key(path string, windows bool) string {
	if windows {
		return strings.Map(func(r rune) rune {
			if r == '/' {
				return '\\'
			}
			if l := unicode.ToLower(r); utf8.RuneLen(l) == utf8.RuneLen(r) {
				return l // one length, so that Under can cut
			}
			return r
		}, path)
	}
	return path
}

// Under tells whether path is root or lies below it, and where; both are
// canonical.
func Under(root, path string, windows bool) (rel string, ok bool) {
	r, p := Key(root, windows), Key(path, windows)
	if r == p {
		return ".", true
	}
	sep := string(filepath.Separator)
	if !strings.HasSuffix(r, sep) {
		r += sep
	}
	if !strings.HasPrefix(p, r) || len(r) >= len(path) {
		return "", false
	}
	return filepath.ToSlash(path[len(r):]), true
}
