package files

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"companion/tools"
	"companion/workspace"
)

func TestANameThatLooksTheSameIsTaken(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("the file system there takes both forms for one name")
	}
	for name, c := range map[string]struct {
		have  []string
		asked string
		want  string // "" = no file is taken
		told  []string
		err   []string
	}{
		"the very name":                  {[]string{"a b.txt"}, "a b.txt", "a b.txt", nil, nil},
		"HB-057 a no-break space":        {[]string{"foto 2031 z\u00a007.txt"}, "foto 2031 z 07.txt", "foto 2031 z\u00a007.txt", []string{"looks the same", "U+00A0", "U+0020", "character 12"}, nil},
		"HB-057 a narrow no-break space": {[]string{"Bild 9.41\u202fPM.png"}, "Bild 9.41 PM.png", "Bild 9.41\u202fPM.png", []string{"U+202F"}, nil},
		"HB-057 in a folder's name":      {[]string{"a\u00a0b/c\u00a0d.txt"}, "a b/c d.txt", "a\u00a0b/c\u00a0d.txt", []string{"U+00A0"}, nil},
		"HB-058 decomposed on disk":      {[]string{"Fru\u0308hling.md"}, "Fr\u00fchling.md", "Fru\u0308hling.md", []string{"U+0075 U+0308", "U+00FC"}, nil},
		"HB-058 composed on disk":        {[]string{"Fr\u00fchling.md"}, "Fru\u0308hling.md", "Fr\u00fchling.md", []string{"U+00FC"}, nil},
		"HB-058 both: exact bytes win":   {[]string{"Fru\u0308hling.md", "Fr\u00fchling.md"}, "Fru\u0308hling.md", "Fru\u0308hling.md", nil, nil},
		"HB-058 both, other exact bytes": {[]string{"Fru\u0308hling.md", "Fr\u00fchling.md"}, "Fr\u00fchling.md", "Fr\u00fchling.md", nil, nil},
		"HB-058 two and neither exact": {
			[]string{"Fru\u0308h \u00e9.md", "Fr\u00fch e\u0301.md"},
			"Fr\u00fch \u00e9.md", "", nil,
			[]string{"several", "U+0308", "U+0301"},
		},
		"a curly quotation mark":         {[]string{"it\u2019s.md"}, "it's.md", "it\u2019s.md", []string{"U+2019"}, nil},
		"a long dash":                    {[]string{"a \u2013 b.md"}, "a - b.md", "a \u2013 b.md", []string{"U+2013"}, nil},
		"a zero-width space":             {[]string{"a\u200bb.md"}, "ab.md", "a\u200bb.md", []string{"U+200B"}, nil},
		"another letter is another name": {[]string{"stra\u00dfe.md"}, "strasse.md", "", nil, nil},
		"nothing like it":                {[]string{"x"}, "y z", "", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			root, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range c.have {
				path := filepath.Join(root, filepath.FromSlash(n))
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			ws, err := workspace.New(workspace.Options{Roots: []string{root}})
			if err != nil {
				t.Fatal(err)
			}
			f, told, err := Locate(t.Context(), ws, tools.Call{Roots: []string{root}}, c.asked)
			if (err != nil) != (len(c.err) > 0) {
				t.Fatalf("got %v", err)
			}
			for _, w := range c.err {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%v lacks %q", err, w)
				}
			}
			if c.want != "" && f.Rel != c.want {
				t.Errorf("got %q", f.Rel)
			}
			if (told != "") != (len(c.told) > 0) {
				t.Errorf("told %q", told)
			}
			for _, w := range c.told {
				if !strings.Contains(told, w) {
					t.Errorf("%q lacks %q", told, w)
				}
			}
		})
	}
}

func TestALinkToNothingIsTold(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("gone\n.txt", filepath.Join(root, "link")); err != nil {
		t.Skip("this system lets us make no links")
	}
	ws, err := workspace.New(workspace.Options{Roots: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	_, told, err := Locate(t.Context(), ws, tools.Call{Roots: []string{root}}, "link")
	if err != nil || told != `link is a symbolic link to "gone\n.txt", where nothing is.` {
		t.Errorf("%q, %v", told, err)
	}
}
