package fs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"companion/tools"
)

func TestListNamesEntriesWithKindSizeAndWhatGitIgnores(t *testing.T) {
	b := newBench(t, map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", ".gitignore": "*.log\n/build/\n!keep.log\n", "a.go": "12345", "b.log": "x", "keep.log": "", "build/out": "x", "src/b.go": "", "src/.gitignore": "gen*\n", "src/gen.go": "x",
		".hidden": "x", "Z": "", "ä": "", "line\nbreak": "xy",
	})
	if err := os.Symlink("a.go", filepath.Join(b.root, "link")); err != nil {
		t.Skip("this system lets us make no links")
	}
	for link, target := range map[string]string{"to-src": "src", "to-nothing": "gone"} {
		if err := os.Symlink(target, filepath.Join(b.root, link)); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		args listArgs
		want string
	}{
		"the working folder": {listArgs{}, `Folder ., 11 entries and 3 hidden:
Z  0 bytes
a.go  5 bytes
b.log  1 bytes  (ignored)
build/  (ignored)
keep.log  0 bytes
"line\nbreak"  2 bytes
link -> a.go
src/
to-nothing -> gone (leads to nothing)
to-src -> src/
ä  0 bytes
`},
		"hidden ones too":    {listArgs{Hidden: true, Limit: 3}, "Folder ., 14 entries:\n.git/\n.gitignore  24 bytes\n.hidden  1 bytes\n(Entries 1 to 3 of 14. Go on with offset 4.)\n"},
		"a part":             {listArgs{Offset: 2, Limit: 1}, "Folder ., 11 entries and 3 hidden:\na.go  5 bytes\n(Entries 2 to 2 of 11. Go on with offset 3.)\n"},
		"the end":            {listArgs{Offset: 11}, "Folder ., 11 entries and 3 hidden:\nä  0 bytes\n"},
		"a folder within":    {listArgs{Path: "src/"}, "Folder src, 2 entries and 1 hidden:\nb.go  0 bytes\ngen.go  1 bytes  (ignored)\n"},
		"through a link":     {listArgs{Path: "to-src"}, "Folder src, 2 entries and 1 hidden:\nb.go  0 bytes\ngen.go  1 bytes  (ignored)\n"},
		"an ignored one":     {listArgs{Path: "build"}, "Folder build, 1 entry:\nout  1 bytes\n"},
		"past the end":       {listArgs{Offset: 12}, ". has 11 entries; offset 12 is past the last."},
		"a file":             {listArgs{Path: "a.go"}, "a.go is no folder but a file; use read."},
		"a folder not there": {listArgs{Path: "scr"}, "There is no folder scr. Near names: src."},
	} {
		t.Run(name, func(t *testing.T) {
			if _, res := b.run(List(b.ws), c.args); res.Text != c.want {
				t.Errorf("got\n%s\nwant\n%s", res.Text, c.want)
			}
		})
	}
}

func TestListOfManyEntriesCanGoOnToTheEnd(t *testing.T) {
	files := map[string]string{}
	for i := range 2_345 {
		files[fmt.Sprintf("some-folder/%05d-%s", i, strings.Repeat("n", 40))] = ""
	}
	b := newBench(t, files)
	seen, offset := 0, 1
	for range 20 {
		_, res := b.run(List(b.ws), listArgs{Path: "some-folder", Offset: offset})
		if len(res.Text) > readBytes+300 {
			t.Errorf("%d bytes at once", len(res.Text))
		}
		seen += strings.Count(res.Text, " bytes\n")
		_, rest, more := strings.Cut(res.Text, "Go on with offset ")
		if !more {
			break
		}
		if _, err := fmt.Sscanf(rest, "%d", &offset); err != nil {
			t.Fatal(err)
		}
	}
	if seen != 2_345 {
		t.Errorf("%d seen", seen)
	}
}

func TestListDeclaresWhatItReads(t *testing.T) {
	b := newBench(t, map[string]string{"d/f": ""})
	action, err := b.prepare(List(b.ws), listArgs{Path: "d"})
	if path := filepath.Join(b.root, "d"); err != nil || action.Effects[0] != (tools.Effect{Kind: tools.Read, Path: path}) || !action.Locks[0].Shared {
		t.Errorf("%+v, %v", action, err)
	}
	action, err = b.prepare(List(b.ws), listArgs{Path: ".."})
	if err != nil || !action.Effects[0].Outside {
		t.Errorf("outside is not declared: %+v, %v", action.Effects, err)
	}
}
