package limit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"companion/text"
	"companion/tools"
)

// DefaultBudget is the most bytes of text that the model sees of one result:
// 10,000 tokens (tools.md, exec_command) at 4 bytes a token (dependencies.md
// measured 3.2 to 4.7).
const DefaultBudget = 40_000

// EntryBudget is the most bytes of text of one entry of a thread's history: a
// result with all that stages and diagnostics add to it.
const EntryBudget = 2 * DefaultBudget

// Entry bounds the text of one entry of the history.
func Entry(text string) string {
	if len(text) <= EntryBudget {
		return text
	}
	return cut(text, EntryBudget, "they are kept nowhere")
}

// SpillAge is how long a spilled text is kept (tools.md, Results: 7 days).
const SpillAge = 7 * 24 * time.Hour

// Stage keeps head and tail of a text that is over the tool's budget, counts
// the middle, and writes the whole to a file in dir (0600; the folder 0700),
// whose path the text names. dir "" keeps no whole text and says so.
func Stage(dir string) tools.Stage {
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
			res, err := next(ctx, inv)
			var refusal *tools.Refusal
			if errors.As(err, &refusal) { // what a tool says no with may be long too
				res, err = tools.Result{Outcome: refusal.Outcome, Text: refusal.Text}, nil
			}
			budget := inv.Spec.ResultBudget
			if budget <= 0 {
				budget = DefaultBudget
			}
			if len(res.Display) > budget {
				res.Display = cut(res.Display, budget, "shown in part")
			}
			if len(res.Real) > budget {
				res.Real = cut(res.Real, budget, "kept in part")
			}
			if len(res.Text) <= budget {
				return res, err
			}
			where := "the whole text is in " + res.FullOutput + ", which `read` can open"
			if res.FullOutput == "" || res.Real != "" { // the file of a tool holds what a hook took out
				path, spillErr := spill(dir, inv.Call.ID, res.Text)
				res.FullOutput = path
				where = "the whole text is in " + path + ", which `read` can open"
				if spillErr != nil {
					where = "the whole text could not be kept: " + spillErr.Error()
				}
			}
			res.Text, res.Truncated = cut(res.Text, budget, where), true
			return res, err
		}
	}
}

// cut keeps about budget bytes of output, half of them at each end, at line
// boundaries where there are some near.
func cut(output string, budget int, where string) string {
	head, tail := text.Ends(output, budget)
	middle := output[len(head) : len(output)-len(tail)]
	if !strings.HasSuffix(head, "\n") {
		head += "\n"
	}
	return fmt.Sprintf("%s[… %d bytes (%d lines) of %d bytes are left out here; %s …]\n%s",
		head, len(middle), strings.Count(middle, "\n"), len(output), where, tail)
}

func spill(dir, id, text string) (string, error) {
	if dir == "" {
		return "", fmt.Errorf("there is no folder for it")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	forget(dir, time.Now().Add(-SpillAge))
	f, err := os.CreateTemp(dir, fileSafe(id)+"-*.txt") // 0600
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = os.Remove(f.Name()) // half a text is worse than none
		return "", err
	}
	return f.Name(), nil
}

// forget removes spilled texts from before.
func forget(dir string, before time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), ".txt") && info.ModTime().Before(before) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

func fileSafe(id string) string {
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, id)
	return "call-" + safe[:min(len(safe), 40)]
}
