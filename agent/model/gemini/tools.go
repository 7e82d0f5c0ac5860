package gemini

import (
	"encoding/json"
	"strings"

	"google.golang.org/genai"

	"companion/agent/model"
	"companion/agent/model/subset"
)

// maxToolName is the longest name of a function (genai v1.77.0,
// FunctionDeclaration.Name).
const maxToolName = 128

// mostFunctions is how many declarations a request may have [known].
const mostFunctions = 512

// webSearch is our name of googleSearch.
const webSearch = "web_search"

func namesOf(req model.Request) model.ToolNames { return model.NewToolNamesIn(req, maxToolName) }

type toolSet struct {
	FunctionDeclarations []declaration `json:"functionDeclarations,omitempty"`
	GoogleSearch         *struct{}     `json:"googleSearch,omitempty"`
}

type declaration struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"parametersJsonSchema"`
}

// toolsOf are the functions and, where the model takes it beside them, the
// search of the service.
func toolsOf(req model.Request) []toolSet {
	listed := model.Telling(req).Listed
	names := namesOf(req)
	var set toolSet
	for _, t := range model.Functions(listed) {
		if len(set.FunctionDeclarations) == mostFunctions {
			break
		}
		set.FunctionDeclarations = append(set.FunctionDeclarations, declaration{names.Flat(t.Namespace, t.Name), t.Description, subset.Of(subset.Gemini, t.Parameters)})
	}
	var out []toolSet
	if set.FunctionDeclarations != nil {
		out = append(out, set)
	}
	for _, t := range listed {
		if t.Hosted == webSearch && (out == nil || mixes(req.Model)) {
			out = append(out, toolSet{GoogleSearch: &struct{}{}})
		}
	}
	return out
}

// mixes tells whether a model takes googleSearch beside functions: from Gemini
// 3 on [known].
func mixes(name string) bool { return third(name) }

func third(name string) bool {
	return !strings.HasPrefix(name, "gemini-1") && !strings.HasPrefix(name, "gemini-2")
}

// toolConfig has calls held to their schemas by the service.
func toolConfig(tools []toolSet) *genai.ToolConfig {
	c := &genai.ToolConfig{}
	if tools[0].FunctionDeclarations != nil {
		c.FunctionCallingConfig = &genai.FunctionCallingConfig{Mode: genai.FunctionCallingConfigModeValidated}
		if len(tools) > 1 {
			c.IncludeServerSideToolInvocations = genai.Ptr(true)
		}
	}
	return c
}

// Budgets of thinking in tokens, for models before levels; ours.
var budgets = map[string]int32{"none": 0, "low": 1_024, "medium": 8_192, "high": 24_576}

// think asks for an effort.
func think(c *genai.GenerateContentConfig, req model.Request) {
	effort := req.Options.Effort
	if effort == "" {
		return
	}
	budget, known := budgets[effort]
	switch {
	case known && strings.HasPrefix(req.Model, "gemini-2"):
		c.ThinkingConfig = &genai.ThinkingConfig{IncludeThoughts: budget > 0, ThinkingBudget: &budget}
	case effort == "none":
		c.ThinkingConfig = &genai.ThinkingConfig{ThinkingLevel: genai.ThinkingLevelMinimal}
	default:
		c.ThinkingConfig = &genai.ThinkingConfig{IncludeThoughts: true, ThinkingLevel: genai.ThinkingLevel(strings.ToUpper(effort))}
	}
}
