package config

import "encoding/json"

// Settings is all that a person can set. The json tag is the key below
// "companion."; enum lists the values that are taken; doc is one sentence for
// docs/settings.md; def the default as shown there.
type Settings struct {
	Model       string              `json:"model" def:"offline/quickfix" doc:"The model, as provider/model."`
	Mode        string              `json:"mode" enum:"ask,plan,edit,agent,full" def:"agent" doc:"How much a new thread may do."`
	MaxSteps    int                 `json:"maxSteps" min:"1" def:"100" doc:"Most requests to the model in one turn."`
	MaxTokens   int                 `json:"maxTokens" min:"0" def:"0" doc:"Most tokens in one turn: what was sent and not cached, and what was answered; 0 sets no limit."`
	CompactAt   int                 `json:"compactAt" min:"10" max:"95" def:"80" doc:"Share of the model's context window, in percent, at which a thread is shortened by itself."`
	Providers   map[string]Provider `json:"providers" doc:"Where a provider is and which key it takes, by name: openai, anthropic, gemini, compatible."`
	Models      map[string]Card     `json:"models" doc:"What a model can do, by provider/model."`
	Permissions Permissions         `json:"permissions" doc:"Rules that allow, ask or deny."`
	Tools       Tools               `json:"tools" doc:"Which tools there are."`
	LSP         map[string]Server   `json:"lsp" doc:"Language servers that companion runs itself, by name."`
	MCP         MCP                 `json:"mcp" doc:"MCP servers (kept for a later release)."`
	Hooks       json.RawMessage     `json:"hooks" doc:"Hooks (kept for a later release)."`
	Prompts     map[string]string   `json:"prompts" doc:"Prompts that Edit with Companion offers, by title."`
	Edits       Edits               `json:"edits" doc:"How edits land."`
	Answers     string              `json:"answers" enum:"document,message,log" def:"document" doc:"How the answer of ask and explain is shown by an editor without the plug-in."`
	Diagnostics Diagnostics         `json:"diagnostics" doc:"What is told about problems after an edit."`
	Sandbox     json.RawMessage     `json:"sandbox" doc:"Sandbox (kept for a later release)."`
}

// Provider is where and how to reach one.
type Provider struct {
	BaseURL   string            `json:"baseUrl" doc:"Base URL as the vendor's SDK takes it."`
	APIKeyEnv string            `json:"apiKeyEnv" doc:"Name of the environment variable that holds the key."`
	Headers   map[string]string `json:"headers" doc:"Further HTTP headers."`
}

// Card overrides what is known of a model.
type Card struct {
	EditTool      string `json:"editTool" enum:"edit,apply_patch" doc:"The edit tool that it is shown; the other is not, where both are there."`
	ToolSearch    *bool  `json:"toolSearch" doc:"Whether it is given a search for tools instead of a long list of them."`
	LateTools     *bool  `json:"lateTools" doc:"Whether its service takes definitions of tools in the middle of a thread (tool_search, tool references); without it, what is found joins the list."`
	Namespaces    *bool  `json:"namespaces" doc:"Whether its service takes namespaces of tools; without it, names are flat."`
	Freeform      *bool  `json:"freeform" doc:"Whether its service takes tools of free text with a grammar; without it, they are functions."`
	WebSearch     *bool  `json:"webSearch" doc:"Whether the vendor's search of the web is offered. It costs, and what is searched for leaves the machine; so it is off unless set."`
	Images        *bool  `json:"images" doc:"Whether it sees images."`
	ParallelCalls *bool  `json:"parallelCalls" doc:"Whether it may call several tools in one step."`
	Reasoning     string `json:"reasoning" enum:"none,low,medium,high" doc:"Reasoning effort where a turn asks for none."`
	ContextWindow int    `json:"contextWindow" min:"1" doc:"Context window in tokens."`
	MaxOutput     int    `json:"maxOutput" min:"1" doc:"Most tokens of one answer."`
}

// Permissions hold the rules.
type Permissions struct {
	Rules []Rule `json:"rules" doc:"List of {effect or tool, pattern, action, reason}; a deny anywhere wins, else the last match, else ask."`
}

// Rule is one line of the policy.
type Rule struct {
	Effect  string `json:"effect" enum:"read,write,command,network,external,escalate" doc:"The effect that is judged."`
	Tool    string `json:"tool" doc:"A tool by name, alias or namespace, or a glob of one; a deny with nothing more hides it."`
	Pattern string `json:"pattern" doc:"Path glob, command words (a last * stands for any more) or host glob."`
	Action  string `json:"action" enum:"allow,ask,deny" doc:"What to do."`
	Reason  string `json:"reason" doc:"Told to the model."`
}

// Tools sets which tools there are.
type Tools struct {
	TrustedOwners []string `json:"trustedOwners" doc:"Owners of editor tools whose annotations are believed."`
	StrictNames   bool     `json:"strictNames" def:"false" doc:"Make a clash of tool names an error."`
	OmitFrom      []string `json:"omitFrom" doc:"Tools that stay out of the model's list, by name, alias or namespace; a search finds them, and a call of one runs."`
	Disabled      []string `json:"disabled" doc:"Tools that may not be called, by name, alias or namespace."`
	Direct        []string `json:"direct" doc:"Tools that stay in the model's list, by name, alias or namespace, where others of their kind have to be searched for."`
}

// Server overrides or adds a language server.
type Server struct {
	Command               string            `json:"command" doc:"The program."`
	Args                  []string          `json:"args" doc:"Its arguments."`
	Env                   map[string]string `json:"env" doc:"Further environment variables."`
	InitializationOptions json.RawMessage   `json:"initializationOptions" doc:"Given to it at initialize."`
	Settings              json.RawMessage   `json:"settings" doc:"Answered to its workspace/configuration."`
	RootMarkers           []string          `json:"rootMarkers" doc:"Files that mark its root folder."`
	Extensions            []string          `json:"extensions" doc:"File endings that it serves, with the dot."`
	Disabled              bool              `json:"disabled" def:"false" doc:"Do not run it."`
	Limits                Limits            `json:"limits" doc:"How long to wait for it."`
}

// Limits of waiting for one language server, in milliseconds; 0 = adaptive.
type Limits struct {
	StartMs int `json:"startMs" min:"0" doc:"Most ms for its initialize answer."`
	SoftMs  int `json:"softMs" min:"0" doc:"Soft bound of the wait after an edit, ms."`
	HardMs  int `json:"hardMs" min:"0" doc:"Hard bound of the wait after an edit, ms."`
}

// MCP holds servers.
type MCP struct {
	Servers map[string]json.RawMessage `json:"servers" doc:"By name."`
}

// Edits sets how edits land.
type Edits struct {
	Save string `json:"save" enum:"ifWasClean,always,never" def:"ifWasClean" doc:"Whether an edited file is saved."`
}

// Diagnostics sets what is told after an edit.
type Diagnostics struct {
	Mode        string `json:"mode" enum:"on,off" def:"on" doc:"Whether edits wait for diagnostics."`
	Source      string `json:"source" enum:"auto,editor,own" def:"auto" doc:"Whose language servers are asked for diagnostics: companion's own, those of the editor where it lends them (companion's own where it does not), or auto, both."`
	MinSeverity string `json:"minSeverity" enum:"error,warning,info,hint" def:"warning" doc:"The least severity that the model is told of; of milder problems it is told how many are new."`
}

// Default is what holds where no layer says otherwise.
func Default() Settings {
	return Settings{
		Mode: "agent", MaxSteps: 100, CompactAt: 80, Answers: "document",
		Edits:       Edits{Save: "ifWasClean"},
		Diagnostics: Diagnostics{Mode: "on", Source: "auto", MinSeverity: "warning"},
	}
}
