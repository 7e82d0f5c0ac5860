package edit

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"companion/tools"
	"companion/workspace"
)

// bench is a workspace on disk with files in it.
type bench struct {
	t    *testing.T
	root string
	ws   *workspace.Workspace
}

func newBench(t *testing.T, files map[string]string) bench {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
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
	return bench{t, root, ws}
}

func (b bench) content(name string) string {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.root, filepath.FromSlash(name)))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

func (b bench) call(path string, edits ...replacement) tools.Call {
	raw, err := json.Marshal(args{path, edits})
	if err != nil {
		b.t.Fatal(err)
	}
	return tools.Call{Thread: "t", Roots: []string{b.root}, Name: "edit", Args: raw}
}

// read notes that the model has seen a file as it is now.
func (b bench) read(path string) {
	b.t.Helper()
	f, err := b.ws.Resolve(path)
	if err != nil {
		b.t.Fatal(err)
	}
	if snap, err := b.ws.Read(context.Background(), f.Path); err == nil && snap.Exists {
		b.ws.NoteRead("t", f.Path, snap.Hash)
	}
}

// edit reads, prepares and runs, as a model and the pipeline do.
func (b bench) edit(path string, edits ...replacement) (tools.Action, tools.Result) {
	b.t.Helper()
	b.read(path)
	return b.blind(path, edits...)
}

// blind prepares and runs without reading first.
func (b bench) blind(path string, edits ...replacement) (tools.Action, tools.Result) {
	b.t.Helper()
	action, err := New(b.ws).Prepare(context.Background(), b.call(path, edits...))
	if err != nil {
		return action, b.refused(err)
	}
	res, err := action.Run(context.Background(), nil)
	if err != nil {
		return action, b.refused(err)
	}
	return action, res
}

func (b bench) refused(err error) tools.Result {
	b.t.Helper()
	var r *tools.Refusal
	if !errors.As(err, &r) {
		b.t.Fatalf("the turn would end: %v", err)
	}
	return tools.Result{Outcome: r.Outcome, Text: r.Text}
}

func want(t *testing.T, res tools.Result, outcome tools.Outcome, parts ...string) {
	t.Helper()
	if res.Outcome != outcome {
		t.Errorf("outcome %q, want %q: %s", res.Outcome, outcome, res.Text)
	}
	for _, p := range parts {
		if !strings.Contains(res.Text, p) {
			t.Errorf("the text lacks %q:\n%s", p, res.Text)
		}
	}
}

func TestEditsAreExactAndUnique(t *testing.T) {
	const missing = "\x00"
	for name, c := range map[string]struct {
		input, old, new string
		all             bool
		after           string // when words is ""
		words           string // of a refusal, or of "already applied"
	}{
		"two matches":                           {input: "alpha\nbeta\nalpha\n", old: "alpha\n", words: "occurs 2 times in f.txt, at lines 1, 3"},
		"overlapping matches":                   {input: "aaa\n", old: "aa", new: "b", words: "occurs 2 times"},
		"first line differs":                    {input: "func a() {\n\tfoo()\n}\nfunc b() {\n\tfoo()\n}\n", old: "func x() {\n    foo()\n}", new: "x", words: "The closest lines are:\n1\tfunc a() {"},
		"absent":                                {input: "package main\n", old: "does not exist", new: "replacement", words: "Nothing in it is like it"},
		"missing":                               {input: missing, old: "a", new: "b", words: "There is no file f.txt"},
		"empty old on a file with text":         {input: "a\n", new: "b", words: "old is empty, but f.txt has text"},
		"a part of a line in other whitespace":  {input: "x = foo( 1,  2 );\n", old: "foo( 1, 2 )", new: "b", words: "as a part of the line"},
		"CR only":                               {input: "a\rb\rc\r", old: "b\nc", new: "B\nC\nD", after: "a\rB\rC\rD\r"},
		"mixed endings stay where lines stay":   {input: "a\r\nb\nc\r\nd\n", old: "a\nb\nc\nd", new: "a\nb\nC\nd", after: "a\r\nb\nC\r\nd\n"},
		"HB-080 the last line, no ending":       {input: "a\nb", old: "b", new: "c", after: "a\nc"},
		"HB-080 the last line with its ending":  {input: "a\nb\n", old: "b\n", new: "c\n", after: "a\nc\n"},
		"HB-080 old ends where the file ends":   {input: "x\na\nb", old: "a\nb", new: "c\nd", after: "x\nc\nd"},
		"HB-080 old has an ending, the file no": {input: "x\n  b", old: "b\n", new: "c\n", after: "x\n  c"},
		"a deletion of a whole line":            {input: "a\r\nb\r\nc\r\n", old: "b\n", after: "a\r\nc\r\n"},
		"HB-103 a byte order mark stays":        {input: "\ufefftitle\nдом\n", old: "title", new: "titel", after: "\ufefftitel\nдом\n"},
		"HB-103 old copied with the mark":       {input: "\ufefftitle\nдом\n", old: "\ufefftitle\n", new: "\ufefftitel\n", after: "\ufefftitel\nдом\n"},
		"HB-104 Latin-1":                        {input: "caf\xe9 = 1\nx = 1\n", old: "x = 1", new: "x = 2", after: "caf\xe9 = 1\nx = 2\n"},
		"HB-105 UTF-16":                         {input: "\xff\xfea\x00\r\x00\n\x00b\x00", old: "a\nb", new: "a\nc\nd", after: "\xff\xfea\x00\r\x00\n\x00c\x00\r\x00\n\x00d\x00"},
		"HB-091 no pattern":                     {input: "a\nemit(\"ok\")\nb\n", old: `emit("ok")`, new: `emit("$& $1 ${1} $$ \1 \n");`, after: "a\n" + `emit("$& $1 ${1} $$ \1 \n");` + "\nb\n"},
		"HB-091 no pattern in all":              {input: "x x", old: "x", new: `$0\0&`, all: true, after: `$0\0& $0\0&`},
		"HB-100 entities":                       {input: "x\n", old: "x", new: "a &amp;&lt;b&gt; &quot;", after: "a &amp;&lt;b&gt; &quot;\n"},
		"HB-186 already applied":                {input: "return compute(2)\n", old: "return compute(1)", new: "return compute(2)", words: "Already applied"},
		"HB-186 already, though alike":          {input: "f() {\n  compute(2)\n}\n", old: "f() {\n  compute(1)\n}", new: "f() {\n  compute(2)\n}", words: "Already applied"},
		"HB-186 new text that is common":        {input: "a {\n\treturn nil\n}\nb {\n\treturn nil\n}\n", old: "\tretrun err", new: "\treturn nil", words: "was not found"},
		"new text that is short proves nothing": {input: "a\n}\n", old: "b", new: "}", words: "was not found"},
		"HB-196 numbers of another program":     {input: "x(\n]\n", old: "31 | ]", new: "31 | ]\n32 | y()\n33 | ]", after: "x(\n]\ny()\n]\n"},
		"HB-196 numbers of read":                {input: "a\n\tb\n\nc\n", old: "2\t\tb\n3\t\n4\tc", new: "2\t\tB\n3\t\n4\tc", after: "a\n\tB\n\nc\n"},
		"HB-196 the tab of an empty line lost":  {input: "a\nb\n\nc\n", old: "2\tb\n3\n4\tc", new: "2\tB\n3\n4\tc", after: "a\nB\n\nc\n"},
		"HB-196 numbers in old only":            {input: "a\nb\n", old: "2\tb", new: "B", after: "a\nB\n"},
		"HB-196 numbers in new only":            {input: "a\nb\n", old: "b", new: "2\tB\n3\tC", after: "a\nB\nC\n"},
		"HB-196 numbers in new of other lines":  {input: "a\nb\n", old: "b", new: "7\tB\n8\tC", after: "a\n7\tB\n8\tC\n"},
		"HB-196 on some lines of new":           {input: "a\nb\n", old: "2\tb", new: "2\tb\nc", words: "on some only"},
		"HB-196 a table that has such lines":    {input: "12 | a\n13 | b\n", old: "12 | a", new: "12 | A", after: "12 | A\n13 | b\n"},
		"HB-196 a table of tabs":                {input: "1\ta\n2\tb\n", old: "2\tb", new: "2\tB", after: "1\ta\n2\tB\n"},
		"no-break space in the file":            {input: "a\u00a0b = 1\n", old: "a b = 1", new: "a b = 2", after: "a b = 2\n"},
		"a typographic quote is shown":          {input: "say(‘hi’)\n", old: "say('hi')", new: "x", words: "(U+2018)"},
		"a zero-width space is shown":           {input: "var\u200b x = compute(1)\n", old: "var x = compute(1)", new: "x", words: `"\u200b x`},
		"other depths, where they mean nothing": {input: "a:\n  b\n  c\n", old: "a:\n  b\nc", new: "a:\n  B\nc", after: "a:\n  B\n  c\n"},
	} {
		t.Run(name, func(t *testing.T) {
			initial := map[string]string{"f.txt": c.input}
			if c.input == missing {
				initial = nil
			}
			b := newBench(t, initial)
			action, res := b.edit("f.txt", replacement{c.old, c.new, c.all})
			if c.words == "" {
				want(t, res, tools.OK, "Edited f.txt")
				if got := b.content("f.txt"); got != c.after {
					t.Errorf("the file holds %q, want %q", got, c.after)
				}
				if action.Effects[0].Kind != tools.Write || action.Preview.Diff == "" || len(res.Changed) != 1 {
					t.Errorf("effects %v, diff %q, changed %v", action.Effects, action.Preview.Diff, res.Changed)
				}
				return
			}
			outcome := tools.Failed
			if strings.HasPrefix(c.words, "Already") {
				outcome = tools.OK
			}
			want(t, res, outcome, c.words)
			if len(action.Effects) != 1 || action.Effects[0].Kind != tools.Read || len(res.Changed) > 0 {
				t.Errorf("an edit that does not fit declared %v and changed %v", action.Effects, res.Changed)
			}
			if c.input != missing && b.content("f.txt") != c.input {
				t.Errorf("the file changed to %q", b.content("f.txt"))
			}
		})
	}
}

// HB-104: a charset that cannot hold the new text is no reason to lose the old.
func TestACharacterThatTheFileCannotHoldIsRefused(t *testing.T) {
	b := newBench(t, map[string]string{"f": "caf\xe9 = 1\nx = 1\n"})
	_, res := b.edit("f", replacement{Old: "x = 1", New: "x = →"})
	want(t, res, tools.Failed, "latin-1", "→")
	if got := b.content("f"); got != "caf\xe9 = 1\nx = 1\n" {
		t.Errorf("got %q", got)
	}
}

// HB-198: several replacements in one call keep every indent.
func TestSeveralEditsLandTogetherByteForByte(t *testing.T) {
	b := newBench(t, map[string]string{"n.js": "a {\n  one()\n    two()\n        three()\n}\n"})
	_, res := b.edit("n.js", replacement{Old: "  one()", New: "  one(1)"}, replacement{Old: "    two()", New: "    two(2)"}, replacement{Old: "        three()", New: "        three(3)"})
	want(t, res, tools.OK, "3 replacements, at line 2, 3, 4", "+        three(3)")
	if got := b.content("n.js"); got != "a {\n  one(1)\n    two(2)\n        three(3)\n}\n" {
		t.Errorf("got %q", got)
	}
}

func TestOneEditThatDoesNotFitKeepsTheOthersOut(t *testing.T) {
	b := newBench(t, map[string]string{"f": "a\nb\n"})
	_, res := b.edit("f", replacement{Old: "a", New: "A"}, replacement{Old: "zzz", New: "Z"})
	want(t, res, tools.Failed, "nothing was changed", "edits[1]: old was not found")
	if b.content("f") != "a\nb\n" {
		t.Error("half of the edits landed")
	}
}

// HB-060: brackets in a path are no pattern.
func TestBracketsInAPathAreLiteral(t *testing.T) {
	b := newBench(t, map[string]string{"app/[id]/page.tsx": "export const a = 1\nexport const b = 2\n", "app/i/page.tsx": "x"})
	_, res := b.edit("app/[id]/page.tsx", replacement{Old: "a = 1", New: "a = 3"})
	want(t, res, tools.OK)
	if got := b.content("app/[id]/page.tsx"); got != "export const a = 3\nexport const b = 2\n" {
		t.Errorf("got %q", got)
	}
}

// HB-200: a base name is no path.
func TestOnlyTheNamedFileIsEdited(t *testing.T) {
	body := "a { color: red }\n"
	b := newBench(t, map[string]string{"public/css/h.css": body, "public/mobile/css/h.css": body})
	_, res := b.edit("public/mobile/css/h.css", replacement{Old: "red", New: "blue"})
	want(t, res, tools.OK)
	if b.content("public/css/h.css") != body {
		t.Error("the other file changed")
	}
	_, res = b.edit("h.css", replacement{Old: "red", New: "green"})
	want(t, res, tools.Failed, "There is no file h.css", "fits 2 files", "public/css/h.css, public/mobile/css/h.css")
}

// What others change between preparation and run is kept: apart it is merged
// and told, on the same lines the edit is refused.
func TestAFileThatMovedAfterPreparationKeepsBothChanges(t *testing.T) {
	for name, c := range map[string]struct {
		theirs, want string
		outcome      tools.Outcome
		words        string
	}{
		"apart":      {"a\nb\nc\nother\n", "A\nb\nc\nother\n", tools.OK, "changed"},
		"same lines": {"x\nb\nc\nd\n", "x\nb\nc\nd\n", tools.Failed, "changed"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]string{"f": "a\nb\nc\nd\n"})
			action, err := New(b.ws).Prepare(context.Background(), b.call("f", replacement{Old: "a", New: "A"}))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(b.root, "f"), []byte(c.theirs), 0o644); err != nil {
				t.Fatal(err)
			}
			res, err := action.Run(context.Background(), nil)
			if err != nil {
				res = b.refused(err)
			}
			want(t, res, c.outcome, c.words)
			if got := b.content("f"); got != c.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestAChangeOfOthersSinceTheReadIsTold(t *testing.T) {
	b := newBench(t, map[string]string{"f": "a\nb\n"})
	path := filepath.Join(b.root, "f")
	b.ws.NoteRead("t", path, "sha256:older")
	_, res := b.blind("f", replacement{Old: "a", New: "A"})
	want(t, res, tools.OK, "had changed since you last read it")
	_, res = b.blind("f", replacement{Old: "b", New: "B"})
	want(t, res, tools.OK, "had changed since you last read it") // it has still not seen what others did
}

// What the user typed at the end of what the model read is not part of it.
func TestAWordThatOthersMadeLongerSinceTheReadIsNotEdited(t *testing.T) {
	for _, c := range []struct {
		name, now, old string
		outcome        tools.Outcome
	}{
		{"longer at its end", "return 111\n", "return 1", tools.Failed},
		{"longer at its start", "xreturn 1\n", "return 1", tools.Failed},
		{"longer by a letter that is no ASCII", "wähle\n", "w", tools.Failed},
		{"other text beside it", "return 1 // mine\n", "return 1", tools.OK},
		{"ends with no word", "f(111)\n", "f(", tools.OK},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, map[string]string{"f": c.now})
			b.ws.NoteRead("t", filepath.Join(b.root, "f"), "sha256:older")
			_, res := b.blind("f", replacement{Old: c.old, New: "new("})
			if res.Outcome != c.outcome || (b.content("f") == c.now) != (c.outcome == tools.Failed) {
				t.Errorf("%s: %s\n%q", res.Outcome, res.Text, b.content("f"))
			}
		})
	}
}

// deaf is an editor that says applied and does nothing, or refuses.
type deaf struct{ answer workspace.EditAnswer }

func (d deaf) ApplyEdit(context.Context, workspace.FileEdit) (workspace.EditAnswer, error) {
	return d.answer, nil
}

// HB-185: an editor's "applied" is a claim.
func TestAnEditThatTheEditorDidNotMakeIsNotReportedAsDone(t *testing.T) {
	for name, c := range map[string]struct {
		answer workspace.EditAnswer
		words  string
	}{
		"claimed": {workspace.EditAnswer{Applied: true}, "does not hold the change"},
		"refused": {workspace.EditAnswer{Reason: "read only"}, "the editor refused"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]string{"f": "a\n"})
			b.ws.SetEditor(deaf{c.answer})
			f, err := b.ws.Resolve("f")
			if err != nil {
				t.Fatal(err)
			}
			b.ws.DidOpen(f.URI, "plaintext", 1, "a\n")
			_, res := b.edit("f", replacement{Old: "a", New: "b"})
			want(t, res, tools.Failed, "Not done", c.words)
			if b.content("f") != "a\n" || len(res.Changed) > 0 {
				t.Error("it was changed, or said to be")
			}
		})
	}
}

// HB-058: what read opens under a name that looks the same, edit edits.
func TestANameThatLooksTheSameIsEditedAndTold(t *testing.T) {
	b := newBench(t, map[string]string{"Fru\u0308h.md": "old\n"})
	b.read("Fru\u0308h.md")
	_, res := b.blind("Fr\u00fch.md", replacement{Old: "old", New: "new"})
	want(t, res, tools.OK, "looks the same", "U+0308")
	if got := b.content("Fru\u0308h.md"); got != "new\n" {
		t.Errorf("%q", got)
	}
	_, res = b.blind("Fr\u00fch.md", replacement{Old: "nothing like it", New: "x"})
	want(t, res, tools.Failed, "looks the same", "not found")
	if strings.Contains(res.Text, "2\t") {
		t.Errorf("a line that is none: %s", res.Text)
	}
}

// What is shown of a file is what it holds: no line after its last, and not what
// edits that were not made would have put without saying so.
func TestAFailureShowsTheFileAsItIs(t *testing.T) {
	b := newBench(t, map[string]string{"f": "a\nb\n"})
	_, res := b.edit("f", replacement{Old: "a", New: "A"}, replacement{Old: "zz", New: "q"})
	want(t, res, tools.Failed, "edits[1]: old was not found", "1\tA\n2\tb\n(This is of the text")
	if strings.Contains(res.Text, "3\t") {
		t.Errorf("a line that is none: %s", res.Text)
	}
}
