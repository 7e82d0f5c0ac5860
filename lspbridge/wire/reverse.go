package wire

import (
	"encoding/json"
)

// ToolCallParams of companion/tool/call.
type ToolCallParams struct {
	ThreadID      string          `json:"threadId"`
	TurnID        string          `json:"turnId"`
	CallID        string          `json:"callId"`
	Namespace     string          `json:"namespace,omitempty"`
	Name          string          `json:"name"`
	Arguments     json.RawMessage `json:"arguments" type:"object"`
	DeadlineMs    int64           `json:"deadlineMs" desc:"from now"`
	ProgressToken string          `json:"progressToken"`
}

// ToolCallResult answers it.
type ToolCallResult struct {
	Content           []Content       `json:"content"`
	IsError           bool            `json:"isError,omitempty"`
	StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
	Changed           []string        `json:"changed,omitempty" desc:"URIs of files that the call changed"`
}

// Content is one part of a result.
type Content struct {
	Type     string `json:"type" desc:"text, image or resource"`
	Text     string `json:"text,omitempty"`
	MimeType string `json:"mimeType,omitempty"`
	Data     string `json:"data,omitempty" desc:"base64"`
	URI      string `json:"uri,omitempty"`
	Range    *Range `json:"range,omitempty"`
}

// ToolProgress is the value of $/progress on a ToolCallParams.ProgressToken.
type ToolProgress struct {
	Message string   `json:"message,omitempty"`
	Done    *float64 `json:"done,omitempty"`
	Total   *float64 `json:"total,omitempty"`
}

// ApprovalResult answers companion/approval/request.
type ApprovalResult struct {
	OptionID  string          `json:"optionId"`
	Arguments json.RawMessage `json:"arguments,omitempty" desc:"changed by the person, when editable"`
	Feedback  string          `json:"feedback,omitempty" desc:"words for the model"`
}

// QuestionParams of companion/question/ask.
type QuestionParams struct {
	ThreadID  string     `json:"threadId"`
	TurnID    string     `json:"turnId"`
	CallID    string     `json:"callId"`
	Questions []Question `json:"questions"`
}

// Question is one question.
type Question struct {
	ID         string           `json:"id"`
	Header     string           `json:"header"`
	Question   string           `json:"question"`
	Options    []QuestionOption `json:"options,omitempty"`
	Multi      bool             `json:"multi,omitempty"`
	AllowOther bool             `json:"allowOther,omitempty"`
	Secret     bool             `json:"secret,omitempty"`
}

// QuestionOption is one answer to choose.
type QuestionOption struct {
	Label       string `json:"label"`
	Description string `json:"description"`
}

// QuestionResult answers companion/question/ask.
type QuestionResult struct {
	Answers map[string][]string `json:"answers" desc:"by the question's id"`
}

// DiagnosticsParams of companion/diagnostics/await.
type DiagnosticsParams struct {
	URIs          []string         `json:"uris"`
	Since         map[string]int32 `json:"since" desc:"the version after the edit, by URI"`
	IncludeOthers bool             `json:"includeOthers,omitempty"`
	MinSeverity   int              `json:"minSeverity,omitempty"`
	SettleMs      int64            `json:"settleMs"`
	TimeoutMs     int64            `json:"timeoutMs" desc:"0 = what is known now"`
}

// DiagnosticsResult answers it.
type DiagnosticsResult struct {
	Items []DiagnosticsItem `json:"items"`
}

// DiagnosticsItem are the diagnostics of one file.
type DiagnosticsItem struct {
	URI         string            `json:"uri"`
	Version     *int32            `json:"version,omitempty"`
	Freshness   string            `json:"freshness" enum:"fresh|settled|stale|timeout"`
	Method      string            `json:"method,omitempty" enum:"pull|sync|versioned|barrier|event"`
	QuietMs     int64             `json:"quietMs,omitempty"`
	Sources     []string          `json:"sources,omitempty" need:"true"`
	Diagnostics []json.RawMessage `json:"diagnostics"`
}

// EditParams of companion/edit/apply.
type EditParams struct {
	URI      string     `json:"uri"`
	Version  *int32     `json:"version,omitempty"`
	BaseHash string     `json:"baseHash"`
	Edits    []TextEdit `json:"edits"`
	Create   bool       `json:"create,omitempty"`
	Delete   bool       `json:"delete,omitempty"`
	RenameTo string     `json:"renameTo,omitempty" desc:"URI"`
	Save     bool       `json:"save,omitempty"`
	Label    string     `json:"label"`
}

// EditResult answers it.
type EditResult struct {
	Applied *bool  `json:"applied"`
	Version *int32 `json:"version,omitempty"`
	Hash    string `json:"hash,omitempty" desc:"sha256: of the text as last synced"`
	Saved   bool   `json:"saved,omitempty"`
	Reason  string `json:"reason,omitempty" desc:"versionMismatch, readOnly, notFound, notOpen, rejected, conflict, unsupported or modified"`
}

// LanguageParams of companion/language/request.
type LanguageParams struct {
	Method string          `json:"method" desc:"one that the handshake offers"`
	Params json.RawMessage `json:"params"`
}

// ModelCallParams of companion/model/call.
type ModelCallParams struct {
	RequestID          string         `json:"requestId"`
	Model              string         `json:"model" desc:"without editor/"`
	Messages           []ModelMessage `json:"messages"`
	Tools              []ModelTool    `json:"tools"`
	Options            ModelOptions   `json:"options"`
	PartialResultToken string         `json:"partialResultToken"`
}

// ModelMessage is one message of the talk.
type ModelMessage struct {
	Role    string      `json:"role" desc:"system, user or assistant"`
	Content []ModelPart `json:"content"`
}

// ModelPart is a part of a message: text, image, call or result.
type ModelPart struct {
	Type      string          `json:"type" desc:"text, image, call or result"`
	Text      string          `json:"text,omitempty"`
	MimeType  string          `json:"mimeType,omitempty"`
	Data      string          `json:"data,omitempty" desc:"base64"`
	ID        string          `json:"id,omitempty" desc:"of a call, also in its result"`
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty" type:"object"`
	Content   []Content       `json:"content,omitempty" desc:"of a result"`
	IsError   bool            `json:"isError,omitempty"`
}

// ModelTool is what the model is told of a tool.
type ModelTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema" type:"object"`
}

// ModelOptions of a request; zero = the model's own.
type ModelOptions struct {
	MaxOutputTokens int    `json:"maxOutputTokens,omitempty"`
	Effort          string `json:"effort,omitempty"`
}

// ModelCallResult answers it, after all parts.
type ModelCallResult struct {
	Stop  string      `json:"stop" enum:"end|tools|length|error"`
	Usage *ModelUsage `json:"usage,omitempty"`
	Error string      `json:"error,omitempty"`
}

// ModelUsage in tokens.
type ModelUsage struct {
	InputTokens  int `json:"inputTokens,omitempty"`
	CachedTokens int `json:"cachedTokens,omitempty"`
	OutputTokens int `json:"outputTokens,omitempty"`
}

// SecretParams of companion/secret/get.
type SecretParams struct {
	Provider string `json:"provider"`
}

// SecretResult answers it.
type SecretResult struct {
	Value string `json:"value,omitempty"`
}

// FilesChanged of companion/files/didChange.
type FilesChanged struct {
	Changes []FileEvent `json:"changes"`
}

// FileEvent is LSP's: type 1 created, 2 changed, 3 deleted.
type FileEvent struct {
	URI  string `json:"uri"`
	Type int    `json:"type"`
}
