package dynamic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"companion/tools"
	"companion/tools/schema"
)

// transient tells whether the same call may work at once.
func transient(err error) bool {
	var remote *RemoteError
	if errors.As(err, &remote) {
		return remote.Transient
	}
	for _, final := range []error{ErrShape, ErrGone, ErrIdle, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, final) {
			return false
		}
	}
	return true
}

// failed words a call that gave no answer. ctx is the turn's, bounded the
// call's.
func (t *tool) failed(ctx, bounded context.Context, err error, deadline, ran time.Duration) tools.Result {
	res := tools.Result{Outcome: tools.Failed}
	var remote *RemoteError
	switch {
	case errors.Is(err, ErrIdle):
		res.Text = fmt.Sprintf("%s was not called: the editor that registered it runs no tools.", t.full)
	case errors.Is(err, ErrGone) || errors.Is(context.Cause(bounded), ErrGone):
		res.Text = fmt.Sprintf("%s disconnected: the editor that runs it went away.%s", t.full, t.mayHave())
	case ctx.Err() != nil:
		res.Outcome = tools.Aborted
		res.Text = fmt.Sprintf("Aborted by the user after %.1f s.%s", ran.Seconds(), t.mayHave())
	case errors.As(err, &remote):
		res.Tainted = !t.trusted
		res.Text = fmt.Sprintf("%s failed: %s", t.full, or(strings.TrimSpace(remote.Message), "the editor gave an error without a message"))
	case errors.Is(err, ErrShape):
		res.Text = fmt.Sprintf("%s gave %v, so its result is not known.%s", t.full, err, t.mayHave())
	case errors.Is(err, context.DeadlineExceeded):
		res.Outcome = tools.Timeout
		res.Text = fmt.Sprintf("%s did not answer within %s.%s", t.full, deadline, t.mayHave())
	default:
		res.Text = fmt.Sprintf("%s could not be called: %v.%s", t.full, err, t.mayHave())
	}
	return res
}

// mayHave says what is unknown about a call whose answer is.
func (t *tool) mayHave() string {
	if t.spec.ReadOnly {
		return ""
	}
	return " It may have happened all the same, or in part: look before you do it again."
}

// answered makes a result of what the editor said; its text is never empty.
func (t *tool) answered(a Answer) tools.Result {
	res := tools.Result{Outcome: tools.OK, Tainted: !t.trusted}
	if a.IsError {
		res.Outcome = tools.Failed
	}
	var parts []string
	for _, c := range a.Content {
		if text := words(c); strings.TrimSpace(text) != "" {
			parts = append(parts, text)
		}
		if c.Kind == tools.ImageContent || c.Kind == tools.ResourceContent {
			res.Content = append(res.Content, c)
		}
	}
	if !absent(a.Structured) {
		parts = t.structured(&res, a.Structured, parts)
	}
	res.Text = strings.Join(parts, "\n")
	switch {
	case strings.TrimSpace(res.Text) != "":
	case a.IsError:
		res.Text = t.full + " failed and did not say why."
	default:
		res.Text = t.full + " ended well and gave no output."
	}
	return res
}

// structured adds a structured result: rendered where nothing else has words,
// with a note where it is not what the definition promised.
func (t *tool) structured(res *tools.Result, raw json.RawMessage, parts []string) []string {
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return append(parts, "(Its structured result is no JSON and was left out.)")
	}
	if len(parts) == 0 {
		parts = append(parts, compact.String())
	}
	if t.output == nil || res.Outcome != tools.OK {
		res.Structured = compact.Bytes()
		return parts
	}
	err := t.output.Check(raw)
	var wrong *schema.Misfit
	switch {
	case err == nil:
		res.Structured = compact.Bytes()
	case errors.As(err, &wrong):
		parts = append(parts, "(Its structured result is not what its definition promises: "+wrong.Text+")")
	default:
		parts = append(parts, fmt.Sprintf("(Its structured result could not be checked: %v.)", err))
	}
	return parts
}

// words are one part of a result as text: a part without words is named.
func words(c tools.Content) string {
	switch c.Kind {
	case tools.TextContent, "":
		return c.Text
	case tools.ImageContent:
		if len(c.Data) == 0 {
			return fmt.Sprintf("(An image, %s, without data.)", or(c.MimeType, "of no told type"))
		}
		return fmt.Sprintf("(An image, %s, %d bytes.)", or(c.MimeType, "of no told type"), len(c.Data))
	case tools.ResourceContent:
		if c.Text == "" {
			return "(Resource " + or(c.URI, "without a URI") + ")"
		}
		return "Resource " + or(c.URI, "without a URI") + ":\n" + c.Text
	}
	text := fmt.Sprintf("(A part of kind %q, which companion does not know.)", plainName(string(c.Kind)))
	if c.Text != "" {
		text += "\n" + c.Text
	}
	return text
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
