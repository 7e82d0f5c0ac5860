package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"companion/tools"
	"companion/workspace"
)

func TestEveryErrorOfTheWorkspaceIsWordsForTheModel(t *testing.T) {
	f := workspace.File{Path: "/w/f.go", Rel: "f.go"}
	for _, c := range []struct {
		err   error
		words []string
	}{
		{workspace.ErrStale, []string{"Not done", "f.go changed in the meantime", "Read it again"}},
		{workspace.ErrOutside, []string{"outside the workspace"}},
		{workspace.ErrExists, []string{"exists already"}},
		{workspace.ErrRejected, []string{"the editor refused", "Nothing was changed"}},
		{workspace.ErrNotApplied, []string{"does not hold the change"}},
		{workspace.ErrDirty, []string{"unsaved changes", "Ask the user to save"}},
		{workspace.ErrReadOnly, []string{"has not trusted"}},
		{workspace.ErrNotFile, []string{"not a regular file"}},
		{workspace.ErrBinary, []string{"binary"}},
		{workspace.ErrTooLarge, []string{"too large"}},
		{os.ErrPermission, []string{"Not done: f.go", "permission denied"}},
	} {
		for _, err := range []error{c.err, fmt.Errorf("x: %w", c.err), &workspace.ApplyError{Path: "/w/f.go", Err: c.err}} {
			var r *tools.Refusal
			if got := Refuse(f, err); !errors.As(got, &r) || r.Outcome != tools.Failed {
				t.Fatalf("%v gave %v", err, got)
			}
			for _, w := range c.words {
				if !strings.Contains(r.Text, w) {
					t.Errorf("%v lacks %q: %s", err, w, r.Text)
				}
			}
		}
	}
	set := &workspace.ApplyError{Path: "/w/other.go", Err: workspace.ErrStale, Left: []string{"/w/f.go"}}
	if got := Refuse(f, set); !strings.Contains(got.Error(), "/w/other.go changed") || !strings.Contains(got.Error(), "could not be taken back in /w/f.go") {
		t.Errorf("a set: %v", got)
	}
}

func TestTheEndOfAContextAndARefusalStayWhatTheyAre(t *testing.T) {
	refusal := tools.Fail("no")
	for _, err := range []error{nil, context.Canceled, &workspace.ApplyError{Err: context.DeadlineExceeded}, refusal} {
		if got := Refuse(workspace.File{}, err); !errors.Is(got, err) {
			t.Errorf("%v became %v", err, got)
		}
	}
}

func TestPathsAreResolvedAsModelsWriteThem(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	one, two := filepath.Join(top, "one"), filepath.Join(top, "two")
	for _, d := range []string{one, two} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.New(workspace.Options{Roots: []string{one, two}})
	if err != nil {
		t.Fatal(err)
	}
	call := tools.Call{Roots: []string{two, one}}
	for path, want := range map[string]string{
		"a/b.go": filepath.Join(two, "a", "b.go"), "./x": filepath.Join(two, "x"), filepath.Join(one, "y"): filepath.Join(one, "y"),
		"file://" + filepath.ToSlash(filepath.Join(one, "z")): filepath.Join(one, "z"), "../one/q": filepath.Join(one, "q"),
	} {
		if os.PathSeparator != '/' && strings.HasPrefix(path, "file:") {
			continue // written otherwise there
		}
		f, err := Resolve(ws, call, path)
		if err != nil || f.Path != want || f.Outside {
			t.Errorf("%s: %+v, %v", path, f, err)
		}
	}
	if f, err := Resolve(ws, call, "../../elsewhere"); err != nil || !f.Outside {
		t.Errorf("outside: %+v, %v", f, err)
	}
}

func TestLandingSaysWhatIsSpecial(t *testing.T) {
	for _, c := range []struct {
		applied workspace.Applied
		words   string
	}{
		{workspace.Applied{After: "x"}, ""},
		{workspace.Applied{After: "x", Buffer: true, Saved: true}, ""},
		{workspace.Applied{After: "x", Buffer: true}, "not saved yet"},
		{workspace.Applied{After: "y"}, "changed more in it"},
	} {
		got := Landing(c.applied, "x")
		if c.words == "" && got != "" || !strings.Contains(got, c.words) {
			t.Errorf("%+v: %q", c.applied, got)
		}
	}
}
