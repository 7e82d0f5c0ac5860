package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFixTakesFilesOfTheFolderOnly(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "project")
	for _, name := range []string{"project/sub/a.go", "b.go"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		filepath.Join("..", "b.go"): "outside", filepath.Join(dir, "b.go"): "outside",
		"none.go": "no such file", "sub": "is a folder",
	} {
		_, err := Fix(context.Background(), Options{}, Headless{Cwd: root}, []string{path})
		var usage usageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), want) {
			t.Errorf("fix %s: %v, want wrong usage with %q", path, err, want)
		}
	}
}
