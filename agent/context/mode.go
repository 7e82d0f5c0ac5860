package context

import (
	"context"
	"fmt"

	"companion/agent"
	"companion/tools"
)

// Mode tells what the thread may do now.
type Mode struct{}

// Name implements agent.ContextProvider.
func (Mode) Name() string { return "mode" }

// Section implements agent.ContextProvider.
func (Mode) Section(_ context.Context, t agent.ThreadView) (string, error) {
	may := map[tools.Mode]string{
		tools.ModeAsk:   "Nothing may be changed and no command run: calls that could are refused.",
		tools.ModePlan:  "Nothing may be changed and no command run; the answer is a plan.",
		tools.ModeEdit:  "Every change is shown to the person, who allows or refuses it.",
		tools.ModeAgent: "Edits inside the workspace are allowed; commands run by rule or after the person allows them.",
		tools.ModeFull:  "Everything that no rule denies is allowed.",
	}[t.Mode]
	if may == "" {
		return "", fmt.Errorf("unknown mode %q", t.Mode)
	}
	return fmt.Sprintf("The mode is now %q. %s", t.Mode, may), nil
}
