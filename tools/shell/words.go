package shell

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"companion/text"
	"companion/tools"
	"companion/tools/shell/output"
	"companion/tools/shell/screen"
	"companion/tools/shell/sessions"
)

// Bounds of what a model is shown, at 4 bytes a token (limit.DefaultBudget). The
// result as a whole has to fit limit.EntryBudget, 80,000 bytes.
const (
	resultBudget = 80_000
	tokenBytes   = 4
	tokensNone   = 10_000
	tokensLow    = 100
	tokensHigh   = 18_000
)

func budget(tokens int) int {
	if tokens <= 0 {
		tokens = tokensNone
	}
	return tokenBytes * min(max(tokens, tokensLow), tokensHigh)
}

// words tell a model of one session.
type words struct {
	s      *sessions.Session
	id     int // 0 = the call that started it tells
	budget int // bytes of output
	notes  []string
	first  bool // nothing of the output was given out before
	// ours: what ended it was wanted.
	ours bool
}

// ended tells how a command ended.
func (w words) ended() tools.Result {
	end := w.s.End()
	res := tools.Result{Outcome: tools.OK}
	if (end.Code != 0 || end.Signal != "") && !w.ours {
		res.Outcome = tools.Failed
	}
	took := seconds(end.Took)
	var head string
	switch {
	case end.Stuck:
		res.Outcome, head = tools.Failed, "Killed after "+took+", but the system has not ended it yet"
	case end.Why == sessions.Deadline:
		res.Outcome, head = tools.Timeout, "Timed out: killed after "+took+", with all that it started. It may have had part of its effect; a longer timeout_ms may help"
	case end.Why == sessions.Room:
		head = "Stopped after " + took + " to make room for newer sessions"
	case end.Why == sessions.Asked:
		head = "Stopped after " + took + ", with all that it started (" + status(end) + ")"
	default:
		head = strings.ToUpper(status(end)[:1]) + status(end)[1:]
		if w.id == 0 {
			head += ". Wall time " + took
		} else {
			head += ", after " + took
		}
	}
	if w.id != 0 {
		head = fmt.Sprintf("Session %d (%s) has ended. %s", w.id, firstLine(w.s.Command), head)
	}
	return w.finish(res, head+"."+left(end), "Output", "No output.")
}

// status is the exit code or signal in words.
func status(end sessions.End) string {
	if end.Signal != "" {
		return "killed by signal " + end.Signal
	}
	return "exit code " + itoa(end.Code)
}

// left tells what a shell had left running.
func left(end sessions.End) string {
	text := ""
	if n := len(end.Killed); n > 0 && end.Why == "" {
		shown := strings.Join(end.Killed[:min(n, 5)], ", ")
		if n > 5 {
			shown += ", …"
		}
		text = " What it had left running in the background was killed: " + shown +
			". To keep a program running, give it a call of its own without &: it becomes a session."
	}
	if end.Left {
		text += " A child that left the process group still held the output; it may still run."
	}
	return text
}

// aborted tells of a command that was stopped with its turn.
func (w words) aborted() tools.Result {
	head := "Aborted by the user after " + seconds(w.s.End().Took) + " and killed, with all that it started. It may have had part of its effect."
	return w.finish(tools.Result{Outcome: tools.Aborted}, head, "Output", "No output.")
}

// running tells of a command that goes on.
func (w words) running() tools.Result {
	age := seconds(time.Since(w.s.Begun))
	head := fmt.Sprintf("Still running after %s; session: %d.", age, w.id)
	tty, _, _ := w.s.Terminal()
	switch {
	case w.s.Hidden():
		head += fmt.Sprintf(" It asks for something that its terminal does not show, such as a password (%q). Only the user knows it: do not guess; ask, or end it with `stop_session`.",
			w.s.Output().Prompt())
	case tty:
		head += " Type into it with `write_stdin` (chars), wait for more with empty chars, end it with `stop_session`."
	default:
		head += " Wait for more with `write_stdin` (no chars), end it with `stop_session`."
	}
	return w.finish(tools.Result{Outcome: tools.OK}, head, "Output so far", "No output so far.")
}

// finish puts notes and output behind a head.
func (w words) finish(res tools.Result, head, name, none string) tools.Result {
	taken := w.s.Take()
	if !w.first && w.s.Output().Total() > 0 {
		name, none = "New output", "No new output."
	}
	for _, n := range w.notes {
		head += " " + n
	}
	text := taken.Text
	long := len(text) > w.budget || taken.Lost > 0
	var where string
	if long || taken.Redone > 0 || w.s.Output().Coded() {
		res.FullOutput, where = w.whole()
	}
	if taken.Redone > 0 {
		head += fmt.Sprintf(" Lines that it rewrote in place are shown in their last state (%d states left out", taken.Redone)
		if !long {
			head += "; " + where
		}
		head += ")."
	}
	if long {
		text, res.Truncated = cut(text, w.budget, taken.Lost, where), true
	}
	switch {
	case strings.TrimSpace(text) == "":
		res.Text = head + " " + none
	case taken.Full:
		_, cols, rows := w.s.Terminal()
		_, row, col := w.s.Output().Cursor()
		res.Text = fmt.Sprintf("%s Its screen (%d columns, %d lines; cursor in line %d, column %d):\n%s", head, cols, rows, row, col, text)
	default:
		res.Text = head + " " + name + ":\n" + text
	}
	return res
}

// whole is the file with all of the output, and where it is in words.
func (w words) whole() (path, where string) {
	path, part := w.s.Output().File()
	switch {
	case path == "":
		return "", "they are kept nowhere"
	case part:
		return path, fmt.Sprintf("the first %d MiB of the output are in %s, which `read` can open", output.MostFile>>20, path)
	}
	return path, "all of the output is in " + path + ", which `read` can open"
}

// cut keeps about budget bytes of output, half of them at each end, at line
// boundaries where there are some near. lost bytes of the middle are missing
// already.
func cut(output string, budget int, lost int64, where string) string {
	if len(output) <= budget {
		return output + fmt.Sprintf("\n[%d bytes were not kept in memory; %s]", lost, where)
	}
	head, tail := text.Ends(output, budget)
	middle := output[len(head) : len(output)-len(tail)]
	if !strings.HasSuffix(head, "\n") {
		head += "\n"
	}
	out, all := int64(len(middle))+lost, int64(len(output))+lost
	if gap := screen.Missing(lost); lost > 0 && strings.Contains(middle, gap) {
		out, all = out-int64(len(gap)), all-int64(len(gap))
	}
	counted := fmt.Sprintf("%d bytes", out)
	if lost == 0 {
		counted += fmt.Sprintf(" (%d lines)", strings.Count(middle, "\n"))
	}
	return fmt.Sprintf("%s[… %s of %d bytes are left out here; %s …]\n%s", head, counted, all, where, tail)
}

// seconds renders a duration with a tenth of a second.
func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

func itoa(n int) string { return strconv.Itoa(n) }
