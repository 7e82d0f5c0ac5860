package paths

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Secret tells whether a path is one whose content is denied to read by
// default: environment files, private keys, and where tools keep their tokens
// (tools.md, Permission). Samples (.env.example) and public keys are none.
func Secret(path string) bool {
	slashed := strings.ToLower(filepath.ToSlash(path))
	base := strings.TrimRight(slashed[strings.LastIndexByte(slashed, '/')+1:], ". ")
	for _, sample := range []string{".example", ".sample", ".template", ".dist", ".defaults", ".pub"} {
		if strings.HasSuffix(base, sample) {
			return false
		}
	}
	switch {
	case base == ".npmrc":
		return tokenIn(path)
	case matches(base,
		".env", ".env.*", ".env-*", ".envrc", "*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.ppk", "*.jks", "*.keystore", "*.kdbx", "*.gpg",
		"id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", ".netrc", "_netrc", ".pgpass", ".my.cnf", ".git-credentials", ".pypirc", ".htpasswd",
		".dockercfg", ".vault-token", ".terraformrc", "credentials.tfrc.json", "credentials.json", "service-account*.json", "secring.*", "*.keytab",
	):
		return true
	}
	slashed = "/" + strings.TrimLeft(slashed, "/")
	for _, at := range []string{
		"/.aws/credentials", "/.kube/config", "/.docker/config.json", "/.config/gh/hosts.yml", "/.cargo/credentials", "/.cargo/credentials.toml",
		"/.gem/credentials", "/.config/git/credentials", "/etc/shadow", "/etc/gshadow",
	} {
		if strings.HasSuffix(slashed, at) {
			return true
		}
	}
	dir := slashed[:strings.LastIndexByte(slashed, '/')] + "/"
	for _, in := range []string{"/.aws/", "/.gnupg/", "/.azure/", "/.config/gcloud/", "/.password-store/"} {
		if strings.Contains(dir, in) {
			return true
		}
	}
	if strings.Contains(dir, "/.ssh/") && base != "config" && !strings.HasPrefix(base, "known_hosts") {
		return true
	}
	return strings.HasPrefix(slashed, "/proc/") && base == "environ"
}

func matches(s string, patterns ...string) bool {
	for _, p := range patterns {
		if ok, err := doublestar.Match(p, s); err == nil && ok {
			return true
		}
	}
	return false
}

// tokenIn tells whether an .npmrc may hold a token: one that cannot be looked
// into may.
func tokenIn(path string) bool {
	const most = 64 << 10
	f, err := os.Open(path)
	if err != nil {
		return true
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil || len(text) == most {
		return true
	}
	text = bytes.ToLower(text)
	for _, word := range []string{"_auth", "password", "token"} {
		if bytes.Contains(text, []byte(word)) {
			return true
		}
	}
	return false
}

// MaybeSecret tells whether a shell's glob may name a secret: by what it finds
// below dir now, or by its own last part.
func MaybeSecret(dir, pattern string) bool {
	if Secret(Join(dir, pattern)) {
		return true
	}
	found, err := filepath.Glob(Join(dir, pattern))
	if err != nil {
		return true
	}
	for _, f := range found {
		if Secret(f) {
			return true
		}
	}
	base := strings.ToLower(filepath.Base(pattern))
	for _, name := range []string{".env", ".env.local", ".netrc", ".git-credentials", "id_rsa", "id_ed25519"} {
		if ok, err := filepath.Match(base, name); err == nil && ok && (base[0] == '.' || name[0] != '.') && strings.Trim(base, "*?") != "" {
			return true
		}
	}
	return false
}
