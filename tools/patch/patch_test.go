package patch

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"companion/tools"
)

func wrap(lines ...string) string {
	return "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"
}

const utf16 = "\xff\xfea\x00\r\x00\n\x00\xe9\x00\r\x00\n\x00"

// Every byte that no hunk names stays, and new lines are written as the file
// writes its own. HB-103 (BOM), HB-104 (Latin-1), HB-105 (UTF-16), HB-107 (no
// last line ending), HB-080 (the end of a file).
func TestBytesStay(t *testing.T) {
	for name, c := range map[string]struct{ file, hunk, want string }{
		"HB-103 a byte order mark":           {"\xef\xbb\xbftitle\nдом\n", "@@\n-title\n+titel", "\xef\xbb\xbftitel\nдом\n"},
		"HB-104 Latin-1":                     {"caf\xe9 = 1\nx = 1\n", "@@\n-x = 1\n+x = é2", "caf\xe9 = 1\nx = \xe92\n"},
		"HB-105 UTF-16":                      {utf16, "@@\n a\n+b\n é", "\xff\xfea\x00\r\x00\n\x00b\x00\r\x00\n\x00\xe9\x00\r\x00\n\x00"},
		"HB-107 no last line ending":         {`{"a":1}`, "@@\n-{\"a\":1}\n+{\"a\":2}", `{"a":2}`},
		"HB-080 the last of lines":           {"a\nb", "@@\n-b\n+c", "a\nc"},
		"HB-080 the last line":               {"a\nb\n", "@@\n-b\n+c", "a\nc\n"},
		"more lines at an open end":          {"a\nb", "@@\n a\n-b\n+c\n+d", "a\nc\nd"},
		"lines behind an open end":           {"a\nb", "@@\n b\n+c", "a\nb\nc"},
		"appended to an open end":            {"a\r\nb", "@@\n+c\n+d", "a\r\nb\r\nc\r\nd"},
		"twice appended to an open end":      {"a\nb", "@@\n+c\n*** End of File\n@@\n+d", "a\nb\nc\nd"},
		"the last line goes":                 {"a\nb", "@@\n a\n-b", "a\n"},
		"no last line ending wanted":         {"a\nb\n", "@@\n-b\n+c\n\\ No newline at end of file", "a\nc"},
		"CRLF":                               {"a\r\nb\r\nc\r\n", "@@\n a\n-b\n+B\n+B2\n c", "a\r\nB\r\nB2\r\nc\r\n"},
		"CR":                                 {"a\rb\rc\r", "@@\n-b\n+B", "a\rB\rc\r"},
		"mixed endings":                      {"a\nb\r\nc\rd\r\n", "@@\n a\n-b\n+B\n c", "a\nB\r\nc\rd\r\n"},
		"white space of context":             {"keep \t\nold\n", "@@\n keep\n-old\n+new", "keep \t\nnew\n"},
		"unchanged lines between":            {"a  \nb\n", "@@\n-a\n-b\n+a\n+B", "a  \nB\n"},
		"typographic punctuation of context": {"“a” – b…\nold\n", "@@\n \"a\" - b...\n-old\n+new", "“a” – b…\nnew\n"},
		"no-break spaces":                    {"a\u00a0b\nold\n", "@@\n a b\n-old\n+new", "a\u00a0b\nnew\n"},
		"an empty file":                      {"", "@@\n+a\n+b", "a\nb\n"},
		"all lines go":                       {"a\nb\n", "@@\n-a\n-b", ""},
		"HB-091 dollars and backslashes":     {"a\n", "@@\n-a\n+$& $1 ${1} $$ \\1 \\n", "$& $1 ${1} $$ \\1 \\n\n"},
		"HB-100 entities":                    {"a\n", "@@\n-a\n+a &amp;&lt;b&gt; &quot;", "a &amp;&lt;b&gt; &quot;\n"},
		"HB-094 marks of formats":            {"a\n", "@@\n-a\n+</old_text>\n+<<<<<<< SEARCH\n+*** End Patch\n+```", "</old_text>\n<<<<<<< SEARCH\n*** End Patch\n```\n"},
		"HB-196 real columns":                {"12 | a\n13 | b\n", "@@\n-12 | a\n+12 | c", "12 | c\n13 | b\n"},
		"backslashes that are meant":         {"a = \"\\\"x\\\"\"\n", "@@\n-a = \"\\\"x\\\"\"\n+a = \"\\\"y\\\"\"", "a = \"\\\"y\\\"\"\n"},
		"backslashes too many":               {"a = \"x\"\n", "@@\n-a = \\\"x\\\"\n+a = \\\"y\\\"", "a = \"y\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]string{"f": c.file})
			if _, err := b.apply("*** Begin Patch\n*** Update File: f\n" + c.hunk + "\n*** End Patch"); err != nil {
				t.Fatal(err)
			}
			if got := contents(t, b.dir)["f"]; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// HB-198: indentation of 2, 4 and 8 spaces, byte for byte; and of the place
// where the patch has another.
func TestIndentationIsThatOfTheFile(t *testing.T) {
	nested := "a:\n  b:\n    c:\n        d: 1\n"
	for name, c := range map[string]struct{ file, hunk, want string }{
		"exact":   {nested, "@@\n-  b:\n+  B:\n@@\n-    c:\n+    C:\n@@\n-        d: 1\n+        d: 2", "a:\n  B:\n    C:\n        d: 2\n"},
		"less":    {nested, "@@\n-c:\n-    d: 1\n+C:\n+    d: 2\n+    e: 3", "a:\n  b:\n    C:\n        d: 2\n        e: 3\n"},
		"tabs":    {"f:\n\tx:\n\t\ty\n", "@@\n     x:\n-        y\n+        z\n+            w", "f:\n\tx:\n\t\tz\n\t\t\tw\n"},
		"spaces":  {"f:\n    x:\n        y\n", "@@\n \tx:\n-\t\ty\n+\t\tz", "f:\n    x:\n        z\n"},
		"outward": {"f:\n    x\ng\n", "@@\n f:\n-  x\n+  y\n+z\n g", "f:\n    y\nz\ng\n"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]string{"f": c.file})
			r, err := b.apply("*** Begin Patch\n*** Update File: f\n" + c.hunk + "\n*** End Patch")
			if err != nil {
				t.Fatal(err)
			}
			if got := contents(t, b.dir)["f"]; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if told := strings.Contains(r.Text, "but for indentation"); told != (name != "exact") {
				t.Errorf("told: %s", r.Text)
			}
		})
	}
}

const arms = "match x {\n  A => {\n    go(1);\n  }\n  B => {\n    go(1);\n  }\n  C => {\n    go(1);\n  }\n}\n"

// HB-113: equal blocks are told apart by @@ lines, context, order and End of
// File, or the patch is refused with the places.
func TestEqualPlaces(t *testing.T) {
	for name, c := range map[string]struct{ file, hunk, want, err string }{
		"HB-113 the third by its header": {arms, "@@ C => {\n-    go(1);\n+    go(3);", strings.Replace(arms, "C => {\n    go(1)", "C => {\n    go(3)", 1), ""},
		"HB-113 no header":               {arms, "@@\n-    go(1);\n+    go(3);", "", "at 3 places (lines 3, 6, 9)"},
		"nested headers":                 {"class A\n  def f\n    x\nclass B\n  def f\n    x\n", "@@ class B\n@@   def f\n-    x\n+    y", "class A\n  def f\n    x\nclass B\n  def f\n    y\n", ""},
		"an equal header":                {"class A\n  def f\n    x\nclass B\n  def f\n    x\n", "@@   def f\n-    x\n+    y", "", "at 2 places (lines 3, 6)"},
		"by order, from before":          {"x\ny\nm\nx\ny\n", "@@\n m\n-x\n+X\n@@\n-y\n+Y", "x\ny\nm\nX\nY\n", ""},
		"by order, from behind":          {"x\nm\nx\n", "@@\n-x\n+X\n@@\n-m\n+M", "X\nM\nx\n", ""},
		"as many hunks as places":        {"x\na\nx\n", "@@\n-x\n+1\n@@\n-x\n+2", "1\na\n2\n", ""},
		"fewer hunks than places":        {"x\na\nx\nb\nx\n", "@@\n-x\n+1\n@@\n-x\n+2", "", "places"},
		"the end of the file":            {"x\na\nx\n", "@@\n-x\n+X\n*** End of File", "x\na\nX\n", ""},
		"context":                        {"x\na\nx\nb\n", "@@\n-x\n+X\n b", "x\na\nX\nb\n", ""},
		"out of order":                   {"a\nb\nc\nd\n", "@@\n-d\n+D\n@@\n-a\n+A", "A\nb\nc\nD\n", ""},
		"shared context":                 {"a\nb\nc\n", "@@\n-a\n+A\n b\n@@\n b\n-c\n+C", "A\nb\nC\n", ""},
		"the same lines twice":           {"a\nb\n", "@@\n-a\n+1\n@@\n-a\n+2", "", "change the same lines"},
		"an insertion after its line":    {"def f\n  x\ndef g\n  y\n", "@@ def g\n+  z", "def f\n  x\ndef g\n  z\n  y\n", ""},
		"an insertion after equal lines": {"def f\n  x\ndef f\n  y\n", "@@ def f\n+  z", "", "its @@ line is in the file at 2 places"},
		"an insertion at the end":        {"a\nb\n", "@@\n+c", "a\nb\nc\n", ""},
		"part of a header":               {"func (t *T) Long(a int) error {\n\tx\n}\n", "@@ func (t *T) Long\n-\tx\n+\ty", "func (t *T) Long(a int) error {\n\ty\n}\n", ""},
		"a wrong header, a plain place":  {"a\nb\n", "@@ nowhere\n-b\n+B", "a\nB\n", ""},
		"a wrong header, equal places":   {"b\na\nb\n", "@@ nowhere\n-b\n+B", "", "at 2 places"},
		"a header below the place":       {"b\na\n", "@@ a\n-b\n+B", "B\na\n", ""},
		"a header below equal places":    {"b\nb2\nb\na\n", "@@ a\n-b\n+B", "", `not below "@@ a"`},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]string{"f": c.file})
			_, err := b.apply("*** Begin Patch\n*** Update File: f\n" + c.hunk + "\n*** End Patch")
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("%v, want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := contents(t, b.dir)["f"]; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// HB-110: nothing that nobody read is replaced, also through a symlink or by a
// move.
func TestHB110NothingUnreadIsReplaced(t *testing.T) {
	add := wrap("*** Add File: keep.cfg", "+new")
	b := newBench(t, map[string]string{"keep.cfg": "old\n", "src": "src\n"})
	if err := os.Symlink("keep.cfg", filepath.Join(b.dir, "link.cfg")); err != nil {
		t.Skipf("NOT RUN: no symlinks here: %v", err)
	}
	for _, p := range []string{
		add, wrap("*** Add File: link.cfg", "+new"),
		wrap("*** Update File: src", "*** Move to: keep.cfg", "@@", "-src", "+new"), wrap("*** Update File: src", "*** Move to: link.cfg"),
	} {
		if _, err := b.apply(p); err == nil || !strings.Contains(err.Error(), "keep.cfg exists already and was not read") {
			t.Errorf("%s: %v", p, err)
		}
	}
	b.read("keep.cfg")
	if _, err := b.apply(add); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(b.dir, "keep.cfg"), "theirs\n")
	if _, err := b.apply(add); err == nil || !strings.Contains(err.Error(), "changed since you read it") {
		t.Errorf("%v", err)
	}
	b.read("keep.cfg")
	if _, err := b.apply(wrap("*** Update File: src", "*** Move to: keep.cfg", "@@", "-src", "+new")); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, b.dir); got["keep.cfg"] != "new\n" || got["src"] != "" {
		t.Errorf("%q", got)
	}
}

// HB-111: one hunk that does not fit stops all.
func TestHB111OneFailureStopsAll(t *testing.T) {
	b := newBench(t, map[string]string{"a": "1\n", "b": "2\n"})
	_, err := b.apply(wrap("*** Update File: a", "@@", "-1", "+one", "*** Update File: b", "@@", "-3", "+three", "*** Add File: c", "+c"))
	if err == nil || !strings.Contains(err.Error(), "nothing was changed. b, hunk 1 (line 7 of the patch)") {
		t.Errorf("%v", err)
	}
}

// HB-112: a line number is no place.
func TestHB112ALineNumberIsNoPlace(t *testing.T) {
	b := newBench(t, map[string]string{"f": "a\nb\nc\n"})
	_, err := b.apply("*** Begin Patch\n*** Update File: f\n--- a/f\n+++ b/f\n@@ -2,1 +2,1 @@\n-bee\n+B\n*** End Patch")
	if err == nil || !strings.Contains(err.Error(), "its lines are not in the file") {
		t.Errorf("%v", err)
	}
}

// HB-114: an envelope that is indented, context without its space.
func TestHB114LooseEnvelopes(t *testing.T) {
	for name, p := range map[string]string{
		"indented":  "    *** Begin Patch\n    *** Update File: f\n    @@\n     func f() {\n    -\told()\n    +\tnew()\n     }\n    *** End Patch   \n  \n",
		"no space":  "*** Begin Patch\n*** Update File: f\n@@\nfunc f() {\n-\told()\n+\tnew()\n}\n*** End Patch",
		"a heredoc": "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: f\n@@\n func f() {\n-\told()\n+\tnew()\n*** End Patch\nEOF",
	} {
		b := newBench(t, map[string]string{"f": "func f() {\n\told()\n}\n"})
		if _, err := b.apply(p); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := contents(t, b.dir)["f"]; got != "func f() {\n\tnew()\n}\n" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// HB-200: a path names one file, whatever others are called.
func TestHB200APathNamesOneFile(t *testing.T) {
	b := newBench(t, map[string]string{"public/css/h.css": "a\n", "public/mobile/css/h.css": "a\n"})
	if _, err := b.apply(wrap("*** Update File: public/mobile/css/h.css", "@@", "-a", "+b")); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, b.dir); got["public/css/h.css"] != "a\n" || got["public/mobile/css/h.css"] != "b\n" {
		t.Errorf("%q", got)
	}
	_, err := b.apply(wrap("*** Update File: h.css", "@@", "-a", "+b"))
	if err == nil || !strings.Contains(err.Error(), "fits 2 files") {
		t.Errorf("%v", err)
	}
}

func TestSectionsCompose(t *testing.T) {
	start := map[string]string{"a": "1\n2\n", "b": "x\n"}
	for name, c := range map[string]struct {
		lines []string
		want  map[string]string
	}{
		"twice":               {[]string{"*** Update File: a", "@@", "-1", "+one", "*** Update File: ./a", "@@", "-one", "+uno"}, map[string]string{"a": "uno\n2\n", "b": "x\n"}},
		"add, then update":    {[]string{"*** Add File: c", "+q", "*** Update File: c", "@@", "-q", "+r"}, map[string]string{"a": "1\n2\n", "b": "x\n", "c": "r\n"}},
		"add, then delete":    {[]string{"*** Add File: c", "+q", "*** Delete File: c", "*** Delete File: b"}, map[string]string{"a": "1\n2\n"}},
		"delete, then add":    {[]string{"*** Delete File: a", "*** Add File: a", "+new"}, map[string]string{"a": "new\n", "b": "x\n"}},
		"moved twice":         {[]string{"*** Update File: a", "*** Move to: c", "*** Update File: c", "*** Move to: d/e", "@@", "-2", "+two"}, map[string]string{"d/e": "1\ntwo\n", "b": "x\n"}},
		"moved, then added":   {[]string{"*** Update File: a", "*** Move to: c", "*** Add File: a", "+new"}, map[string]string{"a": "new\n", "c": "1\n2\n", "b": "x\n"}},
		"moved there, back":   {[]string{"*** Update File: a", "*** Move to: c", "@@", "-1", "+one", "*** Update File: c", "*** Move to: a"}, map[string]string{"a": "one\n2\n", "b": "x\n"}},
		"swapped":             {[]string{"*** Update File: a", "*** Move to: t", "*** Update File: b", "*** Move to: a", "*** Update File: t", "*** Move to: b"}, map[string]string{"a": "x\n", "b": "1\n2\n"}},
		"moved onto itself":   {[]string{"*** Update File: a", "*** Move to: ./a", "@@", "-1", "+one"}, map[string]string{"a": "one\n2\n", "b": "x\n"}},
		"onto a deleted file": {[]string{"*** Delete File: b", "*** Update File: a", "*** Move to: b"}, map[string]string{"b": "1\n2\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, start)
			if _, err := b.apply(wrap(c.lines...)); err != nil {
				t.Fatal(err)
			}
			if got := contents(t, b.dir); !maps.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestWhatDoesNotComposeIsRefused(t *testing.T) {
	for want, lines := range map[string][]string{
		"is added twice":                             {"*** Add File: c", "+q", "*** Add File: c", "+r"},
		"a is deleted or moved away":                 {"*** Delete File: a", "*** Update File: a", "@@", "-1", "+one"},
		"a is changed by one section and added":      {"*** Update File: a", "@@", "-1", "+one", "*** Add File: a", "+x"},
		"c is made by one section and moved":         {"*** Add File: c", "+q", "*** Update File: a", "*** Move to: c"},
		"There is no file nope":                      {"*** Delete File: nope"},
		"dir is not a regular file: it is a folder.": {"*** Delete File: dir"},
		"bin is a binary file":                       {"*** Update File: bin", "@@", "-1", "+2"},
		"bin exists already and is a binary":         {"*** Add File: bin", "+x"},
		`nothing was changed: line 2 of the pat`:     {"*** Copy File: a"},
	} {
		b := newBench(t, map[string]string{"a": "1\n2\n", "dir/x": "", "bin": "1\x00\n"})
		if _, err := b.apply(wrap(lines...)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", lines, err, want)
		}
	}
}

func TestWhatIsThereAlreadyIsNoFailure(t *testing.T) {
	b := newBench(t, map[string]string{"a": "1\n"})
	for _, p := range []string{wrap("*** Add File: a", "+1"), wrap("*** Update File: a", "*** Move to: a"), wrap("*** Update File: a", "@@", "-1", "+1")} {
		r, err := b.apply(p)
		if err != nil || !strings.Contains(r.Text, "Nothing was changed") || len(r.Changed) != 0 {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

func TestNewFilesGetTheEndingsOfTheProject(t *testing.T) {
	b := newBench(t, map[string]string{".editorconfig": "root = true\n[*.bat]\nend_of_line = crlf\n[*.txt]\ncharset = utf-8-bom\n"})
	if _, err := b.apply(wrap("*** Add File: a.bat", "+x", "+y", "*** Add File: b.txt", "+é", "*** Add File: c", "+x", "*** Update File: a.bat", "@@", "-y", "+z")); err != nil {
		t.Fatal(err)
	}
	got := contents(t, b.dir)
	delete(got, ".editorconfig")
	if want := map[string]string{"a.bat": "x\r\nz\r\n", "b.txt": "\xef\xbb\xbfé\n", "c": "x\n"}; !maps.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// A name of other code points that looks the same is the file that is there.
func TestNamesThatLookAlikeAreFound(t *testing.T) {
	b := newBench(t, map[string]string{"caf\u00e9.txt": "a\n"})
	r, err := b.apply(wrap("*** Update File: cafe\u0301.txt", "@@", "-a", "+b"))
	if err != nil || !strings.Contains(r.Text, "looks the same") {
		t.Fatalf("%+v, %v", r, err)
	}
	if got := contents(t, b.dir); !maps.Equal(got, map[string]string{"caf\u00e9.txt": "b\n"}) {
		t.Errorf("%q", got)
	}
}

func TestABinaryFileIsDeletedAndMoved(t *testing.T) {
	b := newBench(t, map[string]string{"bin": "\x00\xff", "bin2": "\x00\xfe"})
	if _, err := b.apply(wrap("*** Delete File: bin", "*** Update File: bin2", "*** Move to: sub/bin3")); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, b.dir); !maps.Equal(got, map[string]string{"sub/bin3": "\x00\xfe"}) {
		t.Errorf("%q", got)
	}
}

func TestEveryPathIsAnEffect(t *testing.T) {
	b := newBench(t, map[string]string{"a": "1\n", "b": "2\n", "c": "3\n"})
	action, err := b.prepare(wrap("*** Update File: a", "*** Move to: sub/d", "@@", "-1", "+one", "*** Delete File: b", "*** Update File: c", "@@", "-3", "+x", "*** Add File: e", "+e"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, e := range action.Effects {
		if e.Kind != tools.Write || action.Locks[i].Shared || action.Locks[i].Resource != e.Path {
			t.Errorf("%+v, %+v", e, action.Locks[i])
		}
		rel, _ := filepath.Rel(b.dir, e.Path)
		got = append(got, filepath.ToSlash(rel))
	}
	if want := []string{"a", "sub/d", "b", "c", "e"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, w := range []string{"--- a/a\n+++ b/sub/d\n", "--- a/b\n+++ /dev/null\n", "--- /dev/null\n+++ b/e\n", "-3\n+x\n"} {
		if !strings.Contains(action.Preview.Diff, w) {
			t.Errorf("the preview lacks %q:\n%s", w, action.Preview.Diff)
		}
	}
	if len(contents(t, b.dir)) != 3 {
		t.Error("Prepare changed something")
	}
}

// A refusal quotes the file: the policy must allow that it is read.
func TestARefusalReadsOnly(t *testing.T) {
	b := newBench(t, map[string]string{"a": "secret\n"})
	action, err := b.prepare(wrap("*** Update File: a", "@@", "-1", "+one"))
	if err != nil || len(action.Effects) != 1 || action.Effects[0].Kind != tools.Read || action.Preview.Diff != "" {
		t.Fatalf("%+v, %v", action, err)
	}
}

func TestAMissSaysWhatIsThereInstead(t *testing.T) {
	b := newBench(t, map[string]string{"f.go": "package f\n\nfunc Add(a, b int) int {\n\treturn a + b\n}\n"})
	_, err := b.apply(wrap("*** Update File: f.go", "@@", " func Add(a, b int) int {", "-\treturn a - b", "+\treturn b + a"))
	for _, w := range []string{
		"f.go, hunk 1 (line 3 of the patch)", `at line 4: the file has "\treturn a + b", the patch "\treturn a - b"`, "3\tfunc Add(a, b int) int {\n4\t\treturn a + b",
	} {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("%v\nlacks %q", err, w)
		}
	}
	b.read("f.go")
	put(t, filepath.Join(b.dir, "f.go"), "package f\n")
	if _, err = b.apply(wrap("*** Update File: f.go", "@@", "-func Add(a, b int) int {", "+x")); err == nil || !strings.Contains(err.Error(), "changed since you last read it") {
		t.Errorf("%v", err)
	}
}

func TestACutPatchIsNotApplied(t *testing.T) {
	b := newBench(t, nil)
	_, err := b.tool.Prepare(context.Background(), tools.Call{Cut: true, Args: []byte(`{"input":"*** Begin Patch\n*** Add File: a\n+x"}`), Roots: []string{b.dir}})
	if err == nil || !strings.Contains(err.Error(), "cut the patch off") {
		t.Errorf("%v", err)
	}
}

func TestWhatOthersChangedSincePrepareSurvives(t *testing.T) {
	b := newBench(t, map[string]string{"a": "1\n2\n3\n4\n5\n", "b": "x\n"})
	action, err := b.prepare(wrap("*** Update File: a", "@@", "-1", "+one", "*** Update File: b", "@@", "-x", "+y"))
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(b.dir, "a"), "1\n2\n3\n4\nFIVE\n")
	r, err := action.Run(context.Background(), nil)
	if err != nil || !strings.Contains(r.Text, "both changes are in it") {
		t.Fatalf("%+v, %v", r, err)
	}
	if got := contents(t, b.dir); got["a"] != "one\n2\n3\n4\nFIVE\n" || got["b"] != "y\n" {
		t.Errorf("%q", got)
	}
	action, err = b.prepare(wrap("*** Update File: b", "@@", "-y", "+z", "*** Update File: a", "@@", "-one", "+uno"))
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(b.dir, "a"), "theirs\n2\n3\n4\nFIVE\n")
	if _, err = action.Run(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "a changed in the meantime") {
		t.Errorf("%v", err)
	}
	if got := contents(t, b.dir); got["a"] != "theirs\n2\n3\n4\nFIVE\n" || got["b"] != "y\n" {
		t.Errorf("%q", got)
	}
}
