package model

import "strings"

// DefaultModel is the model that a provider is asked for when the settings name
// none, and where the name comes from. A provider without one (compatible: its
// endpoint decides; offline: it has no model) gives two empty strings.
//
// No model was tried against its service; each name is the one that the
// vendor's SDK itself holds up for such work.
func DefaultModel(provider string) (name, source string) {
	switch provider {
	case "openai":
		return "gpt-6-astra", "openai-go v3.99.0, shared.ChatModelGPT6Astra, the example in the doc of responses.ResponseNewParams.Model"
	case "anthropic":
		return "claude-sonnet-5-5", "anthropic-sdk-go v2.15.0, ModelClaudeSonnet5_5: \"efficient model for coding and agents\""
	case "gemini":
		return "gemini-3.8-flash", "genai v1.77.0, interactions.ModelGemini38Flash: \"engineered for long-horizon software engineering, autonomous agents\""
	}
	return "", ""
}

// ContextWindow is how many tokens of input a model takes, by "provider/model";
// 0 = not known. The numbers are the least of the model's family in the
// vendor's documentation and were not tried: too small a number costs an early
// compaction, too large a one a refused request. Settings override them.
func ContextWindow(name string) int {
	for _, w := range []struct {
		prefix string
		tokens int
	}{
		{"openai/gpt-6", 272_000},
		{"openai/gpt-5", 272_000}, // 400,000 with 128,000 of output
		{"openai/gpt-4.1", 1_000_000},
		{"openai/gpt-4", 128_000},
		{"openai/o", 200_000},
		{"anthropic/claude-", 200_000},
		{"gemini/gemini-", 1_000_000}, // genai v1.77.0, interactions.ModelGemini25Flash: "1M token context window"
	} {
		if strings.HasPrefix(name, w.prefix) {
			return w.tokens
		}
	}
	return 0
}
