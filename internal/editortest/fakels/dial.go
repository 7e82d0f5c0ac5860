package fakels

import (
	"io"
	"os"
	"strings"
	"sync"

	"companion/internal/editortest/fake/wire"

	"github.com/sourcegraph/conc"
)

// TouchEnv names a file that a server makes when it starts; scenarios use it
// to see that an environment reached a child.
const TouchEnv = "FAKELS_TOUCH"

// Touch makes the file that env names, if any.
func Touch(env []string) {
	for _, kv := range env {
		if name, ok := strings.CutPrefix(kv, TouchEnv+"="); ok {
			_ = os.WriteFile(name, nil, 0o600)
		}
	}
}

// Talk is a server in this process, in the form of a child's stdio.
type Talk struct {
	io.ReadWriteCloser
	wg conc.WaitGroup

	mu   sync.Mutex
	exit string
}

// Start runs a server in this process.
func Start(rules *Rules) *Talk {
	a, b := wire.Pipe()
	t := &Talk{ReadWriteCloser: a}
	t.wg.Go(func() {
		err := Serve(b, rules)
		t.mu.Lock()
		t.exit = "exit status 0"
		if err != nil {
			t.exit = "exit status 1: fakels: " + err.Error()
		}
		t.mu.Unlock()
		_ = b.Close()
	})
	return t
}

// Kill ends the talk at once.
func (t *Talk) Kill() { _ = t.Close() }

// Exit says how the server ended, "" while it runs.
func (t *Talk) Exit() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.exit
}

// Main is the server as a process: file holds the rules. It returns the exit
// code.
func Main(file string) int {
	text, err := os.ReadFile(file)
	if err != nil {
		return fail(err)
	}
	rules, err := Parse(string(text))
	if err != nil {
		return fail(err)
	}
	Touch(os.Environ())
	if err := Serve(struct {
		io.Reader
		io.Writer
	}{os.Stdin, os.Stdout}, rules); err != nil {
		return fail(err)
	}
	return 0
}

func fail(err error) int {
	_, _ = os.Stderr.WriteString("fakels: " + err.Error() + "\n")
	return 1
}
