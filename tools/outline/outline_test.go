package outline

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

// declared is a parser of lines "KIND NAME" with tabs for depth.
func declared(name, text string) ([]lang.Declaration, bool) {
	if filepath.Ext(name) != ".x" {
		return nil, false
	}
	var out []lang.Declaration
	for i, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		kind, name, ok := strings.Cut(strings.TrimLeft(l, "\t"), " ")
		if ok {
			out = append(out, lang.Declaration{Name: name, Kind: kind, Depth: strings.Count(l, "\t"), From: i + 1, Line: i + 1, Last: i + 1})
		}
	}
	return out, true
}

func run(t *testing.T, declare lang.Declarations, text string, a args) (tools.Result, error) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"[id] a%20b+(1).x", "f.x", "f.cobol"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.New(workspace.Options{Roots: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(a)
	action, err := New(ws, declare).Prepare(context.Background(), tools.Call{Roots: []string{root}, Args: raw})
	if err != nil {
		return tools.Result{}, err
	}
	return action.Run(context.Background(), nil)
}

func TestOutlineNestsAndSaysHowToGoOn(t *testing.T) {
	res, err := run(t, declared, "class A\n\tmethod m\nfunction f\n", args{Path: "[id] a%20b+(1).x"})
	if err != nil || res.Text != "[id] a%20b+(1).x: 3 lines, 3 declarations:\n1-1 class A\n  2-2 method m\n3-3 function f\n" {
		t.Errorf("%q, %v", res.Text, err)
	}
	var many strings.Builder
	for i := range 1200 {
		fmt.Fprintf(&many, "function f%d\n", i)
	}
	seen, offset := 0, 1
	for range 5 {
		res, err := run(t, declared, many.String(), args{Path: "f.x", Offset: offset})
		if err != nil {
			t.Fatal(err)
		}
		seen += strings.Count(res.Text, " function ")
		_, rest, more := strings.Cut(res.Text, "Go on with offset ")
		if !more {
			break
		}
		if _, err := fmt.Sscanf(rest, "%d", &offset); err != nil {
			t.Fatal(err)
		}
	}
	if seen != 1200 {
		t.Errorf("%d seen", seen)
	}
	res, err = run(t, declared, "", args{Path: "f.x"})
	if err != nil || !strings.Contains(res.Text, "no declarations") {
		t.Errorf("%q, %v", res.Text, err)
	}
}

func TestOutlineSaysWhatItCannotDo(t *testing.T) {
	for name, c := range map[string]struct {
		declare lang.Declarations
		args    args
		want    string
	}{
		"no parsers":   {nil, args{Path: "f.x"}, "made without cgo"},
		"no parser":    {declared, args{Path: "f.cobol"}, "no parser for .cobol files"},
		"no file":      {declared, args{Path: "g.x"}, "There is no file g.x. Near names: f.x"},
		"past the end": {declared, args{Path: "f.x", Offset: 9}, "offset 9 is past the last"},
		"a folder":     {declared, args{Path: "."}, "not a regular file"},
	} {
		_, err := run(t, c.declare, "function f\n", c.args)
		var r *tools.Refusal
		if !errors.As(err, &r) || !strings.Contains(r.Text, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestADeclarationIsFoundByAnyOfItsNames(t *testing.T) {
	list, _ := declared(".x", "class A\n\tmethod m\n\tmethod n\nclass B\n\tmethod m\nmethod T.Close\nconstant X, Y\nimpl Display for P\n\tmethod fmt\nfunction run\nfunction Run\n")
	for name, want := range map[string]string{
		"A": "1", "A.m": "2", "A::m": "2", "A#n": "3", "n": "3", "m": "2 5", "B.m": "5", "T.Close": "6", "Close": "6", "(*T).Close": "6", "Y": "7",
		"Display for P": "8", "fmt": "9", "run": "10", "Run": "11", "RUN": "10 11", "close": "6", "nothing": "", "": "", "b.M": "5",
	} {
		var got []string
		for _, d := range Find(list, name, 0) {
			got = append(got, fmt.Sprint(d.From))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: lines %v, want %s", name, got, want)
		}
	}
	if got := Find(list, "m", 5); len(got) != 1 || got[0].From != 5 {
		t.Errorf("by line 5: %+v", got)
	}
	if got := Find(list, "m", 99); len(got) != 2 {
		t.Errorf("by a line in none: %+v", got)
	}
}
