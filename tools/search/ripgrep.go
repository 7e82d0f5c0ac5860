package search

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"companion/tools/search/match"
	"companion/tools/search/pick"
	"companion/tools/search/walk"
)

// leastRipgrep is the oldest major version whose flags are those below.
const leastRipgrep = 13

// ripgrep finds the program and knows what it was told of it.
type ripgrep struct {
	o  Options
	mu sync.Mutex
	ok map[string]bool // by path and time of change: new enough
}

// find gives the first rg of PATH, "" = none that may be used. A relative entry
// of PATH and a program that lies in a folder of the workspace, by its name or
// by what its name leads to, are passed over: a stranger's tree chooses nothing
// that runs.
func (r *ripgrep) find(ctx context.Context, roots []string) string {
	if r.o.NoRipgrep {
		return ""
	}
	name := "rg"
	if runtime.GOOS == "windows" {
		name = "rg.exe"
	}
	inside := func(path string) bool {
		return slices.ContainsFunc(roots, func(root string) bool { _, in := below(root, path); return in })
	}
	for _, dir := range filepath.SplitList(r.o.env("PATH")) {
		path := filepath.Join(dir, name)
		if !filepath.IsAbs(dir) || inside(path) {
			continue
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil || inside(real) {
			continue
		}
		info, err := os.Stat(real)
		if err != nil || !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
			continue
		}
		if r.works(ctx, real, info.ModTime()) {
			return real
		}
	}
	return ""
}

func (r *ripgrep) works(ctx context.Context, path string, changed time.Time) bool {
	key := path + changed.String()
	r.mu.Lock()
	known, ok := r.ok[key]
	r.mu.Unlock()
	if ok {
		return known
	}
	cmd := r.command(ctx, path, os.TempDir(), "--version")
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return false
	}
	version, _ := strings.CutPrefix(string(out), "ripgrep ")
	major, _, _ := strings.Cut(version, ".")
	n, numErr := strconv.Atoi(major)
	good := err == nil && numErr == nil && n >= leastRipgrep
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ok == nil {
		r.ok = map[string]bool{}
	}
	r.ok[key] = good
	return good
}

func (r *ripgrep) command(ctx context.Context, path, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = dir
	cmd.Env = []string{"LC_ALL=C.UTF-8"}
	if runtime.GOOS == "windows" {
		cmd.Env = append(cmd.Env, "SystemRoot="+r.o.env("SystemRoot"))
	}
	cmd.WaitDelay = time.Second
	return cmd
}

// candidates are files of which some may match: all that do, in the order of a
// walk, among others that do not or that a walk would pass by. ok is false where
// ripgrep cannot tell.
func (r *ripgrep) candidates(ctx context.Context, path, dir string, tree *walk.Tree, m *match.Matcher, a grepArgs, f pick.Filter) (rels, denied []string, ok bool) {
	pattern, can := m.Ripgrep()
	if path == "" || !can || !tree.Git() && !tree.All() && tree.IgnoreFileAtTop() { // ripgrep reads no ignore files outside git
		return nil, nil, false
	}
	// What ripgrep does not ignore, we do. Its patterns of a .gitignore are git's;
	// with its other sources it is another matter.
	args := []string{
		"--no-config", "--files-with-matches", "--null", "--color=never", "--no-ignore-messages",
		"--no-ignore-dot", "--no-ignore-exclude", "--no-ignore-global", "--case-sensitive", "--path-separator=/",
	}
	if tree.All() {
		args = append(args, "--no-ignore")
	}
	if a.Hidden {
		args = append(args, "--hidden", "--glob=!.git")
	}
	if a.IgnoreCase {
		args = append(args, "--ignore-case")
	}
	if a.Multiline {
		args = append(args, "--multiline")
	}
	if kinds := f.Names(); len(kinds) > 0 {
		for _, k := range kinds {
			args = append(args, "--type-add=companion:"+k)
		}
		args = append(args, "--type=companion")
	}
	cmd := r.command(ctx, path, dir, append(args, "--regexp="+pattern, "--", ".")...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	denied, sound := complaints(stderr.String())
	var exit *exec.ExitError
	switch {
	case err == nil:
	case errors.As(err, &exit) && (exit.ExitCode() == 1 || exit.ExitCode() == 2 && sound):
	default:
		return nil, nil, false
	}
	for rel := range strings.SplitSeq(stdout.String(), "\x00") {
		if rel = strings.TrimPrefix(rel, "./"); rel != "" {
			rels = append(rels, rel)
		}
	}
	slices.SortFunc(rels, walk.Compare)
	return rels, denied, true
}

// complaints reads what ripgrep could not read out of its messages; sound is
// false where it says anything else.
func complaints(stderr string) (denied []string, sound bool) {
	for line := range strings.Lines(stderr) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "rg: ")
		path, isDenied := line, false
		if i := strings.Index(line, ": Permission denied"); i >= 0 {
			path, isDenied = line[:i], true
		}
		switch {
		case isDenied:
			denied = append(denied, strings.TrimPrefix(path, "./"))
		case line == "" || strings.Contains(line, ": No such file"): // it went in the meantime
		default:
			return nil, false
		}
	}
	return denied, true
}
