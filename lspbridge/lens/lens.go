package lens

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"companion/changes"
	"companion/lspbridge/rpc"
	"companion/lspbridge/wire"
)

// Handler answers textDocument/codeLens.
type Handler struct {
	// Pending are the pending hunks of a document, without waiting.
	Pending func(uri string) []changes.Hunk
	// Ask sends workspace/codeLens/refresh and waits for its answer; nil for a
	// client that cannot.
	Ask func()
	// Spawn runs a function on an owned goroutine.
	Spawn func(func())

	mu             sync.Mutex
	running, again bool
}

// Lens is LSP's CodeLens.
type Lens struct {
	Range   wire.Range `json:"range"`
	Command Command    `json:"command"`
}

// Command is LSP's.
type Command struct {
	Title     string     `json:"title"`
	Command   string     `json:"command"`
	Arguments []Argument `json:"arguments"`
}

// Argument of companion.keep and undo (HunkIDs) and diff (HunkID).
type Argument struct {
	ThreadID string   `json:"threadId"`
	URI      string   `json:"uri"`
	HunkIDs  []string `json:"hunkIds,omitempty"`
	HunkID   string   `json:"hunkId,omitempty"`
}

// List handles textDocument/codeLens.
func (h *Handler) List(_ context.Context, r *rpc.Request) (any, error) {
	var p struct {
		TextDocument struct {
			URI string `json:"uri"`
		} `json:"textDocument"`
	}
	if err := rpc.Decode(r.Params, "", &p); err != nil {
		return nil, err
	}
	id := p.TextDocument.URI
	if id == "" {
		return nil, rpc.BadParam("textDocument.uri", "missing")
	}
	out := []Lens{}
	hunks := slices.Clone(h.Pending(id))
	slices.SortStableFunc(hunks, func(a, b changes.Hunk) int {
		return cmp.Compare(a.NewRange.Start.Line, b.NewRange.Start.Line)
	})
	for _, x := range hunks {
		// At the start of a line, where every encoding counts alike.
		at := wire.Position{Line: x.NewRange.Start.Line}
		several := Argument{ThreadID: x.Thread, URI: id, HunkIDs: []string{x.ID}}
		one := Argument{ThreadID: x.Thread, URI: id, HunkID: x.ID}
		for _, c := range []Command{
			{"Keep", "companion.keep", []Argument{several}},
			{"Undo", "companion.undo", []Argument{several}},
			{"Diff", "companion.diff", []Argument{one}},
		} {
			out = append(out, Lens{wire.Range{Start: at, End: at}, c})
		}
	}
	return out, nil
}

// Refresh makes the client ask again. It does not wait.
func (h *Handler) Refresh() {
	if h.Ask == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.running {
		h.again = true
		return
	}
	h.running = true
	h.Spawn(h.run)
}

func (h *Handler) run() {
	for {
		h.Ask()
		h.mu.Lock()
		if !h.again {
			h.running = false
			h.mu.Unlock()
			return
		}
		h.again = false
		h.mu.Unlock()
	}
}
