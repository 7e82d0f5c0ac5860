package editortest_test

import (
	"os"
	"path/filepath"
	"testing"
)

// zoo is each bad editor and the scenario or test that shows it.
func zoo() map[string]string {
	return map[string]string{
		"never answers a tool call":        "scenarios/tier1_tool_never_answers.txtar",
		"never answers an edit":            "scenarios/editor_never_answers.txtar",
		"answers a tool call twice":        "scenarios/tier1_tool_twice.txtar",
		"answers an edit twice":            "scenarios/editor_answers_twice.txtar",
		"clicks twice":                     "scenarios/approval_answered_twice.txtar",
		"answers after the cancel":         "scenarios/tier1_stop_tool.txtar",
		"edits after the cancel":           "scenarios/editor_applies_after_the_stop.txtar",
		"clicks after the cancel":          "scenarios/late_click_is_dropped.txtar",
		"wrong id type":                    "scenarios/tier1_tool_wrong_id.txtar",
		"wrong shape of a tool's result":   "scenarios/tier1_tool_wrong_shape.txtar",
		"wrong shape of an approval":       "scenarios/tier1_approval_wrong.txtar",
		"wrong shape of an edit's answer":  "scenarios/editor_answers_with_a_wrong_shape.txtar",
		"null where an object is expected": "scenarios/tier1_tool_null.txtar",
		"dies in the middle of a call":     "scenarios/tier1_editor_dies.txtar",
		"closes stdin":                     "scenarios/editor_crashes.txtar",
		"lies about applied":               "scenarios/editor_lies.txtar",
		"applies something else":           "scenarios/editor_applies_something_else.txtar",
		"floods":                           "scenarios/tier1_tool_flood.txtar",
		"huge message":                     "scenarios/tier1_tool_huge.txtar",
		"lone surrogates":                  "scenarios/tier1_tool_lone_surrogates.txtar",
		"drops versions":                   "scenarios/editor_knows_no_versions.txtar",
		"ignores versions":                 "scenarios/editor_ignores_versions.txtar",
		"range past the end":               "scenarios/tier1_bad_ranges.txtar",
		"start after the end":              "scenarios/tier1_bad_ranges.txtar",
		"change of what was never opened":  "scenarios/tier1_bad_ranges.txtar",
		"tools twice":                      "scenarios/tier1_tools_twice.txtar",
		"no message requests":              "scenarios/approval_without_message_requests.txtar",
		"shows no progress":                "scenarios/editor_shows_no_progress.txtar",
		"rejects every edit":               "scenarios/editor_rejects_the_edit.txtar",
		"applyEdit always true":            "scenarios/editor_lies.txtar",
		"no lenses":                        "scenarios/editor_knows_no_lenses.txtar",
		"no applyEdit":                     "scenarios/editor_cannot_apply_dirty.txtar",
	}
}

func TestTheZooOfBadEditorsIsShown(t *testing.T) {
	if n := len(zoo()); n < 15 {
		t.Errorf("%d animals, at least 15", n)
	}
	for animal, file := range zoo() {
		if _, err := os.Stat(filepath.Join("../../testdata", file)); err != nil {
			t.Errorf("%s: %v", animal, err)
		}
	}
}
