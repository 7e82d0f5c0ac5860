package wire

import (
	"encoding/json"
)

// ThreadStartParams of companion/thread/start.
type ThreadStartParams struct {
	Cwd   string `json:"cwd,omitempty" desc:"file URI of the working folder; absent = the first workspace folder"`
	Title string `json:"title,omitempty"`
	Mode  string `json:"mode,omitempty" enum:"ask|plan|edit|agent|full"`
	Model string `json:"model,omitempty" desc:"provider/model"`
}

// ThreadID names a thread.
type ThreadID struct {
	ThreadID string `json:"threadId"`
}

// ThreadListParams of companion/thread/list.
type ThreadListParams struct {
	Cwd    string `json:"cwd,omitempty" desc:"file URI: threads of this folder only"`
	Query  string `json:"query,omitempty" desc:"words of the title"`
	Limit  int    `json:"limit,omitempty"`
	Cursor string `json:"cursor,omitempty"`
}

// ThreadListResult of companion/thread/list.
type ThreadListResult struct {
	Threads []Thread `json:"threads"`
	Cursor  string   `json:"cursor,omitempty" desc:"for the next page"`
}

// ThreadReadParams of companion/thread/read.
type ThreadReadParams struct {
	ThreadID string `json:"threadId"`
	SinceSeq int64  `json:"sinceSeq,omitempty" desc:"exclusive"`
	Limit    int    `json:"limit,omitempty" desc:"of events"`
}

// ThreadReadResult of companion/thread/read.
type ThreadReadResult struct {
	Thread  Thread            `json:"thread"`
	Events  []json.RawMessage `json:"events" type:"Event[]"`
	Live    map[string]string `json:"live" desc:"text so far by item id"`
	NextSeq int64             `json:"nextSeq,omitempty" desc:"the next sinceSeq, when there is more"`
}

// ThreadForkParams of companion/thread/fork.
type ThreadForkParams struct {
	ThreadID string `json:"threadId"`
	AtTurnID string `json:"atTurnId,omitempty" desc:"the last turn of the copy"`
}

// ThreadRenameParams of companion/thread/rename.
type ThreadRenameParams struct {
	ThreadID string `json:"threadId"`
	Title    string `json:"title"`
}
