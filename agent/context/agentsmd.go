package context

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"companion/agent"
)

// agentsName is the file by which a project instructs agents (agents.md).
const agentsName = "AGENTS.md"

// agentsCap is how many bytes of all AGENTS.md files together are told: 32 KB,
// as Codex caps its project documents.
const agentsCap = 32 << 10

// AgentsMD tells what AGENTS.md files say: those of the roots, and those of the
// folders between a root and the files that the thread deals with. The nearest
// comes last and is cut last.
type AgentsMD struct{}

// Name implements agent.ContextProvider.
func (AgentsMD) Name() string { return "project-instructions" }

// guide is one AGENTS.md.
type guide struct {
	name string // as told
	text string
	size int64 // of the whole, bytes
}

// Section implements agent.ContextProvider.
func (AgentsMD) Section(ctx context.Context, t agent.ThreadView) (string, error) {
	var guides []guide
	var errs []error
	for i, root := range t.Roots {
		found, err := inRoot(ctx, root, dirs(root, t))
		errs = append(errs, err)
		for _, g := range found {
			if i > 0 {
				g.name = filepath.ToSlash(filepath.Join(root, filepath.FromSlash(g.name)))
			}
			guides = append(guides, g)
		}
	}
	if len(guides) == 0 {
		return "", errors.Join(errs...)
	}
	left := agentsCap
	parts := make([]string, 0, len(guides))
	for _, g := range slices.Backward(guides) {
		head := "## " + g.name
		text := clip(g.text, left)
		left -= len(text)
		if int64(len(text)) < g.size {
			head += fmt.Sprintf(" (cut: the first %d of %d bytes; all AGENTS.md files together are told up to %d bytes)", len(text), g.size, agentsCap)
		}
		parts = append(parts, head+"\n"+strings.TrimSpace(text))
	}
	slices.Reverse(parts)
	return "Instructions of the project's owners. Where they disagree the later one, which is nearer to the files, wins.\n\n" +
		strings.Join(parts, "\n\n"), nil
}

// dirs are the folders below root that may instruct, as slash paths from it:
// "." first, deeper ones later.
func dirs(root string, t agent.ThreadView) []string {
	out := []string{"."}
	for _, path := range append(slices.Clone(t.Touched), t.Editor.Active) {
		rel, ok := inside(root, path)
		if path == "" || !ok {
			continue
		}
		for d := filepath.Dir(rel); d != "."; d = filepath.Dir(d) {
			if s := filepath.ToSlash(d); !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		if c := depth(a) - depth(b); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	return out
}

func depth(dir string) int {
	if dir == "." {
		return 0
	}
	return 1 + strings.Count(dir, "/")
}

// inRoot reads the AGENTS.md of each folder, none from outside the root.
func inRoot(ctx context.Context, root string, dirs []string) ([]guide, error) {
	r, err := os.OpenRoot(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var out []guide
	for _, dir := range dirs {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		name := agentsName
		if dir != "." {
			name = dir + "/" + agentsName
		}
		if g, ok := read(r, name); ok {
			out = append(out, g)
		}
	}
	return out, nil
}

// read gives one AGENTS.md. A symlink counts only where the file that it leads
// to is an AGENTS.md of the same root and no place of keys: a repository could
// else send any file, such as .env, to the model.
func read(r *os.Root, name string) (guide, bool) {
	real, ok := target(r, name)
	if !ok {
		return guide{}, false
	}
	f, err := r.OpenFile(real, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return guide{}, false
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() || st.Size() == 0 {
		return guide{}, false
	}
	// What was opened is still what stands there under that name.
	if at, err := r.Lstat(real); err != nil || !os.SameFile(at, st) {
		return guide{}, false
	}
	b, err := io.ReadAll(io.LimitReader(f, agentsCap))
	text := strings.ToValidUTF8(strings.TrimPrefix(string(b), "\uFEFF"), "")
	if err != nil || strings.TrimSpace(text) == "" {
		return guide{}, false
	}
	return guide{name, text, max(st.Size()-int64(len(b)), 0) + int64(len(text))}, true
}

// target is the path of the regular file behind an AGENTS.md, from the root,
// without symlinks.
func target(r *os.Root, name string) (string, bool) {
	root, err := filepath.EvalSymlinks(r.Name())
	if err != nil {
		return "", false
	}
	real, err := filepath.EvalSymlinks(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return "", false
	}
	rel, err := filepath.Rel(root, real)
	if err != nil || !filepath.IsLocal(rel) || !strings.EqualFold(filepath.Base(rel), agentsName) {
		return "", false
	}
	for part := range strings.SplitSeq(strings.ToLower(filepath.ToSlash(rel)), "/") {
		if part == ".ssh" || part == ".aws" || part == ".gnupg" || part == ".git" || strings.HasPrefix(part, ".env") {
			return "", false
		}
	}
	st, err := r.Lstat(rel)
	return rel, err == nil && st.Mode().IsRegular()
}

// clip is the first n bytes of s, whole runes.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
