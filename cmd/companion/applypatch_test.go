package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// applied runs companion apply-patch in a folder, with state of its own.
func applied(t *testing.T, dir, stdin string, args ...string) (code int, out, errs string) {
	t.Helper()
	if os.Getenv("COMPANION_STATE_DIR") == "" {
		t.Setenv("COMPANION_STATE_DIR", filepath.Join(t.TempDir(), "state"))
	}
	var o, e bytes.Buffer
	code = run(append([]string{"apply-patch", "--dir", dir}, args...), strings.NewReader(stdin), &o, &e)
	return code, o.String(), e.String()
}

func TestApplyPatchOnTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	add := "*** Begin Patch\n*** Add File: sub/a.txt\n+one\n*** End Patch\n"
	code, out, errs := applied(t, dir, add)
	if code != 0 || out != "Success. Updated the following files:\nA sub/a.txt\n" || errs != "" {
		t.Fatalf("%d, %q, %q", code, out, errs)
	}
	change := "*** Begin Patch\n*** Update File: sub/a.txt\n*** Move to: b.txt\n@@\n-one\n+two\n*** End Patch"
	code, out, errs = applied(t, dir, "", change)
	if code != 0 || out != "Success. Updated the following files:\nM b.txt\n" || errs != "" {
		t.Fatalf("%d, %q, %q", code, out, errs)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "b.txt")); err != nil || string(data) != "two\n" {
		t.Errorf("%q, %v", data, err)
	}
	for name, c := range map[string]struct {
		patch string
		args  []string
		code  int
		errs  string
	}{
		"a hunk that does not fit": {"*** Begin Patch\n*** Update File: b.txt\n@@\n-one\n+two\n*** End Patch", nil, exitFailed, "b.txt, hunk 1 (line 3 of the patch)"},
		"no patch":                 {"hello", nil, exitFailed, "there is no patch"},
		"a file that is there":     {"*** Begin Patch\n*** Add File: b.txt\n+x\n*** End Patch", nil, exitFailed, "b.txt exists already"},
		"outside":                  {"*** Begin Patch\n*** Add File: ../x.txt\n+x\n*** End Patch", nil, exitFailed, "lies outside"},
		"two patches":              {"", []string{"a", "b"}, exitUsage, "takes one PATCH"},
		"no folder":                {add, []string{"--dir", filepath.Join(dir, "none")}, exitUsage, "none"},
	} {
		code, out, errs := applied(t, dir, c.patch, c.args...)
		if code != c.code || out != "" || !strings.Contains(errs, c.errs) {
			t.Errorf("%s: %d, %q, %q", name, code, out, errs)
		}
	}
	code, out, errs = applied(t, dir, "*** Begin Patch\n*** Add File: b.txt\n+x\n", "--overwrite")
	if code != exitFailed || out != "" || !strings.Contains(errs, "may be cut off") {
		t.Errorf("%d, %q, %q", code, out, errs)
	}
	code, out, errs = applied(t, dir, "```\n*** Begin Patch\n*** Add File: b.txt\n+x\n```\n", "--overwrite")
	if code != 0 || out != "Success. Updated the following files:\nM b.txt\n" || !strings.Contains(errs, `"*** End Patch" was missing`) {
		t.Errorf("%d, %q, %q", code, out, errs)
	}
	if left, err := filepath.Glob(filepath.Join(os.Getenv("COMPANION_STATE_DIR"), "intents", "*")); err != nil || len(left) > 0 {
		t.Errorf("records stay: %v, %v", left, err)
	}
}

// The record is as a process leaves it that was killed behind its first file.
func TestApplyPatchTakesBackWhatACrashLeft(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(t.TempDir(), "state")
	t.Setenv("COMPANION_STATE_DIR", state)
	path := filepath.Join(dir, "f.txt")
	sum := sha256.Sum256([]byte("new\n"))
	record, err := json.Marshal(map[string]any{
		"version": 1, "label": "Patching 2 files", "time": "2026-01-01T00:00:00Z", "pid": 1,
		"files": []map[string]any{
			{"path": path, "existed": true, "mode": 0o644, "size": 4, "new": hex.EncodeToString(sum[:]), "temp": ".f.txt.1.tmp"},
			{"path": filepath.Join(dir, "g.txt"), "new": "00", "temp": ".g.txt.1.tmp"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		path: "new\n", filepath.Join(dir, ".g.txt.1.tmp"): "half", filepath.Join(state, "intents", "1-a.intent"): "O" + string(record) + "\nold\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	code, out, errs := applied(t, dir, "*** Begin Patch\n*** Update File: f.txt\n@@\n-old\n+newer\n*** End Patch")
	if code != 0 || !strings.Contains(errs, `"Patching 2 files" was cut off in the middle (2026-01-01T00:00:00Z). Taken back: `+path) {
		t.Errorf("%d, %q, %q", code, out, errs)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "newer\n" {
		t.Errorf("%q, %v", data, err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
}
