package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestThreadsNamesLogsThatItCannotList(t *testing.T) {
	for name, c := range map[string]struct {
		log       string // "" = none
		out, errs string
	}{
		"none":    {"", "no threads yet in ", ""},
		"damaged": {"\x00\x00garbage\n", "no thread in ", "thread old is not listed: its log is damaged at the beginning ("},
		"torn":    {`{"kind":"header","v":1`, "no thread in ", "thread old is not listed: its log is damaged at the beginning ("},
		"empty":   {" ", "no thread in ", "thread old is not listed: its log is damaged at the beginning ("},
		"newer":   {`{"kind":"header","v":99,"info":{}}` + "\n", "no thread in ", "thread old is not listed: the thread was written by a newer companion"},
	} {
		t.Run(name, func(t *testing.T) {
			state := t.TempDir()
			if c.log != "" {
				if err := os.Mkdir(filepath.Join(state, "threads"), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(state, "threads", "old.jsonl"), []byte(c.log), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for _, asJSON := range []bool{false, true} {
				var out, errs strings.Builder
				if err := Threads(Options{Out: &out, Err: &errs, Env: env{"COMPANION_STATE_DIR=" + state}}, asJSON); err != nil {
					t.Fatal(err)
				}
				if asJSON {
					c.out = "[]"
				}
				if !strings.HasPrefix(out.String(), c.out) || !strings.Contains(errs.String(), c.errs) || (c.errs == "") != (errs.Len() == 0) {
					t.Errorf("out %q, errors %q", out.String(), errs.String())
				}
			}
		})
	}
}
