package transcript

import (
	"fmt"
	"slices"
	"strings"

	"companion/session"
)

// Plan is the thread's plan as it was last told; nil = there is none.
func (t *Transcript) Plan() []session.PlanStep {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.plan)
}

// KeptPlan is the plan in words, as it was when the items were last shortened
// and the calls that made it fell away; "" when nothing of it was open then. It
// stays the same until the items are shortened again.
func (t *Transcript) KeptPlan() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.kept
}

// openPlan is PlanText of a plan that has open steps, else "".
func openPlan(steps []session.PlanStep) string {
	if !slices.ContainsFunc(steps, func(s session.PlanStep) bool { return s.Status != "completed" }) {
		return ""
	}
	return PlanText(steps)
}

// PlanText is a plan as models and persons read it, a line for each step:
// "1. [x] read the parser", with x for completed and > for what is being done.
func PlanText(steps []session.PlanStep) string {
	var b strings.Builder
	mark := map[string]string{"completed": "x", "in_progress": ">"}
	for i, s := range steps {
		if i > 0 {
			b.WriteByte('\n')
		}
		m := mark[s.Status]
		if m == "" {
			m = " "
		}
		fmt.Fprintf(&b, "%d. [%s] %s", i+1, m, s.Step)
	}
	return b.String()
}
