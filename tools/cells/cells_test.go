package cells

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"companion/tools"
	"companion/workspace"
)

const book4 = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {"keep":  [1,2 , 3]},
   "source": [
    "# Title\n",
    "caf\u00e9 – é"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "calc",
   "metadata": {},
   "outputs": [
    {"name": "stdout", "output_type": "stream", "text": ["1\n"]}
   ],
   "source": "print(1)"
  },
  {
   "cell_type": "raw",
   "id": "2",
   "metadata": {},
   "source": []
  }
 ],
 "metadata": {"z": 1e5, "a": "\/"},
 "nbformat": 4,
 "nbformat_minor": 5
}
`

type bench struct {
	t    *testing.T
	root string
	ws   *workspace.Workspace
}

func newBench(t *testing.T, content string) bench {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "n.ipynb"), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.New(workspace.Options{Roots: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	return bench{t, root, ws}
}

func (b bench) read() {
	b.t.Helper()
	snap, err := b.ws.Read(context.Background(), filepath.Join(b.root, "n.ipynb"))
	if err != nil {
		b.t.Fatal(err)
	}
	b.ws.NoteRead("t", snap.Path, snap.Hash)
}

func (b bench) content() string {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.root, "n.ipynb"))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

func (b bench) call(args string) (tools.Action, tools.Result) {
	b.t.Helper()
	tool := New(b.ws)
	raw, err := tool.(tools.Fitter).Fit([]byte(args))
	if err != nil {
		b.t.Fatal(err)
	}
	action, err := tool.Prepare(context.Background(), tools.Call{Thread: "t", Roots: []string{b.root}, Args: raw})
	var res tools.Result
	if err == nil {
		res, err = action.Run(context.Background(), nil)
	}
	var r *tools.Refusal
	if errors.As(err, &r) {
		return action, tools.Result{Outcome: r.Outcome, Text: r.Text}
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return action, res
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

// Each case names what is replaced in the text of the book, so that all else is
// held to be there byte for byte.
func TestOneCellChangesAndAllElseStays(t *testing.T) {
	for name, c := range map[string]struct {
		args, old, new, words string
	}{
		"a list of lines":   {`{"path":"n.ipynb","cell":"intro","source":"# New\nß\n"}`, "\"# Title\\n\",\n    \"caf\\u00e9 – é\"", "\"# New\\n\",\n    \"ß\\n\"", "Edited cell 0 (markdown, id intro)"},
		"a string, outputs": {`{"path":"n.ipynb","cell":"calc","source":"a = \"<b>\"\nprint(a)"}`, "", "", "1 outputs of the old source were cleared"},
		"by its number":     {`{"path":"n.ipynb","cell":0,"source":["x\n","y"]}`, "\"# Title\\n\",\n    \"caf\\u00e9 – é\"", "\"x\\n\",\n    \"y\"", "cell 0"},
		"an id goes before": {`{"path":"n.ipynb","cell":"2","source":"r"}`, "\"source\": []\n  }\n ]", "\"source\": [\n    \"r\"\n   ]\n  }\n ]", "id 2"},
		"emptied":           {`{"path":"n.ipynb","cell":"intro","source":""}`, "[\n    \"# Title\\n\",\n    \"caf\\u00e9 – é\"\n   ]", "[]", ""},
		"type only":         {`{"path":"n.ipynb","cell":"intro","type":"raw"}`, `"markdown"`, `"raw"`, "it was markdown and is raw"},
		"delete the first":  {`{"path":"n.ipynb","cell":"intro","mode":"delete"}`, book4[strings.Index(book4, "{\n   \"cell_type\": \"markdown\""):strings.Index(book4, "{\n   \"cell_type\": \"code\"")], "", "2 are left"},
		"delete the last":   {`{"path":"n.ipynb","cell":"2","mode":"delete"}`, ",\n  {\n   \"cell_type\": \"raw\",\n   \"id\": \"2\",\n   \"metadata\": {},\n   \"source\": []\n  }", "", "2 are left"},
		"names of others":   {`{"notebook_path":"n.ipynb","cell_id":"intro","new_source":"x","edit_mode":"replace"}`, "\"# Title\\n\",\n    \"caf\\u00e9 – é\"", "\"x\"", ""},
		"to code":           {`{"path":"n.ipynb","cell":"2","type":"code"}`, "", "", "it was raw and is code"},
		"from code":         {`{"path":"n.ipynb","cell":"calc","type":"markdown"}`, "", "", "it was code and is markdown"},
		"markdown goes on":  {`{"path":"n.ipynb","cell":"intro","mode":"insert","type":"markdown","source":"a\nb"}`, "", "", "now number 1 of 4"},
		"first":             {`{"path":"n.ipynb","mode":"insert","source":"import x"}`, "", "", "now number 0 of 4"},
		"last":              {`{"path":"n.ipynb","cell":"2","mode":"insert","source":"z"}`, "", "", "now number 3 of 4"},
	} {
		t.Run(name, func(t *testing.T) {
			for form, before := range map[string]string{"LF": book4, "CRLF": strings.ReplaceAll(book4, "\n", "\r\n")} {
				b := newBench(t, before)
				b.read()
				action, res := b.call(c.args)
				want(t, res, tools.OK, c.words)
				got := b.content()
				if !json.Valid([]byte(got)) {
					t.Fatalf("%s: no JSON:\n%s", form, got)
				}
				if form == "CRLF" && strings.Contains(strings.ReplaceAll(got, "\r\n", ""), "\n") {
					t.Errorf("endings were mixed: %q", got)
				}
				got = strings.ReplaceAll(got, "\r\n", "\n")
				if c.old != "" && got != strings.Replace(book4, c.old, c.new, 1) {
					t.Errorf("%s: got\n%s", form, got)
				}
				if len(res.Changed) != 1 || action.Preview.Diff == "" || !strings.HasSuffix(got, book4[strings.Index(book4, " \"metadata\": {\"z\""):]) {
					t.Errorf("%v %s", res.Changed, got)
				}
			}
		})
	}
}

func parsed(t *testing.T, s string) (out struct{ Cells []map[string]any }) {
	t.Helper()
	if err := json.Unmarshal([]byte(s), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestANewCellHasWhatItsFormNeeds(t *testing.T) {
	for name, c := range map[string]struct {
		book string
		want map[string]any
		text string
	}{
		"with ids":  {book4, map[string]any{"cell_type": "code", "execution_count": nil, "metadata": map[string]any{}, "outputs": []any{}, "source": []any{"a\n", "b"}}, "  {\n   \"cell_type\": \"code\",\n   \"execution_count\": null,\n   \"id\": \""},
		"without":   {strings.Replace(book4, `"nbformat_minor": 5`, `"nbformat_minor": 4`, 1), map[string]any{"cell_type": "code", "execution_count": nil, "metadata": map[string]any{}, "outputs": []any{}, "source": []any{"a\n", "b"}}, "\"execution_count\": null,\n   \"metadata\": {},\n   \"outputs\": [],\n   \"source\": [\n    \"a\\n\",\n    \"b\"\n   ]\n  }"},
		"compact":   {`{"cells":[{"cell_type":"code","source":"x"}],"nbformat":4,"nbformat_minor":2}`, map[string]any{"cell_type": "code", "execution_count": nil, "metadata": map[string]any{}, "outputs": []any{}, "source": "a\nb"}, `{"cell_type":"code","execution_count":null,"metadata":{},"outputs":[],"source":"a\nb"},{"cell_type":"code","source":"x"}`},
		"no cells":  {"{\n  \"cells\": [],\n  \"nbformat\": 4\n}", map[string]any{"cell_type": "code", "execution_count": nil, "metadata": map[string]any{}, "outputs": []any{}, "source": []any{"a\n", "b"}}, "\"cells\": [\n    {\n      \"cell_type\": \"code\","},
		"tabs":      {"{\n\t\"cells\": [\n\t\t{\n\t\t\t\"cell_type\": \"raw\",\n\t\t\t\"source\": []\n\t\t}\n\t],\n\t\"nbformat\": 4\n}", map[string]any{"cell_type": "code", "execution_count": nil, "metadata": map[string]any{}, "outputs": []any{}, "source": []any{"a\n", "b"}}, "\n\t\t{\n\t\t\t\"cell_type\": \"code\",\n\t\t\t\"execution_count\": null"},
		"no spaces": {`{"cells": [], "nbformat": 4}`, map[string]any{"cell_type": "code", "execution_count": nil, "metadata": map[string]any{}, "outputs": []any{}, "source": []any{"a\n", "b"}}, `"cells": [{"cell_type": "code", "execution_count": null, "metadata": {}`},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, c.book)
			_, res := b.call(`{"path":"n.ipynb","mode":"insert","source":"a\r\nb"}`)
			want(t, res, tools.OK)
			got := parsed(t, b.content()).Cells[0]
			if id, ok := got["id"].(string); ok != (name == "with ids") || ok && len(id) != 8 {
				t.Errorf("id %q", id)
			}
			delete(got, "id")
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
			if !strings.Contains(b.content(), c.text) {
				t.Errorf("its form:\n%s", b.content())
			}
		})
	}
}

func TestATypeTakesWhatItNeedsAndLeavesWhatItNeedsNot(t *testing.T) {
	b := newBench(t, book4)
	b.read()
	_, res := b.call(`{"path":"n.ipynb","cell":"calc","type":"markdown"}`)
	want(t, res, tools.OK)
	_, res = b.call(`{"path":"n.ipynb","cell":"intro","type":"code","source":"x"}`)
	want(t, res, tools.OK)
	all := parsed(t, b.content()).Cells
	if _, ok := all[1]["outputs"]; ok || all[1]["cell_type"] != "markdown" || len(all[1]) != 4 {
		t.Errorf("%v", all[1])
	}
	if out, ok := all[0]["outputs"].([]any); !ok || len(out) != 0 || all[0]["cell_type"] != "code" {
		t.Errorf("%v", all[0])
	}
}

func TestTextThatIsEscapedStaysSo(t *testing.T) {
	b := newBench(t, `{"cells":[{"cell_type":"raw","source":"caf\u00e9"},{"cell_type":"raw","source":""}],"nbformat":4}`)
	b.read()
	_, res := b.call(`{"path":"n.ipynb","cell":"1","source":"é😀<&>"}`)
	want(t, res, tools.OK)
	if got := b.content(); got != `{"cells":[{"cell_type":"raw","source":"caf\u00e9"},{"cell_type":"raw","source":"\u00e9\ud83d\ude00<&>"}],"nbformat":4}` {
		t.Error(got)
	}
}

func TestWhatDoesNotFitIsRefusedAndChangesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		book, args string
		unread     bool
		words      []string
	}{
		"no such cell":     {book4, `{"path":"n.ipynb","cell":"nope","source":"x"}`, false, []string{`no cell "nope"`, "It has 3 cells:", "0 (markdown, id intro): # Title"}},
		"a number too far": {book4, `{"path":"n.ipynb","cell":"3","source":"x"}`, false, []string{"no cell"}},
		"no cell named":    {book4, `{"path":"n.ipynb","source":"x"}`, false, []string{"cell is missing"}},
		"no source":        {book4, `{"path":"n.ipynb","cell":"0"}`, false, []string{"source is missing"}},
		"insert nothing":   {book4, `{"path":"n.ipynb","mode":"insert"}`, false, []string{"source is missing"}},
		"so already":       {book4, `{"path":"n.ipynb","cell":"calc","source":"print(1)"}`, false, []string{"is so already"}},
		"not read":         {book4, `{"path":"n.ipynb","cell":"calc","source":"x"}`, true, []string{"was not read in this thread", "Read it first"}},
		"not read, delete": {book4, `{"path":"n.ipynb","cell":"calc","mode":"delete"}`, true, []string{"was not read"}},
		"no JSON":          {"{", `{"path":"n.ipynb","cell":"0","source":"x"}`, false, []string{"no valid JSON"}},
		"nbformat 3":       {`{"worksheets":[],"nbformat":3}`, `{"path":"n.ipynb","cell":"0","source":"x"}`, false, []string{"nbformat 3"}},
		"another file":     {`[1]`, `{"path":"n.ipynb","cell":"0","source":"x"}`, false, []string{"no notebook"}},
		"nothing there":    {book4, `{"path":"m.ipynb","cell":"0","source":"x"}`, false, []string{"There is no file m.ipynb"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, c.book)
			if !c.unread {
				b.read()
			}
			action, res := b.call(c.args)
			want(t, res, tools.Failed, c.words...)
			if b.content() != c.book {
				t.Error("it changed")
			}
			for _, e := range action.Effects {
				if e.Kind != tools.Read {
					t.Errorf("a call that does nothing declared %v", action.Effects)
				}
			}
		})
	}
}

// What is found by offsets is what encoding/json finds, in any document.
func FuzzSpansAreThoseOfTheJSON(f *testing.F) {
	f.Add(book4)
	f.Add(`{"cells":[1,"a,]}",{"x":[{}]},null,-1.5e3 ],"nbformat":4}`)
	f.Add(`{"cells" : [ ] , "a":"\\\"" }`)
	f.Fuzz(func(t *testing.T, doc string) {
		var top map[string]json.RawMessage
		if json.Unmarshal([]byte(doc), &top) != nil {
			t.Skip()
		}
		seen := map[string]string{}
		for _, m := range members(doc, blanks(doc, 0)) {
			seen[m.name] = doc[m.value.start:m.value.end] // the last of two wins, as in encoding/json
		}
		for name, raw := range top {
			if seen[name] != string(raw) {
				t.Fatalf("%q: %q, want %q", name, seen[name], raw)
			}
			var list []json.RawMessage
			if json.Unmarshal(raw, &list) != nil {
				continue
			}
			got := elements(seen[name], 0)
			if len(got) != len(list) {
				t.Fatalf("%q has %d elements, want %d", raw, len(got), len(list))
			}
			for i, e := range got {
				if seen[name][e.start:e.end] != string(list[i]) {
					t.Fatalf("%q, want %q", seen[name][e.start:e.end], list[i])
				}
			}
		}
		b, err := open("f", doc)
		if err != nil {
			return
		}
		text := "a\n\"é\\"
		for i := range b.cells {
			m, err := b.plan("f", args{Cell: itoa(i), Source: &text})
			if err != nil {
				continue
			}
			after, err := open("f", m.after)
			if err != nil || len(after.cells) != len(b.cells) || after.source(after.cells[i]) != text {
				t.Fatalf("%q became %q (%v)", doc, m.after, err)
			}
		}
		for i := range len(b.cells) + 1 {
			a := args{Mode: "insert", Source: &text}
			if i > 0 {
				a.Cell = itoa(i - 1)
			}
			m, err := b.plan("f", a)
			if err != nil {
				continue
			}
			after, err := open("f", m.after)
			if err != nil || len(after.cells) != len(b.cells)+1 {
				t.Fatalf("%q became %q (%v)", doc, m.after, err)
			}
		}
	})
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }
