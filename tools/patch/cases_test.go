package patch

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// differ says where we do otherwise than the scenarios, and why: the
// patch is refused and nothing is changed.
var differ = map[string]string{
	"010_move_overwrites_existing_destination":         "overwrites: what nobody read is not replaced",
	"011_add_overwrites_existing_file":                 "overwrites: what nobody read is not replaced",
	"015_failure_after_partial_success_leaves_changes": "atomicity: all or none",
}

func TestScenariosOfTheFormat(t *testing.T) {
	top := cases(t, "apply-patch-scenarios")
	list, err := os.ReadDir(top)
	if err != nil {
		t.Fatal(err)
	}
	same := 0
	for _, d := range list {
		if !d.IsDir() {
			continue
		}
		t.Run(d.Name(), func(t *testing.T) {
			input := map[string]string{}
			if in := filepath.Join(top, d.Name(), "input"); exists(in) {
				input = contents(t, in)
			}
			want := contents(t, filepath.Join(top, d.Name(), "expected"))
			patch, err := os.ReadFile(filepath.Join(top, d.Name(), "patch.txt"))
			if err != nil {
				t.Fatal(err)
			}
			if _, better := differ[d.Name()]; better {
				want = input
			} else {
				same++
			}
			b := newBench(t, input)
			_, err = b.apply(string(patch))
			if got := contents(t, b.dir); !maps.Equal(got, want) {
				t.Errorf("got %q, want %q (%v)", got, want, err)
			}
			if refused := err != nil; refused != maps.Equal(input, want) {
				t.Errorf("refused: %v", err)
			}
		})
	}
	t.Logf("%d scenarios as they are, %d better", same, len(differ))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestPatchesOfTheCorpusByteForByte(t *testing.T) {
	top := cases(t, "patch-corpus")
	list, err := filepath.Glob(filepath.Join(top, "*.patch"))
	if err != nil || len(list) == 0 {
		t.Fatal(err)
	}
	for _, name := range list {
		t.Run(filepath.Base(name), func(t *testing.T) {
			var c struct{ Patch, Original, Expected, Fpath string }
			data, err := os.ReadFile(name)
			if err == nil {
				err = json.Unmarshal(data, &c)
			}
			if err != nil {
				t.Fatal(err)
			}
			corpus(t, strings.TrimPrefix(c.Fpath, "/"), strings.ReplaceAll(c.Patch, "File: /", "File: "), c.Original, c.Expected)
		})
	}
	calls, err := filepath.Glob(filepath.Join(top, "*-call.txt"))
	if err != nil || len(calls) == 0 {
		t.Fatal(err)
	}
	for _, name := range calls {
		t.Run(filepath.Base(name), func(t *testing.T) {
			read := func(suffix string) string {
				data, err := os.ReadFile(strings.Replace(name, "-call.txt", suffix, 1))
				if err != nil {
					return ""
				}
				return string(data)
			}
			want := read("-output.txt")
			if want == "" { // the corpus gives none
				want = strings.NewReplacer("    - item2b\n      - nested1\n", "    - item20b\n      - nested3\n").Replace(read("-input.txt"))
			}
			patch := read("-call.txt")
			_, rest, _ := strings.Cut(patch, "File: ")
			path, _, _ := strings.Cut(rest, "\n")
			corpus(t, strings.TrimPrefix(path, "/"), strings.ReplaceAll(patch, "File: /", "File: "), read("-input.txt"), want)
		})
	}
}

func corpus(t *testing.T, path, patch, original, want string) {
	b := newBench(t, map[string]string{path: original})
	if r, err := b.apply(patch); err != nil {
		t.Error(err)
	} else {
		t.Log(r.Text)
	}
	if got := contents(t, b.dir)[path]; got != want {
		at := 0
		for at < min(len(got), len(want)) && got[at] == want[at] {
			at++
		}
		t.Errorf("differs at byte %d: got %.120q, want %.120q", at, got[at:], want[at:])
	}
}

// others says what we do in the cases of another agent where its tests do not,
// or where its program loses something.
var others = map[string]struct {
	grade string // same or better
	why   string
	err   string            // part of our refusal
	files map[string]string // after it; "-" = gone
}{
	"p01": {"same", "refused", "there is no patch", nil},
	"p03": {"same", "refused", "the patch is empty", nil},
	"p05": {"same", "", "", map[string]string{"p05/m.txt": "line1\nchanged2\nline3\nchanged4\n"}},
	"p07": {"better", "no last line ending is added", "", map[string]string{"p07/n.txt": "first line\nsecond line"}},
	"p09": {"better", "what nobody read is not replaced", "exists already and was not read", nil},
	"p11": {"same", "refused", "There is no file p11/missing.txt", nil},
	"p13": {"same", "refused, with its line", `line 2 of the patch ("*** Frobnicate File: foo")`, nil},
	"p15": {"same", "nothing is written", "There is no file p15/missing.txt", nil},
	"p17": {"same", "refused", "the file has \"c\", the patch \"\"", nil},
	"p19": {"same", "", "", map[string]string{"p19/e.txt": "start\nmarker\nmiddle\nmarker-changed\nend\n"}},
	"p21": {"same", "", "", map[string]string{"p21/h.txt": "no cat prefix\n"}},
	"p23": {"same", "", "", map[string]string{"p23/w.txt": "  line1\nchanged\n  line3\n"}},
	"p25": {"better", "a line of context keeps its bytes", "", map[string]string{"p25/w.txt": "keep   \nnew\n"}},
	"p27": {"better", "CRLF stays", "", map[string]string{"p27/c.txt": "a\r\nB\r\nc\r\n"}},
	"p29": {"better", "the last blank line stays", "", map[string]string{"p29/f.txt": "ALPHA\nbeta\n\n"}},
	"p31": {"better", "hunks out of order are found", "", map[string]string{"p31/f.txt": "A\nb\nc\nD\n"}},
	"p33": {"same", "", "", map[string]string{"p33/f.txt": "a\nb\ntail\n"}},
	"p35": {"better", "sections compose", "", map[string]string{"p35/f.txt": "A\nB\n"}},
	"p37": {"better", "no line is lost", "", map[string]string{"p37/n.txt": "one\ntwo\nthree\n"}},
	"p39": {"same", "refused", "may be cut off", nil},
	"p41": {"better", "told as outside, so that it is asked", "", nil},
}

func TestCasesOfAnotherAgent(t *testing.T) {
	var list struct {
		Cases []struct {
			ID, Title, Patch string
			Files            map[string]string
		}
	}
	data, err := os.ReadFile(filepath.Join("testdata", "opencode.json"))
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	if err != nil || len(list.Cases) != len(others) {
		t.Fatalf("%d cases, %d expectations: %v", len(list.Cases), len(others), err)
	}
	count := map[string]int{}
	for _, c := range list.Cases {
		t.Run(c.ID+" "+c.Title, func(t *testing.T) {
			want, ok := others[c.ID]
			if !ok {
				t.Fatal("no expectation")
			}
			count[want.grade]++
			b := newBench(t, c.Files)
			if c.ID == "p41" {
				a, err := b.prepare(c.Patch)
				if err != nil || !a.Effects[0].Outside {
					t.Errorf("%+v, %v", a.Effects, err)
				}
				return
			}
			_, err := b.apply(c.Patch)
			if want.err == "" && err != nil || want.err != "" && (err == nil || !strings.Contains(err.Error(), want.err)) {
				t.Errorf("%v, want %q", err, want.err)
			}
			if want.err == "" {
				if got := contents(t, b.dir); !maps.Equal(got, want.files) {
					t.Errorf("got %q, want %q", got, want.files)
				}
			}
		})
	}
	t.Logf("%v", count)
}
