package offline

import (
	"reflect"
	"testing"
)

func TestItemLines(t *testing.T) {
	for line, want := range map[string]problem{
		"a.go:3:5: error: undefined: x [compiler UndeclaredName]":      {path: "a.go", line: 3, severity: "error", message: "undefined: x", origin: "compiler UndeclaredName"},
		"new: C:/w/a b.ts:10:1: warning: x ⏎ y: error: z [ts]":         {path: "C:/w/a b.ts", line: 10, severity: "warning", message: "x ⏎ y: error: z", origin: "ts", state: "new"},
		"fixed: d/a.go:1:1: hint: x[0] is unused":                      {path: "d/a.go", line: 1, severity: "hint", message: "x[0] is unused", state: "fixed"},
		"remaining: a.go:1:2: info: i ⏎ 	have () ⏎ 	want (bool) [c W]": {path: "a.go", line: 1, severity: "info", message: "i ⏎ 	have () ⏎ 	want (bool)", origin: "c W", state: "remaining"},
		"/abs/a.go:7:7: error: [a] [b]":                                {path: "/abs/a.go", line: 7, severity: "error", message: "[a]", origin: "b"},
		"a.go:7:7: error: []":                                          {path: "a.go", line: 7, severity: "error", message: "[]"},
	} {
		if got := problems("text\n" + line + "\r\nmore"); len(got) != 1 || got[0] != want {
			t.Errorf("%q:\n got %+v\nwant %+v", line, got, want)
		}
	}
	for _, line := range []string{"", "error: x", ": error: x", "a: error: x", "a.go:1: error: x", "a.go:x:1: error: y", "a.go:1:x: error: y", ":1:1: error: x", "- 2:1 undefined: grete"} {
		if got := problems(line); len(got) != 0 {
			t.Errorf("%q is read as %+v", line, got)
		}
	}
}

func TestFeedbackForms(t *testing.T) {
	for text, want := range map[string]delta{
		"Edit applied. Diagnostics (gopls, complete, 12 ms): 2 new errors, 1 fixed, 3 remaining.":                                             {seen: true, known: true, new: 2, fixed: 1},
		"Edit applied. Diagnostics (gopls, complete, 9 ms): 1 new error, 1 new warning, 1 fixed, 1 that was there before not shown.":          {seen: true, known: true, new: 1, fixed: 1},
		"Edit applied. Diagnostics (gopls, complete, 9 ms): no problems.":                                                                     {seen: true, known: true},
		"Edit applied. Diagnostics (a, complete, 9 ms; b, complete, 8 ms): 4 fixed.\nOther files: 2 new errors, 1 fixed (1 of 2 checked).":    {seen: true, known: true, new: 2, fixed: 5},
		"Edit applied. Diagnostics (gopls, not known yet after 9 ms): the server has not answered for this text; problems are not known yet.": {seen: true},
		"Edit applied. Diagnostics (gopls, down): nothing is known of problems in this file.":                                                 {seen: true},
		"Edit applied. Diagnostics (p, complete, 9 ms): 2 errors, 1 fixed (which of them were there before is not known).":                    {seen: true, fixed: 1},
		"Applied.": {},
	} {
		if got := readFeedback("Applied \"x\" to 1 files.\n\n" + text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q:\n got %+v\nwant %+v", text, got, want)
		}
	}
}

func TestDiagnosticsForms(t *testing.T) {
	for text, want := range map[string]knowledge{
		"Diagnostics (gopls, complete, 3 ms): 2 errors, 1 warnings.":                                          known,
		"Diagnostics (gopls, complete, 3 ms): 1 error, 0 others.":                                             known,
		"Note: path was read as paths.\nDiagnostics (gopls, complete, 0 ms): no problems.":                    known,
		"Diagnostics (gopls, complete, 0 ms): no problems.":                                                   known,
		"Diagnostics (ts, pending, 5000 ms): not known yet; so far 2 errors, 0 warnings, in 1 of 2 files.":    unknown,
		"Diagnostics: no language server serves these files, so nothing is known of problems in them.":        noServer,
		"Diagnostics (unavailable: gopls: not found (in PATH)): nothing is known of problems in these files.": noServer,
		"There is no file x.": unknown,
	} {
		if _, got := readDiagnostics(result{text: text}); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
