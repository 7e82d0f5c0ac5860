package document_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"

	"companion/lspbridge/document"
	"companion/lspbridge/rpc"
	"companion/lspbridge/wire"
	"companion/text"
	"companion/workspace"
)

func TestFilesThatTheUserMovesInTheEditorAreLookedAtAgain(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.New(workspace.Options{Roots: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	var heard []string
	h := &document.Handlers{
		Workspace: ws, Encoding: text.UTF16, Log: slog.New(slog.DiscardHandler),
		Disk: func(paths []string) { heard = append(heard, paths...) },
	}
	a, b := filepath.Join(root, "a.go"), filepath.Join(root, "b.go")
	for _, params := range []string{
		`{"files":[{"uri":"` + wire.FileURI(a) + `"}]}`,
		`{"files":[{"oldUri":"` + wire.FileURI(a) + `","newUri":"` + wire.FileURI(b) + `"}]}`,
		`{"files":[{"uri":"git:/a.go"}]}`,
		`{}`,
	} {
		if _, err := h.DidOperateFiles(context.Background(), &rpc.Request{Params: []byte(params)}); err != nil {
			t.Errorf("%s: %v", params, err)
		}
	}
	if want := []string{a, a, b}; !slices.Equal(heard, want) {
		t.Errorf("looked at %q, want %q", heard, want)
	}
}
