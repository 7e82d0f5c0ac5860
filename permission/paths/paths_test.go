package paths

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSecretsByName(t *testing.T) {
	for path, want := range map[string]bool{
		"/p/.env": true, "/p/.env.local": true, "/p/.ENV": true, "/p/.env.example": false, "/p/.env.sample": false, "/p/.envrc": true, "/p/env": false, "/p/.environment": false,
		"/p/server.pem": true, "/p/server.key": true, "/p/key.go": false, "/p/x.p12": true, "/p/id_rsa": true, "/p/id_rsa.pub": false, "/p/id_ed25519": true, "/p/id_rsa_work": true,
		"/h/.ssh/custom": true, "/h/.ssh/config": false, "/h/.ssh/known_hosts": false, "/h/.ssh/sub/key": true, "/h/.netrc": true, "/h/_netrc": true,
		"/h/.aws/credentials": true, "/h/.aws/config": true, "/h/.aws/sso/cache/x.json": true, "/h/.kube/config": true, "/p/config": false, "/h/.docker/config.json": true, "/p/config.json": false,
		"/h/.git-credentials": true, "/h/.gnupg/x": true, "/p/mail.gpg": true, "/h/.config/gh/hosts.yml": true, "/h/.config/gcloud/x": true, "/h/.cargo/credentials.toml": true,
		"/etc/shadow": true, "/proc/self/environ": true, "/proc/1/status": false, "/p/service-account-1.json": true, "/p/a.go": false, "/p/secret.go": false, "/p/.pgpass": true, "/p/.env. ": true,
		".env": true, "sub/.env": true, "untitled:Untitled-1": false, "": false, "/": false,
	} {
		if got := Secret(path); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

func TestAnNpmrcIsASecretWhenItHoldsAToken(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, ".npmrc")
	if !Secret(file) {
		t.Error("one that cannot be read is taken for harmless")
	}
	for text, want := range map[string]bool{"registry=https://example.org\n": false, "//example.org/:_authToken=x\n": true, "_PASSWORD=x": true} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := Secret(file); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// Canonical goes the kernel's way: what it says of a file is what is opened.
func TestCanonicalFollowsLinksAsTheKernelDoes(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"root/sub", "out/deep"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(d)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"root/link": "../out/deep", "root/dead": "../out/new", "root/loop": "loop", "root/far": filepath.Join(dir, "out", "gone", "x")} {
		if err := os.Symlink(to, filepath.Join(dir, filepath.FromSlash(from))); err != nil {
			t.Skip("no symlinks here: ", err)
		}
	}
	for path, want := range map[string]string{
		"root/sub/../a":        "root/a",
		"root/link/x":          "out/deep/x",
		"root/link/../x":       "out/x", // not root/x
		"root/dead":            "out/new",
		"root/dead/x":          "out/new/x",
		"root/far":             "out/gone/x",
		"root/none/../a":       "root/a",
		"root/./sub//b":        "root/sub/b",
		"root/link/../../root": "root",
		"root/loop":            "root/loop",
	} {
		if got := Canonical(dir + "/" + path); got != filepath.Join(dir, filepath.FromSlash(want)) {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	if Inside(Canonical(Join(filepath.Join(dir, "root"), "link/x")), []string{filepath.Join(dir, "root")}) {
		t.Error("what a link leads out of the root is inside")
	}
}

func TestGlobsThatMayNameASecret(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "server.key"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for pattern, want := range map[string]bool{".e*": true, ".en?": true, "*.key": true, "s*": true, "*": true, "*.go": false, "a*": false, "id_*": true, "[": true} {
		if got := MaybeSecret(dir, pattern); got != want {
			t.Errorf("%s: %v, want %v", pattern, got, want)
		}
	}
}

func TestFilesThatSteerPrograms(t *testing.T) {
	for path, want := range map[string]bool{
		"/p/.g\u200cit/config": true, "/p/\ufeff.git": true,
		"/p/.git/config": true, "/p/.git": true, "/p/sub/.git/hooks/x": true, "/p/.GIT/x": true, "/p/git~1/x": true, "/p/.vscode/tasks.json": true, "/p/.companion/config.jsonc": true,
		"/p/.gitignore": false, "/p/.github/x": false, "/q/.git/x": false, "/p/.git./x": true,
	} {
		if got := Steers(path, []string{"/p"}); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}
