package wire

import (
	"encoding/json"

	"companion/lspbridge/rpc"
	"companion/tools"
)

// ToolSpec is a tool as the editor defines it. The host judges each for itself:
// what is wrong in one rejects that one.
type ToolSpec struct {
	Name         string          `json:"name,omitempty" desc:"^[A-Za-z_][A-Za-z0-9_-]{0,63}$, not mcp…" need:"true"`
	Namespace    string          `json:"namespace,omitempty"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description,omitempty" need:"true"`
	InputSchema  json.RawMessage `json:"inputSchema,omitempty" desc:"JSON Schema of type object" need:"true"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  *Annotations    `json:"annotations,omitempty"`
	Exposure     string          `json:"exposure,omitempty" desc:"direct, deferred or hidden"`
	SearchHint   string          `json:"searchHint,omitempty"`
	Locks        []ToolLock      `json:"locks,omitempty"`
	TimeoutMs    int64           `json:"timeoutMs,omitempty"`
	Approval     string          `json:"approval,omitempty" desc:"never, ask or always"`
	// Bad says what of the definition cannot be read.
	Bad error `json:"-"`
}

// UnmarshalJSON implements json.Unmarshaler: what cannot be read rejects this
// tool, not the batch.
func (s *ToolSpec) UnmarshalJSON(data []byte) error {
	type plain ToolSpec
	if err := rpc.Decode(data, "", (*plain)(s)); err != nil {
		s.Bad = err
	}
	return nil
}

// Annotations are what a definition claims.
type Annotations struct {
	ReadOnly    *bool `json:"readOnly,omitempty"`
	Destructive *bool `json:"destructive,omitempty"`
	Idempotent  *bool `json:"idempotent,omitempty"`
	OpenWorld   *bool `json:"openWorld,omitempty"`
}

// ToolLock is a resource that a call touches.
type ToolLock struct {
	Resource string `json:"resource,omitempty" need:"true"`
	Shared   bool   `json:"shared,omitempty"`
}

// Namespace describes a group of tools.
type Namespace struct {
	Name        string `json:"name,omitempty" need:"true"`
	Description string `json:"description,omitempty"`
}

// ToolsRegisterParams of companion/tools/register.
type ToolsRegisterParams struct {
	Owner      string      `json:"owner"`
	Tools      []ToolSpec  `json:"tools"`
	Namespaces []Namespace `json:"namespaces,omitempty"`
	Replace    bool        `json:"replace,omitempty" desc:"withdraw all else of the owner"`
}

// ToolsRegisterResult of companion/tools/register.
type ToolsRegisterResult struct {
	Registered []string    `json:"registered"`
	Rejected   []Rejection `json:"rejected"`
	Revision   int         `json:"revision"`
}

// Rejection says why a tool was not registered.
type Rejection struct {
	Name    string `json:"name"`
	Code    string `json:"code" desc:"name, schema, reserved, taken, budget or duplicate"`
	Message string `json:"message"`
}

// ToolsUnregisterParams of companion/tools/unregister.
type ToolsUnregisterParams struct {
	Owner string   `json:"owner"`
	Names []string `json:"names" desc:"name or namespace.name"`
}

// ToolsUnregisterResult of companion/tools/unregister.
type ToolsUnregisterResult struct {
	Removed  []string `json:"removed"`
	Unknown  []string `json:"unknown"`
	Revision int      `json:"revision"`
}

// ToolsSetEnabledParams of companion/tools/setEnabled.
type ToolsSetEnabledParams struct {
	Names    []string `json:"names"`
	Enabled  *bool    `json:"enabled"`
	ThreadID string   `json:"threadId,omitempty" desc:"absent = every thread"`
}

// Revision is the count of changes of a list.
type Revision struct {
	Revision int `json:"revision"`
}

// ToolsListParams of companion/tools/list.
type ToolsListParams struct {
	ThreadID string `json:"threadId,omitempty"`
	Model    string `json:"model,omitempty"`
}

// ToolsListResult of companion/tools/list.
type ToolsListResult struct {
	Tools    []ToolInfo `json:"tools"`
	Revision int        `json:"revision"`
}

// ToolInfo is one line of the list of tools.
type ToolInfo struct {
	Name        string          `json:"name"`
	Namespace   string          `json:"namespace,omitempty"`
	Source      tools.Source    `json:"source"`
	Form        tools.Form      `json:"form"`
	Exposure    tools.Exposure  `json:"exposure"`
	Enabled     bool            `json:"enabled"`
	Reason      string          `json:"reason,omitempty" desc:"why it is not enabled"`
	ReadOnly    bool            `json:"readOnly"`
	Owner       string          `json:"owner,omitempty"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema,omitempty"`
}

// ToolsChanged of companion/tools/didChange.
type ToolsChanged = Revision
