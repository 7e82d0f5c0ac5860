//go:build unix

package app

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestFixOfAPipeIsWrongUsage(t *testing.T) {
	root := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(root, "p.go"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Fix(context.Background(), Options{}, Headless{Cwd: root}, []string{"p.go"})
	var usage usageError
	if !errors.As(err, &usage) || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("got %v", err)
	}
}
