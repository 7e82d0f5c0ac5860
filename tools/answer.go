package tools

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/sourcegraph/conc/panics"
)

// Answer is the outermost stage. It turns refusals, panics and cancellations of
// all stages inside it into results, gives the Started notice where no stage
// did, fills the timings, and never lets an empty text out. log may be nil.
func Answer(log *slog.Logger) Stage {
	return func(next Handler) Handler {
		return func(ctx context.Context, inv *Invocation) (Result, error) {
			inv.begun = time.Now()
			if inv.Refused != nil {
				inv.Start()
				return worded(inv, Result{Outcome: inv.Refused.Outcome, Text: inv.Refused.Text}), nil
			}
			var res Result
			var err error
			if p := panics.Try(func() { res, err = next(ctx, inv) }); p != nil {
				if inner, ok := p.Value.(*panics.Recovered); ok {
					p = inner // raised again by Run
				}
				if log != nil {
					log.Error("a tool call panicked", "tool", inv.Spec.Full(), "call", inv.Call.ID, "panic", p.AsError())
				}
				res, err = panicked(inv, p.Value), nil
			}
			inv.Start()
			res, err = settled(ctx, inv, res, err)
			if inv.ended.IsZero() {
				inv.ended = time.Now()
			}
			inv.Queued = inv.ended.Sub(inv.begun) - inv.Ran
			return worded(inv, res), err
		}
	}
}

func panicked(inv *Invocation, value any) Result {
	return Result{Outcome: Failed, Text: fmt.Sprintf(
		"%s failed by a defect of companion (%v). It may have had part of its effect. The turn can go on; do not call it again with the same arguments.",
		inv.Call.Name, value)}
}

// settled maps what the model can hear from err to a result.
func settled(ctx context.Context, inv *Invocation, res Result, err error) (Result, error) {
	if err == nil {
		return res, nil
	}
	var refusal *Refusal
	switch {
	case errors.Is(err, ErrStopped):
		return Result{Outcome: Aborted, Text: "Not run: the user stopped the turn instead of allowing this."}, err
	case errors.As(err, &refusal):
		return Result{Outcome: refusal.Outcome, Text: refusal.Text}, nil
	case errors.Is(err, context.DeadlineExceeded):
		return Result{Outcome: Timeout, Text: "Timed out after " + seconds(time.Since(inv.begun)) + "." + mayHave(inv) + inv.output.words()}, nil
	case ctx.Err() != nil:
		return Result{Outcome: Aborted, Text: "Aborted by the user after " + seconds(time.Since(inv.begun)) + "." + mayHave(inv) + inv.output.words()}, nil
	case errors.Is(err, context.Canceled):
		return Result{Outcome: Failed, Text: inv.Call.Name + " was cancelled by itself." + mayHave(inv) + inv.output.words()}, nil
	case errors.Is(err, ErrTransient):
		return Result{Outcome: Failed, Text: fmt.Sprintf("%s failed: %v.%s", inv.Call.Name, err, mayHave(inv)) + inv.output.words()}, nil
	}
	return res, err
}

// mayHave says what is unknown about a call with effects that was cut short.
func mayHave(inv *Invocation) string {
	switch {
	case inv.Spec.ReadOnly:
		return ""
	case !inv.HasRun():
		return " It was not run."
	}
	return " It may have happened, or a part of it: look before you do it again."
}

func worded(inv *Invocation, res Result) Result {
	if res.Outcome == "" {
		res.Outcome = OK
	}
	if strings.TrimSpace(res.Text) == "" {
		switch {
		case len(res.Structured) > 0:
			res.Text = string(res.Structured)
		case len(res.Content) > 0:
			res.Text = fmt.Sprintf("%s gave %d items that are no text.", inv.Call.Name, len(res.Content))
		case res.Outcome == OK:
			res.Text = inv.Call.Name + " ended well and gave no output."
		default:
			res.Text = fmt.Sprintf("%s: %s, and gave no output.", inv.Call.Name, res.Outcome)
		}
	}
	if len(inv.notes) > 0 {
		res.Text = strings.Join(inv.notes, "\n") + "\n" + res.Text
	}
	return res
}

// seconds renders a duration with a tenth of a second.
func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
