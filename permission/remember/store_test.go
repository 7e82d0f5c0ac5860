package remember

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"companion/permission"
)

func TestRulesOutliveTheProcessAndStayWithTheirRoot(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	rule := permission.Rule{Effect: "command", Pattern: "go build *", Action: permission.Allow}
	s := Open(state)
	if got := s.Rules("/a"); len(got) != 0 {
		t.Errorf("an empty store holds %v", got)
	}
	for range 2 {
		if err := s.Add("/a", permission.Rules{rule}); err != nil {
			t.Fatal(err)
		}
	}
	again := Open(state)
	if got := again.Rules("/a"); len(got) != 1 || got[0] != rule {
		t.Errorf("got %v", got)
	}
	if got := again.Rules("/b"); len(got) != 0 {
		t.Errorf("another root has %v", got)
	}
	if err := again.Add("/b", permission.Rules{rule}); err != nil {
		t.Fatal(err)
	}
	if got := s.Rules("/b"); len(got) != 1 {
		t.Errorf("another process's rule is not seen: %v", got)
	}
	st, err := os.Stat(filepath.Join(state, "permissions.json"))
	if err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st, err)
	}
}

func TestOnlyAllowsWithAPatternAreKept(t *testing.T) {
	state := t.TempDir()
	s := Open(state)
	wrong := permission.Rules{
		{Effect: "command", Action: permission.Allow},
		{Pattern: "x", Action: permission.Allow},
		{Effect: "command", Pattern: "x", Action: permission.Deny},
	}
	for _, r := range wrong {
		if s.Add("/a", permission.Rules{r}) == nil {
			t.Errorf("%+v was taken", r)
		}
	}
	text := `{"/a":[{"action":"allow"},{"effect":"command","pattern":"make x","action":"allow"}]}`
	if err := os.WriteFile(filepath.Join(state, "permissions.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := s.Rules("/a"); len(got) != 1 || got[0].Pattern != "make x" {
		t.Errorf("got %v", got)
	}
}

func TestABrokenFileIsToldAndKept(t *testing.T) {
	state := t.TempDir()
	file := filepath.Join(state, "permissions.json")
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := Open(state)
	if got := s.Rules("/a"); got != nil {
		t.Errorf("got %v", got)
	}
	if err := s.Add("/a", permission.Rules{{Effect: "command", Pattern: "x *", Action: permission.Allow}}); err == nil {
		t.Error("a broken file was overwritten")
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "{" {
		t.Errorf("%q, %v", data, err)
	}
}
