package patch

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"companion/workspace"
)

// hunks is a file and a patch of n hunks for it.
func hunks(n int) (file, patch string) {
	var f, p strings.Builder
	p.WriteString("*** Begin Patch\n*** Update File: f.txt\n")
	for i := range n * 20 {
		fmt.Fprintf(&f, "line %d of the file\n", i)
	}
	for i := range n {
		at := i*20 + 10
		fmt.Fprintf(&p, "@@\n line %d of the file\n-line %d of the file\n+changed %d\n line %d of the file\n", at-1, at, i, at+1)
	}
	return f.String(), p.String() + "*** End Patch\n"
}

// many are n files and a patch of one hunk for each.
func many(n int) (files map[string]string, patch string) {
	files = map[string]string{}
	var p strings.Builder
	p.WriteString("*** Begin Patch\n")
	for i := range n {
		var f strings.Builder
		for k := range 30 {
			fmt.Fprintf(&f, "line %d of file %d\n", k, i)
		}
		name := fmt.Sprintf("d%d/f%d.txt", i%20, i)
		files[name] = f.String()
		fmt.Fprintf(&p, "*** Update File: %s\n@@\n line 9 of file %d\n-line 10 of file %d\n+changed\n line 11 of file %d\n", name, i, i, i)
	}
	return files, p.String() + "*** End Patch\n"
}

func BenchmarkApply(b *testing.B) {
	run := func(name string, files map[string]string, patch string) {
		b.Run(name, func(b *testing.B) {
			at := newBench(b, files)
			ws, err := workspace.New(workspace.Options{Roots: []string{at.dir}, Intents: filepath.Join(b.TempDir(), "intents")})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				b.StopTimer()
				for f, text := range files {
					put(b, filepath.Join(at.dir, f), text)
				}
				b.StartTimer()
				if _, _, err := Apply(context.Background(), ws, patch, false); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	for _, n := range []int{1, 100, 2000} {
		f, p := hunks(n)
		run(fmt.Sprintf("hunks=%d", n), map[string]string{"f.txt": f}, p)
	}
	files, p := many(2000)
	run("files=2000", files, p)
}
