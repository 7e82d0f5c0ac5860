package fs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"companion/tools"
	"companion/tools/lang"
	"companion/workspace"
)

type bench struct {
	t    *testing.T
	root string
	ws   *workspace.Workspace
	// declare and box are what a call is given; nil = none.
	declare lang.Declarations
	box     *tools.Box
}

func newBench(t *testing.T, files map[string]string) bench {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := bench{t: t, root: root}
	for name, content := range files {
		b.put(name, content)
	}
	if b.ws, err = workspace.New(workspace.Options{Roots: []string{root}}); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b bench) put(name, content string) {
	b.t.Helper()
	path := filepath.Join(b.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b bench) content(name string) string {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.root, filepath.FromSlash(name)))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

func (b bench) prepare(tool tools.Tool, args any) (tools.Action, error) {
	b.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		b.t.Fatal(err)
	}
	return tool.Prepare(context.Background(), tools.Call{Thread: "t", Roots: []string{b.root}, Args: raw, Box: b.box})
}

func (b bench) run(tool tools.Tool, args any) (tools.Action, tools.Result) {
	b.t.Helper()
	action, err := b.prepare(tool, args)
	var res tools.Result
	if err == nil {
		res, err = action.Run(context.Background(), nil)
	}
	if err != nil {
		var r *tools.Refusal
		if !errors.As(err, &r) {
			b.t.Fatalf("the turn would end: %v", err)
		}
		res = tools.Result{Outcome: r.Outcome, Text: r.Text}
	}
	return action, res
}

func (b bench) reader() tools.Tool { return Read(b.ws, b.declare) }

func (b bench) read(args readArgs) tools.Result {
	b.t.Helper()
	_, res := b.run(b.reader(), args)
	return res
}

func (b bench) write(path, content string) tools.Result {
	b.t.Helper()
	_, res := b.run(Write(b.ws), writeArgs{path, content})
	return res
}

func want(t *testing.T, res tools.Result, outcome tools.Outcome, parts ...string) {
	t.Helper()
	if res.Outcome != outcome {
		t.Errorf("outcome %q, want %q: %s", res.Outcome, outcome, res.Text)
	}
	for _, p := range parts {
		if !strings.Contains(res.Text, p) {
			t.Errorf("the text lacks %q:\n%.2000s", p, res.Text)
		}
	}
}

func nlines(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestReadNumbersLinesAndSaysHowToGoOn(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		args    readArgs
		want    string
	}{
		"the whole file":      {"a\nb\n", readArgs{}, "1\ta\n2\tb\n"},
		"no final newline":    {"a\nb", readArgs{}, "1\ta\n2\tb\n"},
		"CRLF":                {"a\r\nb\r\n", readArgs{}, "1\ta\n2\tb\n"},
		"CR":                  {"a\rb\r", readArgs{}, "1\ta\n2\tb\n"},
		"a part":              {nlines(5), readArgs{Offset: 2, Limit: 2}, "2\tline 2\n3\tline 3\n(Lines 2 to 3 of 5. Go on with offset 4.)\n"},
		"the last part":       {nlines(5), readArgs{Offset: 4, Limit: 2}, "4\tline 4\n5\tline 5\n(Lines 4 to 5; that is the end of the file.)\n"},
		"an empty file":       {"", readArgs{}, "(The file is empty.)\n"},
		"one empty line":      {"\n", readArgs{}, "1\t\n"},
		"a byte order mark":   {"\ufeffa\n", readArgs{}, "1\ta\n"},
		"a line that is long": {strings.Repeat("é", 2001) + "\n", readArgs{}, "1\t" + strings.Repeat("é", 2000) + "… (cut here: the line has 2001 characters; for its rest: offset 1, column 2001)\n"},
		"Latin-1":             {"caf\xe9\n", readArgs{}, "(The file is Latin-1; edits keep that.)\n1\tcafé\n"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]string{"f.txt": c.content})
			c.args.Path = "f.txt"
			if res := b.read(c.args); res.Text != c.want {
				t.Errorf("got %q, want %q", res.Text, c.want)
			}
		})
	}
}

func TestReadStopsAtItsBoundsAndCanGoOnToTheEnd(t *testing.T) {
	for name, content := range map[string]string{
		"2,000 lines": nlines(4500),
		"50 KB":       strings.Repeat(strings.Repeat("x", 900)+"\n", 200),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]string{"f": content})
			seen, offset := 0, 1
			for range 20 {
				res := b.read(readArgs{Path: "f", Offset: offset})
				if len(res.Text) > readBytes+200 {
					t.Errorf("%d bytes at once", len(res.Text))
				}
				got := strings.Count(res.Text, "\t")
				if got > readLines || got == 0 {
					t.Fatalf("%d lines at once", got)
				}
				seen += got
				_, rest, more := strings.Cut(res.Text, "Go on with offset ")
				if !more {
					break
				}
				if _, err := fmt.Sscanf(rest, "%d", &offset); err != nil {
					t.Fatal(err)
				}
			}
			if total := strings.Count(content, "\n"); seen != total {
				t.Errorf("saw %d of %d lines", seen, total)
			}
		})
	}
}

func TestReadSaysWhatIsNoText(t *testing.T) {
	b := newBench(t, map[string]string{
		"p.png": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "dir/a.go": "", "dir/sub/b.go": "", "src/main.go": "x\n", "f": "a\n",
	})
	want(t, b.read(readArgs{Path: "p.png"}), tools.Failed, "p.png is a picture (image/png, 16 bytes), which this model cannot see")
	want(t, b.read(readArgs{Path: "dir"}), tools.OK, "Folder dir, 2 entries:\na.go  0 bytes\nsub/\n")
	want(t, b.read(readArgs{Path: "dir", Limit: 1}), tools.OK, "Go on with offset 2.")
	want(t, b.read(readArgs{Path: "main.go"}), tools.Failed, "There is no file main.go", "elsewhere: src/main.go")
	want(t, b.read(readArgs{Path: "src/mian.go"}), tools.Failed, "There is no file src/mian.go", "src/main.go")
	want(t, b.read(readArgs{Path: "f", Offset: 9}), tools.Failed, "f has 1 lines; offset 9 is past its end")
	want(t, b.read(readArgs{Path: "a\x00b"}), tools.Failed, "names no file")
	want(t, b.read(readArgs{Path: ""}), tools.Failed, "names no file")
}

func TestReadPrefersTheUnsavedBufferAndSaysSo(t *testing.T) {
	b := newBench(t, map[string]string{"f": "disk\n"})
	f, err := b.ws.Resolve("f")
	if err != nil {
		t.Fatal(err)
	}
	b.ws.DidOpen(f.URI, "plaintext", 1, "disk\n")
	if err := b.ws.DidChange(f.URI, 2, []workspace.ContentChange{{Text: "buffer\n"}}, "utf-16"); err != nil {
		t.Fatal(err)
	}
	want(t, b.read(readArgs{Path: "f"}), tools.OK, "not saved", "1\tbuffer\n")
}

func TestReadDeclaresWhatItReads(t *testing.T) {
	b := newBench(t, map[string]string{"f": "x\n"})
	action, err := b.prepare(b.reader(), readArgs{Path: "f", Offset: 7})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(b.root, "f")
	if action.Effects[0] != (tools.Effect{Kind: tools.Read, Path: path}) || action.Locks[0] != (tools.Lock{Resource: path, Shared: true}) ||
		action.Activity != "Reading f" || action.Locations[0] != (tools.Location{Path: path, Line: 7}) {
		t.Errorf("got %+v", action)
	}
	action, err = b.prepare(b.reader(), readArgs{Path: filepath.Join(b.root, "..", "other")})
	if err != nil || !action.Effects[0].Outside {
		t.Errorf("outside is not declared: %+v, %v", action.Effects, err)
	}
}

func TestWriteMakesANewFileWithItsFolders(t *testing.T) {
	b := newBench(t, nil)
	action, res := b.run(Write(b.ws), writeArgs{"a/b/new.txt", "x\r\ny"})
	want(t, res, tools.OK, "Created a/b/new.txt")
	if b.content("a/b/new.txt") != "x\r\ny" || len(res.Changed) != 1 || !res.Changed[0].Created {
		t.Errorf("content %q, changed %+v", b.content("a/b/new.txt"), res.Changed)
	}
	if !strings.HasPrefix(action.Preview.Diff, "--- /dev/null\n+++ b/a/b/new.txt\n") || action.Effects[0].Kind != tools.Write {
		t.Errorf("got %+v", action)
	}
	want(t, b.write("a/b/new.txt", "z"), tools.OK, "Replaced") // what we wrote we know
}

func TestWriteReplacesOnlyWhatTheThreadHasSeen(t *testing.T) {
	b := newBench(t, map[string]string{"f": "one\n"})
	want(t, b.write("f", "two\n"), tools.Failed, "Not written", "was not read in this thread")
	want(t, b.read(readArgs{Path: "f"}), tools.OK)
	b.put("f", "other\n")
	want(t, b.write("f", "two\n"), tools.Failed, "changed since you read it")
	if b.content("f") != "other\n" {
		t.Errorf("got %q", b.content("f"))
	}
	want(t, b.read(readArgs{Path: "f"}), tools.OK)
	want(t, b.write("f", "two\n"), tools.OK, "Replaced f")
	want(t, b.write("f", "two\n"), tools.OK, "holds exactly this text already")
	if b.content("f") != "two\n" {
		t.Errorf("got %q", b.content("f"))
	}
}

func TestWriteKeepsMarkAndEndings(t *testing.T) {
	for name, c := range map[string]struct{ before, content, after string }{
		"CRLF":               {"a\r\nb\r\n", "x\ny\n", "x\r\ny\r\n"},
		"LF, text with CRLF": {"a\nb\n", "x\r\ny\r\n", "x\ny\n"},
		"mixed":              {"a\r\nb\nc\r\n", "a\nX\nb\nc\n", "a\r\nX\r\nb\nc\r\n"},
		"CR":                 {"a\rb\r", "x\ny\n", "x\ry\r"},
		"UTF-16":             {"\xff\xfea\x00\n\x00", "é\n", "\xff\xfe\xe9\x00\n\x00"},
		"a mark sent anew":   {"a\n", "\ufeffx\n", "x\n"},
		"HB-100 entities":    {"a\n", "a &amp;&lt;b&gt; &quot;\n", "a &amp;&lt;b&gt; &quot;\n"},
		"byte order mark":    {"\ufeffa\n", "x\n", "\ufeffx\n"},
		"mark sent too":      {"\ufeffa\n", "\ufeffx\n", "\ufeffx\n"},
		"Latin-1":            {"caf\xe9\n", "thé\n", "th\xe9\n"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]string{"f": c.before})
			b.read(readArgs{Path: "f"})
			want(t, b.write("f", c.content), tools.OK)
			if got := b.content("f"); got != c.after {
				t.Errorf("got %q, want %q", got, c.after)
			}
		})
	}
}

// A new file is written as the project asks; an existing one as it is.
func TestWriteGivesANewFileTheEndingsOfTheProject(t *testing.T) {
	b := newBench(t, map[string]string{
		".editorconfig":  "root = true\n[*.txt]\nend_of_line = crlf\n[*.old]\ncharset = latin1\n[*.mark]\ncharset = utf-8-bom\n",
		".gitattributes": "*.bat eol=crlf\n", "there.txt": "a\nb\n",
	})
	b.read(readArgs{Path: "there.txt"})
	for path, c := range map[string]struct{ content, after, words string }{
		"new.txt":       {"a\nb\n", "a\r\nb\r\n", "CRLF, as .editorconfig says"},
		"deep/in/x.bat": {"a\nb", "a\r\nb", "CRLF, as .gitattributes says"},
		"there.txt":     {"a\nc\n", "a\nc\n", "Replaced"},
		"free.go":       {"a\r\nb\n", "a\r\nb\n", "Created free.go, 2 lines"},
		"x.old":         {"café\n", "caf\xe9\n", "Created"},
		"y.old":         {"→\n", "→\n", "it was written in UTF-8"},
		"z.mark":        {"a\n", "\ufeffa\n", "Created"},
		"mark":          {"\ufeffa\n", "\ufeffa\n", "Created"},
	} {
		want(t, b.write(path, c.content), tools.OK, c.words)
		if got := b.content(path); got != c.after {
			t.Errorf("%s: %q, want %q", path, got, c.after)
		}
	}
	want(t, b.write("folder/", "x"), tools.Failed, "ends as a folder does")
}

// HB-094: marks of edits are written as they are, and told.
func TestWriteWarnsOfMarksOfEdits(t *testing.T) {
	for content, mark := range map[string]string{
		"a\n</old_text>\nb\n": "</old_text>", "<<<<<<< SEARCH\nx\n": "<<<<<<< SEARCH", "x\n*** End Patch": "*** End Patch", "```go\nx\n": "odd number of fences",
	} {
		b := newBench(t, nil)
		want(t, b.write("f.go", content), tools.OK, "Look at it again", mark)
		if got := b.content("f.go"); got != content {
			t.Errorf("%q became %q", content, got)
		}
	}
	b := newBench(t, nil)
	if res := b.write("f.md", "```go\nx\n```\n"); strings.Contains(res.Text, "Look at it") {
		t.Error(res.Text)
	}
}

func TestWriteDoesNotLandOnAFileThatMovedAfterPreparation(t *testing.T) {
	b := newBench(t, map[string]string{"f": "a\n"})
	b.read(readArgs{Path: "f"})
	for _, target := range []string{"f", "new"} {
		action, err := b.prepare(Write(b.ws), writeArgs{target, "mine\n"})
		if err != nil {
			t.Fatal(err)
		}
		b.put(target, "theirs\n")
		_, err = action.Run(context.Background(), nil)
		var r *tools.Refusal
		if !errors.As(err, &r) || !strings.Contains(r.Text, "Not done: "+target) {
			t.Errorf("%s: got %v", target, err)
		}
		if b.content(target) != "theirs\n" {
			t.Errorf("%s was overwritten", target)
		}
	}
}

func TestWriteOnWhatIsNoFileIsRefused(t *testing.T) {
	b := newBench(t, map[string]string{"dir/a": "", "p.png": "\x89PNG\r\n\x1a\n\x00"})
	want(t, b.write("dir", "x"), tools.Failed, "dir is not a regular file")
	want(t, b.write("p.png", "x"), tools.Failed, "binary")
	want(t, b.write("dir/a/x", "x"), tools.Failed)
}

func TestAWriteThatTheSystemRefusesIsAResult(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	b := newBench(t, map[string]string{"dir/a": ""})
	if err := os.Chmod(filepath.Join(b.root, "dir"), 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(b.root, "dir"), 0o700) })
	want(t, b.write("dir/new", "x"), tools.Failed, "Not done: dir/new")
}

// HB-058: no second file beside one whose name looks the same.
func TestWriteTakesANameThatLooksTheSame(t *testing.T) {
	b := newBench(t, map[string]string{"Fru\u0308h.md": "old\n"})
	want(t, b.write("Fr\u00fch.md", "new\n"), tools.Failed, "looks the same", "was not read")
	b.read(readArgs{Path: "Fr\u00fch.md"})
	want(t, b.write("Fr\u00fch.md", "new\n"), tools.OK, "looks the same", "Replaced")
	if got := b.content("Fru\u0308h.md"); got != "new\n" {
		t.Errorf("%q", got)
	}
	want(t, b.read(readArgs{Path: "FR\u00dcH.MD"}), tools.Failed, "whose name is written otherwise")
}
