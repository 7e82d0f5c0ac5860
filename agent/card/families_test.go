package card_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"companion/agent/card"
)

func TestCardsByTheLongestPrefix(t *testing.T) {
	for name, want := range map[string]struct {
		window             int
		edit               string
		search, late, free bool
	}{
		"anthropic/claude-sonnet-5-5":          {1_000_000, "edit", true, true, false},
		"anthropic/claude-haiku-4-5-20251001":  {200_000, "edit", true, true, false},
		"anthropic/claude-3-haiku":             {200_000, "edit", false, false, false},
		"openai/gpt-6-astra":                   {272_000, "apply_patch", true, true, true},
		"openai/gpt-5.4-mini-2026-03-17":       {272_000, "apply_patch", true, true, true},
		"openai/gpt-5.2-pro":                   {272_000, "apply_patch", true, false, true},
		"openai/gpt-5-mini":                    {272_000, "apply_patch", true, false, true},
		"openai/gpt-4.1-nano":                  {1_000_000, "edit", true, false, false},
		"openai/gpt-4o":                        {128_000, "edit", true, false, false},
		"openai/o4-mini":                       {200_000, "edit", true, false, false},
		"gemini/gemini-3.8-flash":              {1_000_000, "edit", true, false, false},
		"gemini/gemini-1.5-pro":                {1_000_000, "edit", true, false, false},
		"compatible/qwen3-coder":               {32_000, "edit", true, false, false},
		"compatible/gpt-6-astra":               {32_000, "edit", true, false, false},
		"openai/organisation-model":            {32_000, "edit", true, false, false},
		"anthropic/unheard":                    {32_000, "edit", true, false, false},
		"editor/copilot":                       {32_000, "edit", true, false, false},
		"anthropic.claude-sonnet-5-5@bedrock":  {32_000, "edit", true, false, false},
		"ANTHROPIC/CLAUDE-SONNET-5-5":          {32_000, "edit", true, false, false},
		"anthropic/claude-opus-9-unknown-2030": {200_000, "edit", false, false, false},
	} {
		c := card.Of(name)
		if c.ID != name || c.ContextWindow != want.window || c.EditTool != want.edit || c.ToolSearch != want.search || c.Late != want.late || c.Freeform != want.free {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func TestTheTableIsSound(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range card.Families() {
		c := f.Card
		if seen[f.Prefix] || c.ID != "" || f.Source == "" || !strings.Contains(f.Prefix, "/") {
			t.Errorf("%s: %+v", f.Prefix, f)
		}
		seen[f.Prefix] = true
		if c.ContextWindow < 32_000 || c.MaxOutput >= c.ContextWindow || c.Late && !c.ToolSearch || c.WebSearch || c.Offline {
			t.Errorf("%s: %+v", f.Prefix, c)
		}
		if c.EditTool == "apply_patch" && !c.Freeform {
			t.Errorf("%s patches and takes no grammar", f.Prefix)
		}
	}
}

var update = flag.Bool("update", false, "rewrite the table in docs/models.md")

func TestTheDocumentHasTheTable(t *testing.T) {
	const path, begin, end = "../../docs/models.md", "<!-- generated: go test ./agent/card -update -->\n", "<!-- end -->"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(data), begin)
	_, foot, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s lacks its marks", path)
	}
	want := head + begin + table() + end + foot
	if want == strings.ReplaceAll(string(data), "\r\n", "\n") {
		return
	}
	if !*update {
		t.Fatalf("%s is out of step: run go test ./agent/card -update", path)
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func table() string {
	var b strings.Builder
	b.WriteString("| model | window | most output | edit tool | search | late | namespaces | grammars | images | reasoning | web search | source of window and output |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	yes := func(is bool) string {
		if is {
			return "yes"
		}
		return ""
	}
	for _, f := range card.Families() {
		c, output := f.Card, "vendor's"
		if c.MaxOutput > 0 {
			output = fmt.Sprint(c.MaxOutput)
		}
		fmt.Fprintf(&b, "| `%s…` | %d | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", f.Prefix, c.ContextWindow, output, c.EditTool,
			yes(c.ToolSearch), yes(c.Late), yes(c.Namespaces), yes(c.Freeform), yes(c.Images), yes(c.Reasoning), yes(f.Searches), f.Source)
	}
	return b.String()
}
