package context

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"companion/agent"
	"companion/tools"
	"companion/tools/find"
)

// named is a deferred tool of which only the spec matters.
type named struct{ spec tools.Spec }

func (n named) Spec() tools.Spec { return n.spec }

func (named) Prepare(context.Context, tools.Call) (tools.Action, error) {
	return tools.Action{}, errors.New("not to be run")
}

// seeing is a view of a thread whose next step has the tools deferred, each
// "namespace.name: description".
func seeing(t *testing.T, message string, deferred ...string) agent.ThreadView {
	t.Helper()
	r := tools.NewRegistry()
	for _, d := range deferred {
		full, text, _ := strings.Cut(d, ": ")
		ns, name, ok := strings.Cut(full, ".")
		if !ok {
			ns, name = "", full
		}
		err := r.Add(named{tools.Spec{
			Namespace: ns, Name: name, Description: text, Input: json.RawMessage(`{"type":"object"}`), Exposure: tools.Deferred, Source: tools.Dynamic,
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	return agent.ThreadView{Message: message, Box: r.Box(tools.BoxOptions{Search: true})}
}

func TestEachDeferredNamespaceHasALineOfWhatItsToolsDo(t *testing.T) {
	v := seeing(t, "", "slack.slack_post_message", "slack.slack_list_channels", "slack.slack_list_users", "web.browser_click", "web.browser_type",
		"gh.createIssue", "one.browser_run", "lonely")
	want := `These tools are not in your list; tool_search finds them:
- without a namespace (1 tool): lonely
- gh (1 tool): create
- one (1 tool): browser
- slack (3 tools): list, post
- web (2 tools): click, type`
	if got := section(t, Deferred{}, v); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestLinesOfDeferredNamespacesAreBounded(t *testing.T) {
	var list []string
	for i := range 100 {
		for j := range 60 {
			list = append(list, fmt.Sprintf("space%02d.verb%dé_thing", i, j))
		}
	}
	got := section(t, Deferred{}, seeing(t, "", list...))
	lines := strings.SplitAfter(got, "\n")
	for _, l := range lines {
		if len(l) > groupLine || !utf8.ValidString(l) {
			t.Errorf("a line of %d bytes: %q", len(l), l)
		}
	}
	left := 100 - (len(lines) - 2)
	if len(got) > groupsText || !strings.HasSuffix(got, fmt.Sprintf("(and %d namespaces more)", left)) {
		t.Errorf("%d bytes, %d lines, end with %q", len(got), len(lines), lines[len(lines)-1])
	}
	long := strings.Repeat("n", 64)
	for l := range strings.Lines(section(t, Deferred{}, seeing(t, "", long+"."+long))) {
		if len(l) > groupLine {
			t.Errorf("a line of %d bytes: %q", len(l), l)
		}
	}
}

func TestTheToolsOfAMessageAreNamed(t *testing.T) {
	list := []string{
		"slack.post_message: Posts a message to a Slack channel.", "slack.list_channels: Lists channels.", "gh.create_issue: Opens an issue.",
		"maps.directions: Directions between two addresses.", "sql.query: Runs a query.", "spell: Checks the spelling of a text.",
	}
	for message, want := range map[string]string{
		"Post a message about it to the Slack channel #releases": "The message may be about these, which tool_search finds: slack.post_message, slack.list_channels.",
		"Check the spelling of my text":                          "The message may be about these, which tool_search finds: spell.",
		"Thanks!":                                                "",
		"":                                                       "",
	} {
		if got := section(t, Likely{find.NewCache()}, seeing(t, message, list...)); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}

func TestWithNothingDeferredNothingIsToldOfTools(t *testing.T) {
	for _, v := range []agent.ThreadView{{Message: "post"}, seeing(t, "post")} {
		for _, p := range Tools(find.NewCache()) {
			if got := section(t, p, v); got != "" {
				t.Errorf("%s: %q", p.Name(), got)
			}
		}
	}
}
