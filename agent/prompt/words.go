package prompt

import (
	"errors"
	"fmt"

	"companion/agent/model"
)

// ModelError words what a provider reported.
func ModelError(modelID string, window int, err error) error {
	var e *model.Error
	if errors.As(err, &e) && e.Kind == model.ErrContext {
		return fmt.Errorf("the thread is too long for %s (window %d tokens): compact it, start a new thread, or choose a model with a larger window (%w)",
			modelID, window, err)
	}
	return err
}

// Refusal words that a model refused.
func Refusal(modelID, detail string) error {
	if detail == "" {
		return fmt.Errorf("%s refused to answer", modelID)
	}
	return fmt.Errorf("%s refused to answer: %s", modelID, detail)
}
