package names

import (
	"slices"
	"testing"
)

func TestWaysOfWritingOneNameMeet(t *testing.T) {
	for written, want := range map[string]string{
		"read": "read", "Read": "read", "exec-command": "exec_command", "git.log": "git_log", "git__log": "git_log", "GIT.Log": "git_log",
		"a": "a", "": "", "_a": "_a", "a_": "a_", "a..b": "a_b", "É.x": "é_x", "a_-_b": "a_b", "__": "_",
	} {
		if got := Spelling(written); got != want {
			t.Errorf("%q is spelled %q, want %q", written, got, want)
		}
		if again := Spelling(want); again != want {
			t.Errorf("the spelling of %q is %q", want, again)
		}
	}
}

func TestASetTakesToolsAndNamespaces(t *testing.T) {
	s := NewSet([]string{"git.*", " editor.open ", "", "mcp__github", "search-a"})
	for name, want := range map[string]bool{
		"git": true, "git.log": false, "editor.open": true, "editor__open": true, "editor": false, "mcp__github": true, "": false, "x": false,
		"search-a": true, "search_a": false, "Git": false,
	} {
		if got := s.Has(name); got != want {
			t.Errorf("has %q: %v, want %v", name, got, want)
		}
	}
	if Set(nil).Has("git") {
		t.Error("the empty set has a name")
	}
}

func TestNearOrdersByDistance(t *testing.T) {
	got := Near("serch", []string{"search", "research", "list", "SERCH"}, 3)
	if want := []string{"SERCH", "search"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
