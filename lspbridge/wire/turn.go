package wire

// TurnStartParams of companion/turn/start.
type TurnStartParams struct {
	ThreadID    string       `json:"threadId,omitempty" desc:"absent = a new thread"`
	Input       []Input      `json:"input"`
	Mode        string       `json:"mode,omitempty" enum:"ask|plan|edit|agent|full"`
	Model       string       `json:"model,omitempty"`
	Effort      string       `json:"effort,omitempty" enum:"low|medium|high"`
	EditorState *EditorState `json:"editorState,omitempty"`
	IfBusy      string       `json:"ifBusy,omitempty" enum:"reject|queue|steer"`
}

// TurnID names a turn.
type TurnID struct {
	ThreadID string `json:"threadId"`
	TurnID   string `json:"turnId"`
}

// TurnSteerParams of companion/turn/steer.
type TurnSteerParams struct {
	ThreadID string  `json:"threadId"`
	TurnID   string  `json:"turnId"`
	Input    []Input `json:"input"`
}

// TurnSteerResult of companion/turn/steer.
type TurnSteerResult struct {
	Accepted bool `json:"accepted"`
}

// TurnCompactResult of companion/turn/compact, in tokens.
type TurnCompactResult struct {
	Before int `json:"before"`
	After  int `json:"after"`
}

// EditorStateParams of companion/editor/didChangeState.
type EditorStateParams struct {
	EditorState EditorState `json:"editorState"`
}
