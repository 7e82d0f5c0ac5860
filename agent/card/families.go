package card

import "strings"

// Family is what is known of models whose names begin alike.
type Family struct {
	// Prefix of "provider/model". The longest that fits a name counts; where two
	// are equally long, there is a mistake in the table.
	Prefix string
	Card   Card // without its ID
	// Searches: the vendor can search the web for it.
	Searches bool
	// Source is where window and limits come from, and when it was read.
	// "assumed" stands where nobody publishes them: those of the family's least.
	Source string
}

// Where figures were read; what the SDKs name but do not size is assumed.
const (
	readClaude = "Anthropic's models page as quoted publicly, 2026-05-09: 1,000,000 and 64,000 to 128,000 from Sonnet 4.6 and Opus 4.7 on, 200,000 and 64,000 for 4.5"
	readGPT    = "AI gateways' model pages, 2026-07: 1,050,000 with 128,000 of output; 272,000 are used, since a longer prompt costs twice as much"
	readGPT5   = "OpenAI's models page, 2025-08: 400,000 with 128,000 of output"
	readGemini = "genai v1.77.0, interactions.ModelGemini25Flash: \"1M token context window\""
	assumed    = "assumed: the least of the vendor's current models"
)

// Families is the table, the vendors' newest models first. The names are those
// of anthropic-sdk-go v2.15.0, openai-go v3.99.0 and genai v1.77.0.
func Families() []Family {
	claude := Card{
		ContextWindow: 200_000, MaxOutput: 64_000, ParallelCalls: true, Images: true,
		EditTool: "edit", ToolSearch: true, Late: true, Reasoning: true,
	}
	long := claude
	long.ContextWindow = 1_000_000
	oldClaude := claude
	oldClaude.MaxOutput, oldClaude.ToolSearch, oldClaude.Late = 0, false, false

	gpt := Card{
		ContextWindow: 272_000, ParallelCalls: true, Images: true, EditTool: "apply_patch",
		ToolSearch: true, Namespaces: true, Freeform: true, Late: true, Reasoning: true,
	}
	gpt5 := gpt // before 5.4: no tool_search, no namespaces, no additional tools
	gpt5.Namespaces, gpt5.Late = false, false
	chat := Card{ContextWindow: 128_000, ParallelCalls: true, Images: true, EditTool: "edit", ToolSearch: true}
	gpt41 := chat
	gpt41.ContextWindow = 1_000_000
	oSeries := chat
	oSeries.ContextWindow, oSeries.Reasoning = 200_000, true

	gemini := Card{ContextWindow: 1_000_000, ParallelCalls: true, Images: true, EditTool: "edit", ToolSearch: true, Reasoning: true}
	oldGemini := gemini
	oldGemini.Reasoning = false

	return []Family{
		{"anthropic/claude-fable-5", long, true, readClaude},
		{"anthropic/claude-mythos-5", long, true, assumed},
		{"anthropic/claude-opus-5", long, true, assumed},
		{"anthropic/claude-sonnet-5", long, true, assumed},
		{"anthropic/claude-haiku-5", claude, true, assumed},
		{"anthropic/claude-opus-4-8", long, true, assumed},
		{"anthropic/claude-opus-4-7", long, true, readClaude},
		{"anthropic/claude-opus-4-6", claude, true, assumed},
		{"anthropic/claude-sonnet-4-6", long, true, readClaude},
		{"anthropic/claude-opus-4-5", claude, true, readClaude},
		{"anthropic/claude-sonnet-4-5", claude, true, readClaude},
		{"anthropic/claude-haiku-4-5", claude, true, readClaude},
		{"anthropic/claude-", oldClaude, false, assumed},

		{"openai/gpt-6", gpt, true, assumed},
		{"openai/gpt-5.6", gpt, true, readGPT},
		{"openai/gpt-5.5", gpt, true, assumed},
		{"openai/gpt-5.4", gpt, true, readGPT},
		{"openai/gpt-5", gpt5, true, readGPT5},
		{"openai/gpt-4.1", gpt41, true, readGPT5},
		{"openai/gpt-4", chat, false, readGPT5},
		{"openai/o1", oSeries, false, readGPT5},
		{"openai/o3", oSeries, false, readGPT5},
		{"openai/o4", oSeries, false, readGPT5},

		{"gemini/gemini-3", gemini, true, "assumed: as of 2.5"},
		{"gemini/gemini-2.5", gemini, true, readGemini},
		{"gemini/gemini-", oldGemini, false, assumed},
	}
}

// Safe is the card of a model that nobody knows, a local one mostly: what every
// server takes. Its window is ours, small enough for a server that was started
// without a thought of it. A search for tools is a call as any other, and a small
// window needs it most. An effort that somebody asks for is passed on.
func Safe() Card {
	return Card{ContextWindow: 32_000, ParallelCalls: true, EditTool: "edit", ToolSearch: true, Reasoning: true}
}

// Of is what is known of "provider/model".
func Of(name string) Card {
	c, longest := Safe(), 0
	for _, f := range Families() {
		if strings.HasPrefix(name, f.Prefix) && len(f.Prefix) > longest {
			c, longest = f.Card, len(f.Prefix)
		}
	}
	c.ID = name
	return c
}
