//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

func TestAReaderThatIsGoneDoesNotKill(t *testing.T) {
	if os.Getenv("COMPANION_TEST_PIPE") != "" {
		os.Exit(run([]string{"version"}, os.Stdin, os.Stdout, os.Stderr))
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
	defer w.Close()
	cmd := exec.Command(os.Args[0], "-test.run=^TestAReaderThatIsGoneDoesNotKill$")
	cmd.Env = append(os.Environ(), "COMPANION_TEST_PIPE=1")
	cmd.Stdout, cmd.Stderr = w, w
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || ws.Signaled() {
		t.Errorf("ended by a signal: %v", cmd.ProcessState)
	}
}
