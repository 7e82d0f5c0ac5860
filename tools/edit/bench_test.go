package edit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"companion/workspace"
)

// large is n bytes of lines, with one that is like no other in the middle.
func large(n int, ending string) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		if b.Len() > n/2 && b.Len() < n/2+60 {
			b.WriteString("\tthe only line of its kind" + ending)
		}
		fmt.Fprintf(&b, "\tline %d of a large file, with some words in it%s", i, ending)
	}
	return b.String()
}

// One edit of a file of 5 MB, prepared and made, as the model's call is.
func BenchmarkEditOfFiveMegabytes(b *testing.B) {
	for name, c := range map[string]struct{ ending, old, fresh string }{
		"LF":       {"\n", "the only line of its kind", "another line"},
		"CRLF":     {"\r\n", "\tthe only line of its kind\n", "\tanother\n\tand one more\n"},
		"tolerant": {"\n", "  the only line of   its kind\n", "another line\n"},
	} {
		b.Run(name, func(b *testing.B) {
			root, err := filepath.EvalSymlinks(b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			path := filepath.Join(root, "large.txt")
			ws, err := workspace.New(workspace.Options{Roots: []string{root}})
			if err != nil {
				b.Fatal(err)
			}
			content := []byte(large(5<<20, c.ending))
			tool, call := New(ws), bench{nil, root, ws}.call("large.txt", replacement{Old: c.old, New: c.fresh})
			for b.Loop() {
				b.StopTimer()
				if err := os.WriteFile(path, content, 0o644); err != nil {
					b.Fatal(err)
				}
				snap, err := ws.Read(context.Background(), path)
				if err != nil {
					b.Fatal(err)
				}
				ws.NoteRead("t", path, snap.Hash)
				b.StartTimer()
				action, err := tool.Prepare(context.Background(), call)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := action.Run(context.Background(), nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
