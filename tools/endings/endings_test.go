package endings

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"companion/text"
	"companion/workspace"
)

func TestLinesThatStayKeepTheirEndings(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"},
		{"a\r\nb\nc\r\n", "a\nb\nX\nc\n", "a\r\nb\nX\r\nc\r\n"},
		{"a\r\nb\nc\r\n", "a\nb\nc", "a\r\nb\nc"},
		{"a\r\nb\nc\r\nd", "a\nb\nc\nd\ne", "a\r\nb\nc\r\nd\r\ne"},
		{"a\rb\r", "a\nb\nc\n", "a\rb\rc\r"},
		{"a", "b\nc\n", "b\nc\n"},
		{"", "b\r\nc\n", "b\r\nc\n"},
		{"a\r\nb\n", "", ""},
		{"a\nb\n", "a\r\nB\r\n", "a\nB\n"},
	} {
		if got := Keep(c.before, c.after); got != c.want {
			t.Errorf("%q over %q: %q, want %q", c.after, c.before, got, c.want)
		}
	}
}

func FuzzKeptEndingsChangeNothingElse(f *testing.F) {
	f.Add("a\r\nb\nc\rd", "a\nb\nX\nd")
	f.Add("\r\n\n\r", "\n\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		got := Keep(before, after)
		if text.WithEnding(got, text.LF) != text.WithEnding(after, text.LF) {
			t.Fatalf("%q over %q gave %q", after, before, got)
		}
		if same := Keep(before, text.WithEnding(before, text.LF)); strings.ContainsAny(before, "\r\n") && same != before {
			t.Fatalf("%q over itself gave %q", before, same)
		}
	})
}

func TestSectionsOfEditorconfigMatchAsTheSpecificationSays(t *testing.T) {
	for _, c := range []struct {
		glob, path string
		want       bool
	}{
		{"*", "a/b.go", true},
		{"*.go", "a/b.go", true},
		{"*.go", "b.gox", false},
		{"/*.go", "b.go", true},
		{"/*.go", "a/b.go", false},
		{"a/*.go", "a/b.go", true},
		{"a/*.go", "x/a/b.go", false},
		{"a/*.go", "a/c/b.go", false},
		{"a/**.go", "a/c/b.go", true},
		{"a/**/z.go", "a/b/c/z.go", true},
		{"**.go", "a/b.go", true},
		{"*.{js,ts}", "x.ts", true},
		{"*.{js,ts}", "x.tsx", false},
		{"{package.json,*.{yml,yaml}}", "a/x.yaml", true},
		{"{single}.txt", "{single}.txt", true},
		{"{single}.txt", "single.txt", false},
		{"f{1..12}.txt", "f7.txt", true},
		{"f{1..12}.txt", "f13.txt", false},
		{"[ab].txt", "a.txt", true},
		{"[!ab].txt", "a.txt", false},
		{"[!ab].txt", "c.txt", true},
		{"?.txt", "ab.txt", false},
		{`\*.txt`, "*.txt", true},
		{`\*.txt`, "a.txt", false},
		{"[a/b].txt", "a.txt", false},
		{"{a,b.txt", "{a,b.txt", true},
		{"Makefile", "sub/Makefile", true},
		{"a+b(c).go", "a+b(c).go", true},
	} {
		if got := matches(c.glob, c.path); got != c.want {
			t.Errorf("[%s] %s: %v", c.glob, c.path, got)
		}
	}
}

func TestANewFileGetsWhatTheProjectSays(t *testing.T) {
	native := text.LF
	if runtime.GOOS == "windows" {
		native = ""
	}
	for name, c := range map[string]struct {
		files  map[string]string
		path   string
		ending string
		format text.Format
	}{
		"nothing said":                      {nil, "a.go", "", text.Format{}},
		"editorconfig":                      {map[string]string{".editorconfig": "root = true\n[*]\nend_of_line = crlf\ncharset = utf-8-bom\n"}, "a.go", text.CRLF, text.Format{BOM: true, Charset: text.CharsetUTF8}},
		"a later section":                   {map[string]string{".editorconfig": "[*]\nend_of_line=crlf\n[*.sh]\nEnd_Of_Line = LF\n"}, "x/a.sh", text.LF, text.Format{}},
		"a nearer file":                     {map[string]string{".editorconfig": "[*]\nend_of_line=crlf\n", "x/.editorconfig": "[*]\nend_of_line=lf"}, "x/y/a", text.LF, text.Format{}},
		"a nearer file of another property": {map[string]string{".editorconfig": "[*]\nend_of_line=crlf\n", "x/.editorconfig": "[*]\ncharset=utf-16le"}, "x/a", text.CRLF, text.Format{BOM: true, Charset: text.CharsetUTF16LE}},
		"root ends the search":              {map[string]string{".editorconfig": "[*]\nend_of_line=crlf\n", "x/.editorconfig": "root=true\n[*.md]\nend_of_line=lf"}, "x/a.go", "", text.Format{}},
		"unset":                             {map[string]string{".editorconfig": "[*]\nend_of_line=crlf\n[*.bin]\nend_of_line=unset"}, "a.bin", "", text.Format{}},
		"comments, spaces, CRLF, a mark":    {map[string]string{".editorconfig": "\ufeff; c\r\n# d\r\n  [*.txt]  \r\n  end_of_line  =  cr  \r\n"}, "a.txt", text.CR, text.Format{}},
		"gitattributes":                     {map[string]string{".gitattributes": "* text=auto\n*.bat eol=crlf\n"}, "x/run.bat", text.CRLF, text.Format{}},
		"gitattributes, text":               {map[string]string{".gitattributes": "* text=auto\n"}, "a.go", native, text.Format{}},
		"gitattributes, binary":             {map[string]string{".gitattributes": "* eol=crlf\n*.dat binary\n"}, "a.dat", "", text.Format{}},
		"gitattributes, a nearer file":      {map[string]string{".gitattributes": "*.txt eol=crlf\n", "x/.gitattributes": "*.txt eol=lf\n"}, "x/a.txt", text.LF, text.Format{}},
		"gitattributes, a path":             {map[string]string{".gitattributes": "/win/** text eol=crlf\n"}, "win/a/b", text.CRLF, text.Format{}},
		"gitattributes, another path":       {map[string]string{".gitattributes": "/win/** text eol=crlf\n"}, "x/win/a", "", text.Format{}},
		"gitattributes, unspecified":        {map[string]string{".gitattributes": "* eol=crlf\na !eol\n"}, "a", "", text.Format{}},
		"gitattributes, quoted and macro":   {map[string]string{".gitattributes": "[attr]dos text eol=crlf\n\"a b.txt\" dos\n"}, "a b.txt", text.CRLF, text.Format{}},
		"gitattributes, a folder's pattern": {map[string]string{".gitattributes": "win/ eol=crlf\n"}, "win/a", "", text.Format{}},
		"editorconfig before gitattributes": {map[string]string{".editorconfig": "[*]\nend_of_line=lf", ".gitattributes": "* eol=crlf"}, "a", text.LF, text.Format{}},
		"the repository's own attributes":   {map[string]string{".gitattributes": "* eol=crlf", ".git/info/attributes": "* eol=lf"}, "a", text.LF, text.Format{}},
	} {
		t.Run(name, func(t *testing.T) {
			root, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(filepath.Join(root, ".git"), 0o755); err != nil {
				t.Fatal(err)
			}
			for name, content := range c.files {
				path := filepath.Join(root, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			ws, err := workspace.New(workspace.Options{Roots: []string{root}})
			if err != nil {
				t.Fatal(err)
			}
			got := Of(context.Background(), ws, filepath.Join(root, filepath.FromSlash(c.path)))
			if got.Ending != c.ending || got.Format != c.format {
				t.Errorf("%q %+v (%s), want %q %+v", got.Ending, got.Format, got.Said, c.ending, c.format)
			}
		})
	}
}

func TestACharsetThatCannotHoldTheTextIsTold(t *testing.T) {
	s := Style{Format: text.Format{Charset: text.CharsetLatin1}, Said: ".editorconfig"}
	if _, f, told := s.New("café"); f.Charset != text.CharsetLatin1 || told != "" {
		t.Errorf("%v %q", f, told)
	}
	if _, f, told := s.New("a → b"); f != (text.Format{}) || !strings.Contains(told, ".editorconfig asks for latin-1") {
		t.Errorf("%v %q", f, told)
	}
	if out, f, _ := (Style{}).New("\ufeffa\r\n"); out != "a\r\n" || !f.BOM {
		t.Errorf("%q %v", out, f)
	}
}
