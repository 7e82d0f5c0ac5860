package fs

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"companion/tools"
	"companion/workspace"
)

// BenchmarkReadOf100MB is the tool, 2,000 lines (or the 50 KB that come at once)
// of a file of 100 MB at changing offsets, after its first read (first-ms).
func BenchmarkReadOf100MB(b *testing.B) {
	for name, line := range map[string]string{"lines of 24 bytes": "0123456789 0123456789 0\n", "lines of 1,000 bytes": string(bytes.Repeat([]byte("x"), 999)) + "\n"} {
		b.Run(name, func(b *testing.B) {
			root := b.TempDir()
			path := filepath.Join(root, "f")
			if err := os.WriteFile(path, bytes.Repeat([]byte(line), 100<<20/len(line)), 0o644); err != nil {
				b.Fatal(err)
			}
			old := time.Now().Add(-time.Hour)
			if err := os.Chtimes(path, old, old); err != nil {
				b.Fatal(err)
			}
			ws, err := workspace.New(workspace.Options{Roots: []string{root}})
			if err != nil {
				b.Fatal(err)
			}
			tool := Read(ws, nil)
			call := func(at int) {
				raw, _ := json.Marshal(readArgs{Path: "f", Offset: at})
				action, err := tool.Prepare(context.Background(), tools.Call{Thread: "t", Roots: ws.Roots(), Args: raw})
				if err != nil {
					b.Fatal(err)
				}
				if res, err := action.Run(context.Background(), nil); err != nil || len(res.Text) < 10_000 {
					b.Fatalf("%d bytes, %v", len(res.Text), err)
				}
			}
			start := time.Now()
			call(1)
			first := time.Since(start)
			at := 1
			for b.Loop() {
				at = (at+7919)%(100<<20/len(line)-3000) + 1
				call(at)
			}
			b.ReportMetric(float64(first.Microseconds())/1000, "first-ms")
		})
	}
}
