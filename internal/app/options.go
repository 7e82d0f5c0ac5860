package app

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"companion/diagnostics/lspclient"
	"companion/diagnostics/syntax"
	"companion/lspbridge/companion"
)

// version is set by the linker (see the Makefile).
var version = "dev"

// Options are what the process gives: all that companion knows of its
// surroundings comes through here.
type Options struct {
	Env      []string // "KEY=value"
	In       io.Reader
	Out, Err io.Writer
	// ClientPID is a process whose death ends serve; 0 = none.
	ClientPID int
	// Dial replaces the start of language servers; nil = real processes.
	Dial lspclient.Dialer
}

// Version is one line for people and bug reports.
func Version() string {
	return fmt.Sprintf("companion %s (protocol %d, %s, %s/%s%s)", number(), companion.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH, treeSitter())
}

// number is the version alone.
func number() string {
	if version != "dev" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") {
		return info.Main.Version
	}
	return version
}

// usageError is something wrong on the command line that only app can see.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

// IsUsage tells whether err is about how companion was called.
func IsUsage(err error) bool {
	var u usageError
	return errors.As(err, &u)
}

// logger writes to w and to the file that COMPANION_LOG names, if any.
func logger(e env, w io.Writer) (*slog.Logger, func()) {
	closer := func() {}
	if name := e.get("COMPANION_LOG"); name != "" {
		if f, err := openLog(name); err != nil {
			fmt.Fprintf(w, "companion: COMPANION_LOG: %v\n", err)
		} else {
			w = io.MultiWriter(w, f)
			closer = func() { _ = f.Close() }
		}
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelInfo})), closer
}

func openLog(name string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	return os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}

func treeSitter() string {
	if syntax.Available() {
		return ""
	}
	return ", without tree-sitter: built without cgo"
}
