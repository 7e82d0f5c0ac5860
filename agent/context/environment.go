package context

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"companion/agent"
)

// Environment tells the operating system, the folders, the date and the git
// branch.
type Environment struct {
	OS string // as runtime.GOOS
	// Now gives the time, of which only the date is told; nil = time.Now.
	Now func() time.Time
}

// Name implements agent.ContextProvider.
func (Environment) Name() string { return "environment" }

// Section implements agent.ContextProvider.
func (e Environment) Section(_ context.Context, t agent.ThreadView) (string, error) {
	now := time.Now
	if e.Now != nil {
		now = e.Now
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Operating system: %s", e.OS)
	for i, root := range t.Roots {
		if i == 0 {
			fmt.Fprintf(&b, "\nWorking folder: %s (paths are relative to it)", filepath.ToSlash(root))
		} else {
			fmt.Fprintf(&b, "\nFurther root: %s", filepath.ToSlash(root))
		}
	}
	fmt.Fprintf(&b, "\nDate: %s", now().Format(time.DateOnly))
	if len(t.Roots) > 0 {
		if branch := gitBranch(t.Roots[0]); branch != "" {
			fmt.Fprintf(&b, "\nGit branch: %s", branch)
		}
	}
	return b.String(), nil
}

// gitBranch reads .git/HEAD of a folder: the branch, or "detached at HASH". A
// worktree's .git file is followed once. "" when there is none.
func gitBranch(root string) string {
	dir := filepath.Join(root, ".git")
	if st, err := os.Stat(dir); err == nil && !st.IsDir() {
		b, err := readSmall(dir)
		to, ok := strings.CutPrefix(strings.TrimSpace(b), "gitdir: ")
		if err != nil || !ok {
			return ""
		}
		if dir = to; !filepath.IsAbs(dir) {
			dir = filepath.Join(root, dir)
		}
	}
	head, err := readSmall(filepath.Join(dir, "HEAD"))
	if err != nil {
		return ""
	}
	head = strings.TrimSpace(head)
	if branch, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok {
		return oneLine(branch)
	}
	if len(head) >= 40 && strings.Trim(head, "0123456789abcdef") == "" {
		return "detached at " + head[:12]
	}
	return ""
}

// readSmall reads a regular file of at most 4 KB.
func readSmall(path string) (string, error) {
	st, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !st.Mode().IsRegular() || st.Size() > 4096 {
		return "", fmt.Errorf("%s: not a small regular file", path)
	}
	b, err := os.ReadFile(path)
	return string(b), err
}

// oneLine keeps foreign text from looking like a line of ours.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, s)
}
