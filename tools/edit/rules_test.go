package edit

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"companion/tools"
	"companion/workspace"
)

// A text that the model has not seen as it is now is changed where it fits
// exactly and once, and nowhere else.
func TestAFileThatWasNotReadIsEditedByAnExactUniqueMatchOnly(t *testing.T) {
	const source = "func f() {\n\tone()\n\ttwo()\n\ttwo()\n}\n"
	for name, c := range map[string]struct {
		edit  replacement
		after string
		words string
	}{
		"exact":          {replacement{Old: "\tone()", New: "\tuno()"}, strings.Replace(source, "one", "uno", 1), "Edited f.go"},
		"tolerant":       {replacement{Old: "  one()\n", New: "  uno()\n"}, "", "only an exact and unique match is made"},
		"several places": {replacement{Old: "two()", New: "due()", All: true}, "", "at lines 3, 4"},
		"present lines":  {replacement{Old: "one(1)", New: "x"}, "", "2\t\tone()"},
	} {
		for _, state := range []string{"never read", "changed by others"} {
			t.Run(name+", "+state, func(t *testing.T) {
				b := newBench(t, map[string]string{"f.go": source})
				if state == "changed by others" {
					b.ws.NoteRead("t", filepath.Join(b.root, "f.go"), "sha256:older")
				}
				_, res := b.blind("f.go", c.edit)
				after := c.after
				if after != "" {
					want(t, res, tools.OK, c.words)
					if told := strings.Contains(res.Text, "had changed since you last read it"); told != (state == "changed by others") {
						t.Errorf("told %v: %s", told, res.Text)
					}
				} else {
					after = source
					want(t, res, tools.Failed, c.words)
					if state == "changed by others" {
						want(t, res, tools.Failed, "changed since you last read it")
					}
				}
				if got := b.content("f.go"); got != after {
					t.Errorf("got %q", got)
				}
			})
		}
	}
	b := newBench(t, map[string]string{"f.go": source})
	_, res := b.edit("f.go", replacement{Old: "  one()\n", New: "  uno()\n"}, replacement{Old: "two()", New: "due()", All: true})
	want(t, res, tools.OK, "line-trimmed", "3 replacements")
}

// An edit of a file that was not read does not make it one that was: write would
// replace what the model never saw.
func TestABlindEditIsNoRead(t *testing.T) {
	b := newBench(t, map[string]string{"f": "one\ntwo\n"})
	_, res := b.blind("f", replacement{Old: "one", New: "uno"})
	want(t, res, tools.OK)
	if _, ok := b.ws.LastRead("t", filepath.Join(b.root, "f")); ok {
		t.Error("it counts as read")
	}
	_, res = b.blind("new", replacement{New: "all of it"})
	want(t, res, tools.OK)
	if _, ok := b.ws.LastRead("t", filepath.Join(b.root, "new")); !ok {
		t.Error("what the model wrote itself is not known to it")
	}
}

// HB-083: our own changes are none of others.
func TestOurOwnEditsAreNotToldAsThoseOfOthers(t *testing.T) {
	b := newBench(t, map[string]string{"f": "one\ntwo\nthree\n"})
	b.read("f")
	for _, e := range []replacement{{Old: "one", New: "uno"}, {Old: "two", New: "due"}, {Old: "  three", New: "tre"}} {
		_, res := b.blind("f", e)
		want(t, res, tools.OK)
		if strings.Contains(res.Text, "changed since") {
			t.Error(res.Text)
		}
	}
}

// HB-084: a time alone is no change.
func TestAMovedTimeIsNoChange(t *testing.T) {
	for _, by := range []time.Duration{time.Hour, -time.Hour} {
		b := newBench(t, map[string]string{"f": "  one\n"})
		b.read("f")
		when := time.Now().Add(by)
		if err := os.Chtimes(filepath.Join(b.root, "f"), when, when); err != nil {
			t.Fatal(err)
		}
		_, res := b.blind("f", replacement{Old: "one\n", New: "two\n"}) // exact
		want(t, res, tools.OK)
		_, res = b.blind("f", replacement{Old: "\ttwo", New: "\tthree"}) // tolerant, so that it must count as read
		want(t, res, tools.OK, "line-trimmed")
		if strings.Contains(res.Text, "changed since") {
			t.Error(res.Text)
		}
	}
}

// HB-079: an edit is made on what those before it left, by text and not by lines.
func TestEditsOfOneCallBuildOnEachOther(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		edits  []replacement
		after  string
		words  string
	}{
		"lines move":        {"1\n2\n3\n4\n", []replacement{{Old: "1\n", New: "1\na\nb\nc\n"}, {Old: "4", New: "four"}}, "1\na\nb\nc\n2\n3\nfour\n", "at line 2, 7"},
		"places are final":  {"x\ny\n", []replacement{{Old: "y", New: "Y"}, {Old: "x", New: "a\nb\nx"}}, "a\nb\nx\nY\n", "at line 4, 1"},
		"on the new text":   {"alpha\n", []replacement{{Old: "alpha", New: "beta"}, {Old: "beta", New: "gamma"}}, "gamma\n", "edits[1]: It changed text that edits[0] of the same call had put"},
		"part of it":        {"alpha\n", []replacement{{Old: "alpha", New: "one two"}, {Old: "two", New: "three"}}, "one three\n", "edits[1]: It changed text that edits[0]"},
		"beside it":         {"alpha beta\n", []replacement{{Old: "alpha", New: "one"}, {Old: " beta", New: " two"}}, "one two\n", "2 replacements"},
		"made ambiguous":    {"one\ntwo\n", []replacement{{Old: "one", New: "two"}, {Old: "two", New: "x"}}, "", "edits[1]: old occurs 2 times"},
		"back again":        {"one\n", []replacement{{Old: "one", New: "two"}, {Old: "two", New: "one"}}, "", "Together the edits change nothing"},
		"identical":         {"one\n", []replacement{{Old: "one", New: "two"}, {Old: "x", New: "x"}}, "", "edits[1]: old and new are identical"},
		"some are in it":    {"first = 100000\nsecond = 2\n", []replacement{{Old: "first = 1\n", New: "first = 100000\n"}, {Old: "second = 2", New: "second = 3"}}, "", "Send only the others: edits[1]"},
		"CRLF and new ones": {"a\r\nb\r\n", []replacement{{Old: "a\n", New: "a\nx\n"}, {Old: "x\nb", New: "x\ny\nb"}}, "a\r\nx\r\ny\r\nb\r\n", "2 replacements"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]string{"f": c.source})
			_, res := b.edit("f", c.edits...)
			outcome := tools.OK
			if c.after == "" {
				c.after, outcome = c.source, tools.Failed
			}
			want(t, res, outcome, c.words)
			if got := b.content("f"); got != c.after {
				t.Errorf("got %q", got)
			}
			if name == "beside it" && strings.Contains(res.Text, "had put") {
				t.Error(res.Text)
			}
		})
	}
}

// Indentation is syntax in some languages: blocks of another shape are not taken.
func TestIndentationThatMeansSomethingIsNotForgiven(t *testing.T) {
	source := "if a:\n    b()\n    c()\n"
	b := newBench(t, map[string]string{"f.py": source, "f.js": source})
	e := replacement{Old: "if a:\n    b()\nc()", New: "if a:\n    b()\nd()"}
	_, res := b.edit("f.py", e)
	want(t, res, tools.Failed, "was not found", "differ from it in whitespace only", "First difference: line 3, character 1")
	_, res = b.edit("f.js", e)
	want(t, res, tools.OK, "by indentation")
	if b.content("f.py") != source || b.content("f.js") != "if a:\n    b()\n    d()\n" {
		t.Errorf("%q %q", b.content("f.py"), b.content("f.js"))
	}
}

func TestATolerantMatchIsToldWithTheLinesThatDiffered(t *testing.T) {
	b := newBench(t, map[string]string{"f": "f {\n\tone()\n\ttwo()\n}\n"})
	_, res := b.edit("f", replacement{Old: "  one()\n  two()", New: "  one()\n  due()"})
	want(t, res, tools.OK, "old was not in the file exactly. It was matched at line 2 by line-trimmed", `line 2: old "  one()", file "\tone()"`, "+\tdue()")
	_, res = b.edit("f", replacement{Old: `\tone()\n\tdue()`, New: `\tx()`})
	want(t, res, tools.OK, "by escapes", "backslashes too")
	if got := b.content("f"); got != "f {\n\\tx()\n}\n" {
		t.Errorf("got %q", got)
	}
}

// HB-186: also an edit that took the place's indentation is known when it comes again.
func TestAnEditThatWasMadeWithToleranceIsKnownWhenItComesAgain(t *testing.T) {
	b := newBench(t, map[string]string{"f": "f {\n\treturn compute(1)\n}\n"})
	e := replacement{Old: "    return compute(1)\n", New: "    return compute(2)\n"}
	_, res := b.edit("f", e)
	want(t, res, tools.OK, "line-trimmed")
	_, res = b.edit("f", e)
	want(t, res, tools.OK, "Already applied", "line 2")
	if got := b.content("f"); got != "f {\n\treturn compute(2)\n}\n" {
		t.Errorf("got %q", got)
	}
}

// Mode and symlink of a file stay.
func TestModeAndLinkStay(t *testing.T) {
	b := newBench(t, map[string]string{"dir/real.sh": "one\n"})
	link, real := filepath.Join(b.root, "link.sh"), filepath.Join(b.root, "dir", "real.sh")
	if err := os.Symlink(filepath.Join("dir", "real.sh"), link); err != nil {
		t.Skip("no symlinks here:", err)
	}
	if err := os.Chmod(real, 0o750); err != nil {
		t.Fatal(err)
	}
	_, res := b.edit("link.sh", replacement{Old: "one", New: "two"})
	want(t, res, tools.OK)
	info, err := os.Stat(real)
	if to, linkErr := os.Readlink(link); linkErr != nil || to != filepath.Join("dir", "real.sh") || err != nil || info.Mode().Perm() != 0o750 || b.content("dir/real.sh") != "two\n" {
		t.Errorf("%q %v, %v %v, %q", to, linkErr, info.Mode(), err, b.content("dir/real.sh"))
	}
}

// HB-094: marks of edits are written as they are, and told.
func TestMarksOfEditsAreTold(t *testing.T) {
	b := newBench(t, map[string]string{"f.go": "a\n", "f.md": "*** End Patch\nwords\n"})
	_, res := b.edit("f.go", replacement{Old: "a", New: "b\n</old_text>"})
	want(t, res, tools.OK, "</old_text>", "Look at it again")
	if got := b.content("f.go"); got != "b\n</old_text>\n" {
		t.Errorf("got %q", got)
	}
	_, res = b.edit("f.md", replacement{Old: "words", New: "b"})
	if want(t, res, tools.OK); strings.Contains(res.Text, "Look at it") {
		t.Errorf("a mark that was there is told: %s", res.Text)
	}
}

// HB-053, HB-052: names are taken as they are, and URIs decoded once.
func TestNamesAreNoPatterns(t *testing.T) {
	names := []string{"a b.txt", "a%20b.txt", "c++/v1/m.txt", "c  /m.txt", "(auth)/[id]/x.txt", "-n.txt", "*.txt", "$HOME.txt", "~x.txt", "naïve é.txt"}
	all := map[string]string{}
	for _, n := range names {
		all[n] = "old of " + n + "\n"
	}
	b := newBench(t, all)
	for i, n := range names {
		path := n
		if n == "a%20b.txt" {
			path = "file://" + filepath.ToSlash(b.root) + "/a%2520b.txt"
		}
		if i%2 == 1 && path == n {
			path = filepath.Join(b.root, n)
		}
		_, res := b.blind(path, replacement{Old: "old of " + n, New: "new of " + n})
		want(t, res, tools.OK)
	}
	for _, n := range names {
		if got := b.content(n); got != "new of "+n+"\n" {
			t.Errorf("%s: %q", n, got)
		}
	}
}

// HB-097, HB-149: spellings of one file have one lock, so that edits of one step
// wait for each other.
func TestSpellingsOfAFileHaveOneLock(t *testing.T) {
	var all strings.Builder
	for i := range 200 {
		fmt.Fprintf(&all, "k%d=v\n", i)
	}
	b := newBench(t, map[string]string{"d/f": all.String()})
	if err := os.Symlink("d", filepath.Join(b.root, "link")); err != nil {
		t.Skip("no symlinks here:", err)
	}
	var locks []tools.Lock
	for _, path := range []string{"d/f", "./d//f", "link/f", "d/../d/f", filepath.Join(b.root, "d", "f"), "d/f/"} {
		action, err := New(b.ws).Prepare(context.Background(), b.call(path, replacement{Old: "k20=v\n", New: "k20=A\n"}))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		locks = append(locks, action.Locks...)
	}
	for _, l := range locks {
		if l != locks[0] || l.Shared {
			t.Errorf("%v", locks)
		}
	}
	// Prepared beside each other, both land.
	tool := New(b.ws)
	one, err := tool.Prepare(context.Background(), b.call("d/f", replacement{Old: "k20=v\n", New: "k20=A\n"}))
	if err != nil {
		t.Fatal(err)
	}
	two, err := tool.Prepare(context.Background(), b.call("link/f", replacement{Old: "k180=v\n", New: "k180=B\n"}))
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []tools.Action{one, two} {
		if _, err := a.Run(context.Background(), nil); err != nil {
			t.Error(err)
		}
	}
	if got := b.content("d/f"); got != strings.NewReplacer("k20=v", "k20=A", "k180=v", "k180=B").Replace(all.String()) {
		t.Errorf("got %q", got)
	}
}

func TestArgumentsInTheSpellingsOfOtherProgramsAreTaken(t *testing.T) {
	for _, args := range []string{
		`{"path":"f","edits":[{"old":"a","new":"b"}]}`,
		`{"file_path":"f","old_string":"a","new_string":"b"}`,
		`{"filePath":"f","oldString":"a","newString":"b","replaceAll":false}`,
		`{"path":"f","edits":[{"oldText":"a","newText":"b"}]}`,
		`{"path":"f","edits":{"old":"a","new":"b"}}`,
		`{"path":"f","edits":{"old_string":"a","new_string":"b","replace_all":"false"}}`,
		`{"path":"f","old":"a","new":"b"}`,
		`{"path":"f","edits":"[{\"old\":\"a\",\"new\":\"b\"}]"}`,
	} {
		b := newBench(t, map[string]string{"f": "a\n"})
		tool := New(b.ws)
		raw, err := tool.(tools.Fitter).Fit(json.RawMessage(args))
		if err != nil {
			t.Errorf("%s: %v", args, err)
			continue
		}
		call := b.call("f")
		call.Args = raw
		action, err := tool.Prepare(context.Background(), call)
		if err == nil {
			_, err = action.Run(context.Background(), nil)
		}
		if err != nil || b.content("f") != "b\n" {
			t.Errorf("%s: %q, %v", args, b.content("f"), err)
		}
	}
	b := newBench(t, nil)
	for _, args := range []string{`{"path":"f"}`, `{"path":"f","edits":[]}`, `{"path":"f","edits":[{"old":"a"}]}`, `{"path":"f","old":"a"}`, `{"path":"f","edits":[{"old":"a","new":"b","what":1}]}`} {
		if out, err := New(b.ws).(tools.Fitter).Fit(json.RawMessage(args)); err == nil {
			t.Errorf("%s became %s", args, out)
		}
	}
}

// What the user typed and did not save is edited as it stands.
func TestAnOpenBufferIsEditedAsItStands(t *testing.T) {
	b := newBench(t, map[string]string{"f": "on disk\n"})
	f, err := b.ws.Resolve("f")
	if err != nil {
		t.Fatal(err)
	}
	b.ws.DidOpen(f.URI, "plaintext", 1, "typed text\n")
	b.ws.SetEditor(obedient{b.ws})
	_, res := b.edit("f", replacement{Old: "typed", New: "edited"})
	want(t, res, tools.OK, "not saved yet")
	if now, err := b.ws.Read(context.Background(), f.Path); err != nil || now.Text != "edited text\n" || b.content("f") != "on disk\n" {
		t.Errorf("%q %v; the disk holds %q", now.Text, err, b.content("f"))
	}
}

// obedient is an editor that makes every edit of an open buffer.
type obedient struct{ ws *workspace.Workspace }

func (o obedient) ApplyEdit(_ context.Context, e workspace.FileEdit) (workspace.EditAnswer, error) {
	after := e.Before
	for i := len(e.Edits) - 1; i >= 0; i-- {
		after = after[:e.Edits[i].Start] + e.Edits[i].New + after[e.Edits[i].End:]
	}
	err := o.ws.DidChange(e.URI, *e.Version+1, []workspace.ContentChange{{Text: after}}, "utf-16")
	return workspace.EditAnswer{Applied: err == nil}, err
}

// Property: a call that reports failure leaves the tree bit for bit.
func TestAFailedEditLeavesTheTreeBitForBit(t *testing.T) {
	files := map[string]string{
		"crlf": "a\r\nb\r\n", "latin": "caf\xe9\n", "mark": "\ufeffa\n", "bin": "a\x00b", "utf16": "\xff\xfea\x00\n\x00", "plain": "a\nb\na\n", "empty": "",
	}
	b := newBench(t, files)
	before := b.tree()
	for name := range files {
		for i, edits := range [][]replacement{
			{{Old: "zzzzz", New: "x"}},
			{{Old: "a", New: "A", All: true}, {Old: "zzzzz", New: "x"}},
			{{Old: "a", New: "a"}},
			{{Old: "", New: ""}},
			{{Old: "a", New: "\x00"}},
			{{Old: "a", New: "A", All: true}, {Old: "A", New: "a", All: true}},
		} {
			_, res := b.edit(name, edits...)
			if res.Outcome == tools.OK && len(res.Changed) > 0 {
				t.Errorf("%s, %d: it was made: %s", name, i, res.Text)
			}
			if after := b.tree(); after != before {
				t.Fatalf("%s, %d: %s\n%s\nwas\n%s", name, i, res.Text, after, before)
			}
		}
	}
	_, res := b.edit("no/such/file", replacement{Old: "a", New: "b"})
	want(t, res, tools.Failed, "There is no file")
	if after := b.tree(); after != before {
		t.Error(after)
	}
}

// tree is every path with its mode and bytes.
func (b bench) tree() string {
	b.t.Helper()
	var out strings.Builder
	err := filepath.Walk(b.root, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		var data []byte
		if info.Mode().IsRegular() {
			data, err = os.ReadFile(path)
		}
		fmt.Fprintf(&out, "%s %v %v %q\n", path, info.Mode(), info.ModTime().UnixNano()*int64(len(data)&1), data)
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return out.String()
}
