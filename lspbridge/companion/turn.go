package companion

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"companion/agent"
	"companion/lspbridge/rpc"
	"companion/lspbridge/wire"
	"companion/session"
	"companion/text"
	"companion/tools"
)

// maxTitle bounds the title of a turn, in characters.
const maxTitle = 60

func (h *Handlers) turnStart(_ context.Context, r *rpc.Request, p wire.TurnStartParams) (wire.TurnID, error) {
	input, err := h.input(p.Input)
	if err != nil {
		return wire.TurnID{}, err
	}
	o := agent.TurnOptions{
		Thread: p.ThreadID, Input: input, Mode: tools.Mode(p.Mode), ByUser: true, Model: p.Model, Effort: p.Effort,
		IfBusy: p.IfBusy, Title: title(p.Input),
	}
	if p.EditorState != nil {
		s := h.editorState(*p.EditorState)
		o.Editor = &s
	}
	if p.ThreadID == "" {
		h.adopt(p)
		if o.Roots = h.Workspace.Roots(); len(o.Roots) == 0 {
			return wire.TurnID{}, rpc.BadParam("threadId", "missing, and no folder is open to start a thread in")
		}
	} else {
		h.Follow(p.ThreadID, true)
	}
	t, err := h.NewTurn(o)
	if err != nil {
		h.lost(p.ThreadID, err)
		return wire.TurnID{}, err
	}
	h.Started(r, t, o.Title)
	return wire.TurnID{ThreadID: t.ThreadID(), TurnID: t.ID()}, nil
}

// adopt gives a turn without a folder the directory of the first file that it
// is about.
func (h *Handlers) adopt(p wire.TurnStartParams) {
	ids := make([]string, 0, len(p.Input)+1)
	for _, in := range p.Input {
		ids = append(ids, in.URI)
	}
	if p.EditorState != nil && p.EditorState.Active != nil {
		ids = append(ids, p.EditorState.Active.URI)
	}
	for _, id := range ids {
		if f, err := h.Workspace.ResolveURI(id); id != "" && err == nil {
			h.Adopt(f)
			return
		}
	}
}

// title is the first line of what the person wrote.
func title(input []wire.Input) string {
	for _, in := range input {
		if in.Type != "text" {
			continue
		}
		words := []rune(strings.Join(strings.Fields(in.Text), " "))
		if len(words) > maxTitle {
			return string(words[:maxTitle]) + "…"
		}
		return string(words)
	}
	return ""
}

// input checks what each type needs and gives the agent's form.
func (h *Handlers) input(list []wire.Input) ([]session.Input, error) {
	if len(list) == 0 {
		return nil, rpc.BadParam("input", "empty")
	}
	out := make([]session.Input, len(list))
	for i, in := range list {
		at := fmt.Sprintf("input[%d].", i)
		if field := lacks(in); field != "" {
			return nil, rpc.BadParam(at+field, "missing")
		}
		if in.URI != "" {
			if _, err := h.Workspace.ResolveURI(in.URI); err != nil {
				return nil, rpc.BadParam(at+"uri", "%v", err)
			}
		}
		if _, err := base64.StdEncoding.DecodeString(in.Data); err != nil {
			return nil, rpc.BadParam(at+"data", "%v", err)
		}
		x := session.Input{Type: in.Type, Text: in.Text, URI: in.URI, MimeType: in.MimeType, Data: in.Data, Name: in.Name}
		var err error
		if in.Range != nil {
			x.Range, err = json.Marshal(in.Range)
			x.Range = h.ToUTF16(in.URI, x.Range)
		}
		if err == nil && in.Diagnostics != nil {
			x.Diags, err = json.Marshal(in.Diagnostics)
			x.Diags = h.ToUTF16(in.URI, x.Diags)
		}
		if err != nil {
			return nil, rpc.BadParam(at+in.Type, "%v", err)
		}
		out[i] = x
	}
	return out, nil
}

// lacks names a field that the type needs.
func lacks(in wire.Input) string {
	type need struct {
		field string
		have  bool
	}
	needs := map[string][]need{
		"text":        {{"text", in.Text != ""}},
		"selection":   {{"uri", in.URI != ""}, {"range", in.Range != nil}},
		"file":        {{"uri", in.URI != ""}},
		"diagnostics": {{"uri", in.URI != ""}, {"diagnostics", in.Diagnostics != nil}},
		"image":       {{"mimeType", in.MimeType != ""}, {"data", in.Data != ""}},
		"skill":       {{"name", in.Name != ""}},
	}
	for _, n := range needs[in.Type] {
		if !n.have {
			return n.field
		}
	}
	return ""
}

func (h *Handlers) turnSteer(_ context.Context, _ *rpc.Request, p wire.TurnSteerParams) (wire.TurnSteerResult, error) {
	if h.Turns == nil {
		return wire.TurnSteerResult{}, notOffered("companion/turn/steer")
	}
	input, err := h.input(p.Input)
	if err != nil {
		return wire.TurnSteerResult{}, err
	}
	ok, err := h.Turns.Steer(p.ThreadID, p.TurnID, input)
	return wire.TurnSteerResult{Accepted: ok}, err
}

func (h *Handlers) turnStop(ctx context.Context, _ *rpc.Request, p wire.TurnID) (wire.Empty, error) {
	return wire.Empty{}, h.Stop(ctx, p.ThreadID, p.TurnID)
}

func (h *Handlers) turnCompact(ctx context.Context, _ *rpc.Request, p wire.ThreadID) (wire.TurnCompactResult, error) {
	if h.Turns == nil {
		return wire.TurnCompactResult{}, notOffered("companion/turn/compact")
	}
	before, after, err := h.Turns.Compact(ctx, p.ThreadID)
	return wire.TurnCompactResult{Before: before, After: after}, err
}

func (h *Handlers) didChangeState(p wire.EditorStateParams) error {
	if h.Turns != nil {
		h.Turns.SetEditor(h.editorState(p.EditorState))
	}
	return nil
}

// editorState gives the agent's form; what is no file is left out.
func (h *Handlers) editorState(s wire.EditorState) agent.EditorState {
	var out agent.EditorState
	path := func(id string) string {
		f, err := h.Workspace.ResolveURI(id)
		if err != nil {
			return ""
		}
		return f.Path
	}
	if s.Active != nil {
		out.Active = path(s.Active.URI)
		if at := s.Active.Selection; at != nil && out.Active != "" {
			out.Selection = fmt.Sprintf("%d:%d-%d:%d", at.Start.Line+1, at.Start.Character+1, at.End.Line+1, at.End.Character+1)
		}
	}
	for _, t := range s.Tabs {
		if p := path(t.URI); p != "" {
			out.Tabs = append(out.Tabs, agent.Tab{Path: p, IsActive: t.IsActive, IsDirty: t.IsDirty})
		}
	}
	return out
}

// recode converts a range of a document from utf-16.
func (h *Handlers) recode(id string, r text.Range) wire.Range {
	out := wire.EncodeRange(r)
	if h.Encoding == text.UTF16 {
		return out
	}
	raw, err := json.Marshal(out)
	if err != nil || json.Unmarshal(h.FromUTF16(id, raw), &out) != nil {
		return wire.EncodeRange(r)
	}
	return out
}
