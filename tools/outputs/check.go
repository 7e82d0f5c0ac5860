package outputs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"companion/tools"
	"companion/tools/schema"
)

// Check is the stage around a run that compares Result.Structured with
// Spec.Output. What does not fit is dropped, the text stays, and the model is
// told where it does not; of a built-in tool that is a defect of ours. A schema
// that is itself wrong is no ground to drop anything.
func Check() tools.Stage {
	var compiled sync.Map // schema text → *schema.Schema, nil where it is wrong
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
			res, err := next(ctx, inv)
			if err != nil || len(inv.Spec.Output) == 0 || len(res.Structured) == 0 || res.Outcome != tools.OK && res.Outcome != "" {
				return res, err
			}
			key := string(inv.Spec.Output)
			found, ok := compiled.Load(key)
			if !ok {
				s, err := schema.Compile(inv.Spec.Output)
				if err != nil {
					s = nil
				}
				found, _ = compiled.LoadOrStore(key, s)
			}
			s := found.(*schema.Schema)
			if s == nil {
				return res, nil
			}
			var wrong *schema.Misfit
			switch err := s.Check(res.Structured); {
			case errors.As(err, &wrong):
				inv.Tell(fmt.Sprintf("(The structured result of %s is left out: it does not fit what the tool declares. %s)", inv.Spec.Full(), strings.ReplaceAll(wrong.Text, "(arguments)", "(result)")))
				if strings.TrimSpace(res.Text) == "" { // it is all that there is
					res.Text = string(res.Structured)
				}
				res.Structured = nil
			case err != nil:
				return res, fmt.Errorf("structured result of %s: %w", inv.Spec.Full(), err)
			}
			return res, nil
		}
	}
}

// most is how many bytes of a description a schema takes (tools.md, Sources).
const most = 500

// Describe adds to a tool's description what its results look like, as a type
// in the manner of TypeScript. The same spec gives the same text.
func Describe(s tools.Spec) tools.Spec {
	if len(s.Output) == 0 {
		return s
	}
	if line := Render(s.Output, most); line != "" {
		s.Description = strings.TrimRight(s.Description, "\n") + "\n\n" + line
	}
	return s
}

// Render words an output schema in one line of at most limit bytes:
//
//	Result: {n: integer, hits: {path: string, line?: integer}[]}
//
// What is too deep for it becomes "…"; "" where not even the outermost names
// fit.
func Render(output json.RawMessage, limit int) string {
	const prefix = "Result: "
	for depth := 6; depth > 0; depth-- {
		r := &renderer{root: output, left: limit}
		if text := prefix + r.typeOf(output, depth); len(text) <= limit {
			return text
		}
	}
	return ""
}
