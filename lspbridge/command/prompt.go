package command

import (
	"encoding/json"
	"fmt"
	"strings"

	"companion/lspbridge/action"
	"companion/lspbridge/rpc"
)

// maxTitle bounds a thread's title, in bytes.
const maxTitle = 60

// describe renders LSP diagnostics as "line:column message", 1-based.
func describe(list json.RawMessage) ([]string, error) {
	var raw []json.RawMessage
	if err := rpc.Decode(list, "arguments[0].diagnostics", &raw); err != nil {
		return nil, err
	}
	out := make([]string, 0, len(raw))
	for i, d := range raw {
		p, err := action.ParseProblem(d)
		if err != nil {
			return nil, rpc.BadParam(fmt.Sprintf("arguments[0].diagnostics[%d]", i), "%v", err)
		}
		out = append(out, fmt.Sprintf("%d:%d %s", p.Range.Start.Line+1, p.Range.Start.Character+1, strings.TrimSpace(p.Message)))
	}
	return out, nil
}

// within keeps the diagnostics that touch the range; none = all.
func within(list []json.RawMessage, at json.RawMessage) []json.RawMessage {
	var r action.Range
	if len(at) == 0 || json.Unmarshal(at, &r) != nil {
		return list
	}
	out := make([]json.RawMessage, 0, len(list))
	for _, d := range list {
		if p, err := action.ParseProblem(d); err == nil && p.Touches(r) {
			out = append(out, d)
		}
	}
	return out
}

func fixPrompt(rel string, messages []string) string {
	if len(messages) == 0 {
		return fmt.Sprintf("Find the problems that the language server reports in %s and fix them.", rel)
	}
	return fmt.Sprintf("Fix these diagnostics in %s:\n- %s", rel, strings.Join(messages, "\n- "))
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// oneLine makes a title of a prompt.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= maxTitle {
		return s
	}
	n := maxTitle
	for n > 0 && s[n]&0xC0 == 0x80 { // inside a rune
		n--
	}
	return s[:n] + "…"
}
