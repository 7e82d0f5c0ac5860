package wire

// NoParams of requests without any.
type NoParams struct{}

// ModelList is the result of companion/models/list.
type ModelList struct {
	Models []Model `json:"models"`
	// Default is the model of a thread that names none.
	Default string `json:"default"`
}

// Model is one line of the list of models.
type Model struct {
	ID              string `json:"id" desc:"provider/model"`
	Title           string `json:"title,omitempty"`
	Source          string `json:"source" desc:"settings, editor or builtin"`
	Available       bool   `json:"available"`
	Reason          string `json:"reason,omitempty" desc:"why it is not available, and what to do"`
	ContextWindow   int    `json:"contextWindow,omitempty" desc:"tokens"`
	MaxOutputTokens int    `json:"maxOutputTokens,omitempty"`
	Images          bool   `json:"images"`
}

// LentModel is a model that the editor lends, named editor/ID.
type LentModel struct {
	ID             string `json:"id"`
	Title          string `json:"title,omitempty"`
	MaxInputTokens int    `json:"maxInputTokens,omitempty"`
	Tools          bool   `json:"tools,omitempty" desc:"it can call tools"`
	Images         bool   `json:"images,omitempty"`
}

// ModelsRegisterParams of companion/models/register.
type ModelsRegisterParams struct {
	Models []LentModel `json:"models"`
}

// MCPList is the result of companion/mcp/list.
type MCPList struct {
	Servers []MCPServer `json:"servers"`
}

// MCPServer is one server of MCP.
type MCPServer struct {
	Name  string `json:"name"`
	State string `json:"state"`
	Error string `json:"error,omitempty"`
}

// MCPReconnectParams of companion/mcp/reconnect.
type MCPReconnectParams struct {
	Server string `json:"server"`
}

// Status is the result of companion/status.
type Status struct {
	Version string         `json:"version"`
	Model   string         `json:"model"`
	Mode    string         `json:"mode"`
	Roots   []string       `json:"roots" desc:"URIs"`
	Running int            `json:"running" desc:"turns"`
	Servers []ServerStatus `json:"servers" desc:"language servers that companion runs"`
	Sandbox *Sandbox       `json:"sandbox,omitempty"`
	Memory  Memory         `json:"memory"`
	Missing []string       `json:"missing,omitempty" desc:"what this editor cannot do, in words"`
}

// ServerStatus is how one language server is.
type ServerStatus struct {
	Name    string `json:"name"`
	Root    string `json:"root" desc:"URI"`
	State   string `json:"state" desc:"starting, ready, restarting or broken"`
	Version string `json:"version,omitempty"`
	Starts  int    `json:"starts"`
	Open    int    `json:"open" desc:"files that it holds"`
	Error   string `json:"error,omitempty"`
}

// Sandbox tells how commands are held in.
type Sandbox struct {
	Kind   string `json:"kind"`
	Reason string `json:"reason,omitempty"`
}

// Memory of the process, in bytes.
type Memory struct {
	HeapBytes uint64 `json:"heapBytes"`
	SysBytes  uint64 `json:"sysBytes"`
}

// TrustParams of companion/workspace/didChangeTrust.
type TrustParams struct {
	Folders []FolderTrust `json:"folders"`
}

// FolderTrust is what the user thinks of a folder.
type FolderTrust struct {
	URI     string `json:"uri"`
	Trusted bool   `json:"trusted"`
}
