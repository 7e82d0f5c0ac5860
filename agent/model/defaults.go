package model

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
