package document_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"companion/lspbridge/document"
	"companion/lspbridge/rpc"
	"companion/lspbridge/wire"
	"companion/text"
	"companion/workspace"
)

// BenchmarkDidChange is what is done for one keystroke in a document
// of 10,000 lines: decode, change of the mirror, observers. No pipe, no framing.
func BenchmarkDidChange(b *testing.B) {
	root := b.TempDir()
	ws, err := workspace.New(workspace.Options{Roots: []string{root}})
	if err != nil {
		b.Fatal(err)
	}
	h := &document.Handlers{Workspace: ws, Encoding: text.UTF16, Log: slog.New(slog.DiscardHandler), Opened: func(string) {}}
	uri := wire.FileURI(filepath.Join(root, "a.go"))
	src := "package a\n\n" + strings.Repeat("func _() { _ = \"some text\" }\n", 10_000)
	if err := os.WriteFile(filepath.Join(root, "a.go"), []byte(src), 0o600); err != nil {
		b.Fatal(err)
	}
	ws.DidOpen(uri, "go", 1, src)
	var all []time.Duration
	for i := 0; b.Loop(); i++ {
		line := i * 7919 % 10_000
		r := &rpc.Request{Method: "textDocument/didChange", Params: fmt.Appendf(nil,
			`{"textDocument":{"uri":%q,"version":%d},"contentChanges":[{"range":{"start":{"line":%d,"character":0},"end":{"line":%d,"character":0}},"text":"x"}]}`, uri, i+2, line, line)}
		start := time.Now()
		if _, err := h.DidChange(context.Background(), r); err != nil {
			b.Fatal(err)
		}
		all = append(all, time.Since(start))
	}
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)*95/100].Nanoseconds())/1000, "didchange-p95-us")
}
