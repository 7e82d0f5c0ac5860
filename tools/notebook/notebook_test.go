package notebook

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestANotebookIsShownAsItsCells(t *testing.T) {
	n, err := Parse(`{
 "cells": [
  {"cell_type": "markdown", "id": "aa", "metadata": {}, "source": ["# Title\n", "text"]},
  {"cell_type": "code", "id": "bb", "execution_count": 3, "metadata": {}, "source": "print(1)\nx\n",
   "outputs": [
    {"output_type": "stream", "name": "stdout", "text": ["1\n", "2\n"]},
    {"output_type": "execute_result", "data": {"text/plain": ["<Figure>"], "image/png": "aGVsbG8=", "application/json": {"a": 1}}},
    {"output_type": "display_data", "data": {"text/html": "<b>hi</b>"}},
    {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": ["\u001b[0;31mValueError\u001b[0m: no"]},
    {"output_type": "error", "ename": "E", "evalue": "v"}
   ]},
  {"cell_type": "raw", "source": []}
 ],
 "metadata": {"kernelspec": {"language": "python"}}, "nbformat": 4, "nbformat_minor": 5}`)
	if err != nil {
		t.Fatal(err)
	}
	want := `--- cell 0: markdown, id aa ---
# Title
text
--- cell 1: code, id bb, run [3] ---
print(1)
x
--- output of cell 1: stdout ---
1
2
--- output of cell 1: result; application/json, 8 characters; image/png, 8 characters ---
<Figure>
--- output of cell 1: display ---
<b>hi</b>
--- output of cell 1: error ---
ValueError: no
--- output of cell 1: error ---
E: v
--- cell 2: raw ---
`
	if got := n.Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if s := n.Summary(); !strings.Contains(s, "python, 3 cells") || !strings.Contains(s, "notebook_edit") {
		t.Errorf("got %s", s)
	}
}

func TestLongOutputsAreShortened(t *testing.T) {
	var many []string
	for i := range 500 {
		many = append(many, fmt.Sprintf("line %d", i))
	}
	got := shorten(strings.Join(many, "\n"))
	if strings.Count(got, "\n") != outputLines || !strings.Contains(got, "line 0\n") || !strings.HasSuffix(got, "line 499") || !strings.Contains(got, "480 lines of output left out") {
		t.Errorf("got %s", got)
	}
	if got := shorten(strings.Repeat("é", 9000)); len([]rune(got)) > outputChars+80 || !strings.Contains(got, "7000 characters of output left out") {
		t.Errorf("%d characters", len([]rune(got)))
	}
}

func TestWhatIsNoNotebookIsSaid(t *testing.T) {
	for _, s := range []string{"", "{", "[]", "{}", `{"cells": 3}`, `{"cells": [{"cell_type": 4}]}`, `{"cells": [], "nbformat": 3}`} {
		if _, err := Parse(s); !errors.Is(err, ErrNone) {
			t.Errorf("%s: %v", s, err)
		}
	}
	if _, err := Parse(`{"cells": []}`); err != nil {
		t.Errorf("an empty one: %v", err)
	}
}
