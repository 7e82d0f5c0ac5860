package editortest

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"companion/internal/editortest/line"
)

func TestScriptLinesAreWords(t *testing.T) {
	got, err := line.Parse("open main.fk # a comment\n\n  type a:1:2 \"x\\n\\\"y\"\ncommand c {\"a\": [1, 2]}\n")
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"open", "main.fk"}, {"type", "a:1:2", "x\n\"y"}, {"command", "c", `{"a": [1, 2]}`}}
	for i, w := range want {
		if i >= len(got) || !reflect.DeepEqual(got[i].Words, w) {
			t.Fatalf("got %+v, want %q", got, want)
		}
	}
	if got[1].Number != 3 {
		t.Errorf("line %d, want 3", got[1].Number)
	}
	if _, err := line.Parse("type \"x"); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("an open quote: %v", err)
	}
}

func TestBytesThatTxtarCannotShow(t *testing.T) {
	for _, s := range []string{"a\r\nb\r\n", "a", "", "a\n", "\r", "a\n\nb"} {
		if got := reveal(show(s)); got != s {
			t.Errorf("reveal(show(%q)) = %q", s, got)
		}
		if !strings.HasSuffix(show(s), "\n") {
			t.Errorf("show(%q) does not end a line", s)
		}
	}
}

func TestParseAndUpdate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.txtar")
	const text = "A rule.\n\n-- script --\nopen a.fk\n-- model/2 --\n{\"text\": \"b\"}\n-- model/1 --\n{\"text\": \"a\"}\n" +
		"-- a.fk --\none␍\ntwo⊘\n-- want/talk --\nold\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	if s.Rule != "A rule." || len(s.Turns) != 2 || string(s.Turns[0]) != `{"text": "a"}` || s.Files["a.fk"] != "one\r\ntwo" || s.Want["talk"] != "old\n" {
		t.Errorf("parsed %+v", s)
	}
	if err := s.update(map[string]string{"talk": "new\n", "more": "x\n"}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	if want := strings.Replace(text, "old\n", "new\n", 1) + "-- want/more --\nx\n"; err != nil || string(b) != want {
		t.Errorf("updated to %q, %v; want %q", b, err, want)
	}
	for name, bad := range map[string]string{
		"no prose":    "-- script --\nopen x\n",
		"no script":   "A rule.\n-- a.fk --\n",
		"a turn gone": "A rule.\n-- script --\nopen x\n-- model/2 --\n{}\n",
		"no JSON":     "A rule.\n-- script --\nopen x\n-- model/1 --\n{\n",
	} {
		if err := os.WriteFile(file, []byte(bad), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(file); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestEditorSwitches(t *testing.T) {
	o, err := editorOptions("no-apply-edit\nencodings utf-8 utf-16\nfault lateChange 500ms\ntyping 2:3 \"x\"\ncompanion {\"version\": 1}\n")
	if err != nil || !o.NoApplyEdit || len(o.Encodings) != 2 || o.Wrong.Late == 0 || o.Wrong.Typing.Range.Start.Line != 1 || o.Companion == nil {
		t.Errorf("options %+v, %v", o, err)
	}
	for _, bad := range []string{"no-such", "no-apply-edit x", "fault", "fault lateChange soon", "companion {"} {
		if _, err := editorOptions(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
