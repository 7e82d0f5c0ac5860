package main

import (
	"bytes"
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
	if code != 0 || out != "Success. Updated the following files:\nM b.txt\n" || !strings.Contains(errs, `"*** End Patch" was missing`) {
		t.Errorf("%d, %q, %q", code, out, errs)
	}
	if left, err := filepath.Glob(filepath.Join(os.Getenv("COMPANION_STATE_DIR"), "intents", "*")); err != nil || len(left) > 0 {
		t.Errorf("records stay: %v, %v", left, err)
	}
}
