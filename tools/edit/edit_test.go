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

// edit prepares and runs, as the pipeline does.
func (b bench) edit(path string, edits ...replacement) (tools.Action, tools.Result) {
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

// The cases e01 to e54 restate facts about OpenCode's tests and behaviour (MIT),
// the others about Crush's, as far as exact and unique semantics go; where a
// peer guesses, the edit is refused here.
func TestEditsAreExactAndUnique(t *testing.T) {
	const missing = "\x00"
	for name, c := range map[string]struct {
		input, old, new string
		all             bool
		after           string // "" = as before
		words           string
	}{
		"e01 empty old creates a new file":      {input: missing, new: "new content", after: "new content"},
		"e04 in the middle of a line":           {input: "old content here", old: "old content", new: "new content", after: "new content here"},
		"e06 missing file":                      {input: missing, old: "old", new: "new", words: "There is no file"},
		"e08 old absent":                        {input: "actual content", old: "not in file", new: "replacement", words: "was not found"},
		"e10 one line becomes two":              {input: "line1\nline2\nline3", old: "line2", new: "new line 2\nextra line", after: "line1\nnew line 2\nextra line\nline3"},
		"e12 both empty":                        {input: "content", words: "identical"},
		"e14 CRLF file, CRLF strings":           {input: "alpha\r\nbeta\r\ngamma\r\n", old: "alpha\r\nbeta\r\ngamma", new: "alpha\r\nbeta-updated\r\ngamma", after: "alpha\r\nbeta-updated\r\ngamma\r\n"},
		"e16 CRLF file, LF strings":             {input: "alpha\r\nbeta\r\ngamma\r\n", old: "alpha\nbeta\ngamma", new: "alpha\nbeta-updated\ngamma", after: "alpha\r\nbeta-updated\r\ngamma\r\n"},
		"e18 CRLF file, only new has LF":        {input: "alpha\r\nbeta\r\ngamma\r\n", old: "alpha\r\nbeta\r\ngamma", new: "alpha\nbeta-updated\ngamma", after: "alpha\r\nbeta-updated\r\ngamma\r\n"},
		"e20 CRLF file, mixed strings":          {input: "alpha\r\nbeta\r\ngamma\r\n", old: "alpha\r\nbeta\ngamma", new: "alpha\nbeta\r\nomega", after: "alpha\r\nbeta\r\nomega\r\n"},
		"e22 all over several CRLF lines":       {input: "alpha\r\nbeta\r\nalpha\r\nbeta\r\n", old: "alpha\r\nbeta", new: "alpha\r\nbeta-updated", all: true, after: "alpha\r\nbeta-updated\r\nalpha\r\nbeta-updated\r\n"},
		"e32 inner whitespace":                  {input: "let   x  =   1;\n", old: "let x = 1;", new: "let x = 2;", words: "differ from it in whitespace only"},
		"e44 CR-only file":                      {input: "a\rb\rc\r", old: "b", new: "B", after: "a\rB\rc\r"},
		"e46 only the endings differ":           {input: "a\r\nb\r\n", old: "a\r\nb", new: "a\nb", words: "identical"},
		"e48 dollars are literal":               {input: "X X\n", old: "X", new: "$& $$", all: true, after: "$& $$ $& $$\n"},
		"e52 bytes that are no UTF-8 stay":      {input: "ok = 1\nname = \"\xe9t\xe9\"\n", old: "ok = 1", new: "ok = 2", after: "ok = 2\nname = \"\xe9t\xe9\"\n"},
		"e54 line number pasted into old":       {input: "foo\nbar\n", old: "2: bar", new: "2: baz", words: "line numbers"},
		"exact":                                 {input: "func main() {\n\tfoo()\n}\n", old: "\tfoo()", new: "\tbar()", after: "func main() {\n\tbar()\n}\n"},
		"CRLF kept":                             {input: "alpha\r\nbeta\r\n", old: "beta", new: "BETA", after: "alpha\r\nBETA\r\n"},
		"two matches":                           {input: "alpha\nbeta\nalpha\n", old: "alpha\n", words: "occurs 2 times in f.txt, at lines 1, 3"},
		"overlapping matches":                   {input: "aaa\n", old: "aa", new: "b", words: "occurs 2 times"},
		"first line differs":                    {input: "func a() {\n\tfoo()\n}\nfunc b() {\n\tfoo()\n}\n", old: "func x() {\n    foo()\n}", new: "x", words: "The closest lines are:\n1\tfunc a() {"},
		"absent":                                {input: "package main\n", old: "does not exist", new: "replacement", words: "Nothing in it is like it"},
		"spaces in call, tabs in file":          {input: "func main() {\n\tp(\"hello\")\n}\n", old: "func main() {\n    p(\"hello\")\n}", new: "x", words: "Lines 1 to 3 differ from it in whitespace only"},
		"empty old on a file with text":         {input: "a\n", new: "b", words: "old is empty, but f.txt has text"},
		"mixed endings stay where lines stay":   {input: "a\r\nb\nc\r\nd\n", old: "a\nb\nc\nd", new: "a\nb\nC\nd", after: "a\r\nb\nC\r\nd\n"},
		"no final newline stays so":             {input: "a\nb", old: "b", new: "c", after: "a\nc"},
		"a deletion of a whole line":            {input: "a\r\nb\r\nc\r\n", old: "b\n", after: "a\r\nc\r\n"},
		"a byte order mark stays":               {input: "\ufeffa\n", old: "a", new: "b", after: "\ufeffb\n"},
		"HB-186 already applied":                {input: "return compute(2)\n", old: "return compute(1)", new: "return compute(2)", words: "Already applied"},
		"new text that is short proves nothing": {input: "a\n}\n", old: "b", new: "}", words: "was not found"},
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
	_, res := b.edit("f", replacement{Old: "a", New: "A"})
	want(t, res, tools.OK, "had changed since you last read it")
	_, res = b.edit("f", replacement{Old: "b", New: "B"})
	if strings.Contains(res.Text, "had changed") {
		t.Errorf("a change of ours counts as one of others: %s", res.Text)
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
