package move

import (
	"context"
	"strings"
	"testing"

	"companion/changes"
	"companion/tools"
)

// What the tools tell of a change is what the undo of the turn needs.
func TestTheUndoOfATurnBringsFilesBack(t *testing.T) {
	for name, c := range map[string]struct {
		args map[string]string
		with func(bench) tools.Tool
	}{
		"delete": {args: map[string]string{"path": "dir/a"}, with: func(b bench) tools.Tool { return Delete(b.ws) }},
		"move":   {args: map[string]string{"from": "dir/a", "to": "other/b"}, with: func(b bench) tools.Tool { return Move(b.ws) }},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, "dir/a", "dir/b", "other/x")
			before := b.tree()
			store := changes.Open(t.TempDir(), b.ws)
			t.Cleanup(func() {
				if err := store.Close(); err != nil {
					t.Error(err)
				}
			})
			_, res := b.call(c.with(b), c.args)
			want(t, res, tools.OK)
			if err := store.Record("t", "turn", "call", res.Changed); err != nil {
				t.Fatal(err)
			}
			if b.tree() == before {
				t.Fatal("nothing was done")
			}
			out, err := store.Undo(context.Background(), changes.Selector{Thread: "t", Turn: "turn"})
			if err != nil || len(out) == 0 {
				t.Fatalf("%v, %v", out, err)
			}
			if got := b.tree(); got != before {
				t.Errorf("after the undo:\n%s\nwas\n%s (%v)", got, before, strings.TrimSpace(res.Text))
			}
		})
	}
}
