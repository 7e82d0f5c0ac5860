package offline

import (
	"strings"
	"testing"
)

func TestWantOfRightsIsTheFirstSentence(t *testing.T) {
	cases := map[string]struct{ told, first string }{
		"the person": {
			"Denied, and not run: the user refused. Do not retry it and do not work around it. Go on without it, or say what you need it for.",
			"the user refused.",
		},
		"the person, with words": {
			"Denied, and not run: the user refused. Do not retry it and do not work around it. The user says: not now",
			"the user refused. The user says: not now.",
		},
		"the mode": {
			"Denied, and not run: it changes a.go, and mode ask changes no file. The user can change the mode. Do not try to reach the same in another way; say what you need, or go on without it.",
			"it changes a.go, and mode ask changes no file. The user can change the mode.",
		},
		"a tool that is withheld": {
			`lsp may not be called in this step: it can change things and the mode is "plan", in which nothing is changed. Say what you would do instead.`,
			`lsp may not be called in this step: it can change things and the mode is "plan", in which nothing is changed.`,
		},
		"no trust": {
			"Not done: a.go lies in a folder that the user has not trusted, so nothing is changed there. Say what you would change.",
			"a.go lies in a folder that the user has not trusted, so nothing is changed there.",
		},
		"read-only root": {
			"Not done: a.go: open /r/a.go: read-only file system. Nothing was changed.",
			"a.go: open /r/a.go: read-only file system. Nothing was changed.",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := &world{t: t, offers: byMessage, denied: c.told, files: map[string]string{"a.go": "ERR(x)\nERR(y)"}}
			final, _ := w.talk("Fix the problems in: a.go")
			head, rest, _ := strings.Cut(final, "\n")
			if head != "Fixed nothing, because it was not allowed: "+c.first {
				t.Errorf("the first line: %s", head)
			}
			if !strings.Contains(rest, `a.go:1: x (applying "Remove x" was not allowed)`) || strings.Contains(rest, "Not allowed:") {
				t.Errorf("the rest: %s", rest)
			}
		})
	}
}

func TestAFixThatFailedForAnotherReasonIsNoWantOfRights(t *testing.T) {
	w := &world{t: t, offers: byMessage, denied: "Not done: a.go changed in the meantime.", files: map[string]string{"a.go": "ERR(x)"}}
	if final, _ := w.talk("Fix the problems in: a.go"); !strings.HasPrefix(final, "Fixed nothing: no problem") || !strings.Contains(final, "changed in the meantime") {
		t.Error(final)
	}
}

func TestWantOfRightsIsToldBesideWhatWasFixed(t *testing.T) {
	w := &world{t: t, offers: byMessage, files: map[string]string{"a.go": "ERR(x)\nERR(y)"}}
	w.also = func(w *world) { w.denied = "Denied, and not run: the user refused." }
	final, _ := w.talk("Fix the problems in: a.go")
	if !strings.HasPrefix(final, "Fixed 1 problem") || !strings.Contains(final, "\n\nNot allowed: the user refused.\n") {
		t.Error(final)
	}
}
