package shape

import (
	"encoding/json"
	"fmt"
	"strings"
)

// ReadMessageRequest gives the title and buttons of a window/showMessageRequest,
// and what a person could not tell apart or see at a glance.
func ReadMessageRequest(params json.RawMessage) (title string, buttons, problems []string) {
	var p struct {
		Message string `json:"message"`
		Actions []struct {
			Title string `json:"title"`
		} `json:"actions"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		problems = append(problems, err.Error())
	}
	seen := map[string]bool{}
	for _, a := range p.Actions {
		if a.Title == "" || seen[a.Title] {
			problems = append(problems, fmt.Sprintf("the button %q is empty or there twice", a.Title))
		}
		seen[a.Title] = true
		buttons = append(buttons, a.Title)
	}
	if len(buttons) > 5 {
		problems = append(problems, fmt.Sprintf("%d buttons, at most 5", len(buttons)))
	}
	if strings.ContainsAny(p.Message, "\n\r") {
		problems = append(problems, "its title has more than one line")
	}
	return p.Message, buttons, problems
}
