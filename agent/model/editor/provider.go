package editor

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"strings"

	"companion/agent/model"
	"companion/agent/model/subset"
)

const name = "editor"

// Provider speaks to the editor's models.
type Provider struct {
	caller Caller
	models *Models
}

// New makes the provider of "editor/…".
func New(c Caller, lent *Models) *Provider { return &Provider{c, lent} }

// Name implements model.Provider.
func (*Provider) Name() string { return name }

// Stream implements model.Provider.
func (p *Provider) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		r := reading{Emitter: model.NewEmitter(yield), names: model.NewToolNames(req), ids: model.NewIDs(req.Items)}
		m, ok := p.models.Find(req.Model)
		if !ok {
			r.Fail(&model.Error{
				Kind: model.ErrRequest, Provider: name,
				Text: fmt.Sprintf("the editor does not lend a model %q any more; choose another model", req.Model),
			})
			return
		}
		for ev, err := range p.caller.CallModel(ctx, project(req, m)) {
			if !r.take(ctx, ev, err) {
				return
			}
		}
		switch {
		case !r.Open():
		case ctx.Err() != nil:
			r.Fail(ctx.Err())
		default:
			r.flush(true)
			r.Fail(&model.Error{Kind: model.ErrStreamCut, Provider: name, Text: "the editor's answer ended before its end; try again"})
		}
	}
}

// reading is one answer on its way.
type reading struct {
	*model.Emitter
	names model.ToolNames
	ids   *model.IDs
	id    string // of the message that is coming
	text  strings.Builder
}

// take reads one event; false ends the stream.
func (r *reading) take(ctx context.Context, ev Event, err error) bool {
	switch {
	case err != nil:
		r.fail(ctx, err)
	case ev.Part != nil:
		r.part(*ev.Part)
	case ev.End != nil:
		r.end(*ev.End)
	}
	return r.Open()
}

func (r *reading) fail(ctx context.Context, err error) {
	var known *model.Error
	if ctx.Err() == nil && !errors.As(err, &known) {
		err = &model.Error{Kind: model.ErrRequest, Provider: name, Text: err.Error(), Err: err}
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	r.Fail(err)
}

func (r *reading) part(p Part) {
	switch p.Type {
	case Text:
		if r.id == "" {
			r.id = r.ids.Take("", "msg")
		}
		r.text.WriteString(p.Text)
		r.Delta(model.TextDelta, r.id, p.Text)
	case Call:
		if p.Name == "" {
			r.Fail(&model.Error{Kind: model.ErrProtocol, Provider: name, Text: "the editor sent a call without a name"})
			return
		}
		r.flush(false)
		id := r.ids.Take(p.ID, "call")
		tool, args := r.names.Tool("", p.Name), string(p.Arguments)
		if tool.IsFreeform() {
			args = model.FreeformInput(args)
		}
		r.Item(model.Item{Kind: model.ToolCall, ID: id, CallID: id, Name: tool.Name, Namespace: tool.Namespace, Arguments: args})
	default: // of a later version of the protocol
	}
}

// flush yields the message that came so far.
func (r *reading) flush(incomplete bool) {
	if r.text.Len() == 0 || !r.Open() {
		return
	}
	r.Item(model.Item{Kind: model.Message, ID: r.id, Role: model.Assistant, Text: r.text.String(), Incomplete: incomplete})
	r.id = ""
	r.text.Reset()
}

func (r *reading) end(e End) {
	r.flush(e.Stop == "length" || e.Stop == "error")
	if e.Usage != nil {
		r.Usage(*e.Usage)
	}
	switch e.Stop {
	case "end", "tools":
		r.Done(name, model.Stop(e.Stop), "")
	case "length":
		r.Done(name, model.StopLength, "")
	case "error":
		text := e.Error
		if text == "" {
			text = "the editor's model failed and the editor does not say why"
		}
		r.Fail(&model.Error{Kind: model.ErrRequest, Provider: name, Text: text})
	default:
		r.Fail(&model.Error{Kind: model.ErrProtocol, Provider: name, Text: fmt.Sprintf("the editor ended its answer with the unknown stop %q", e.Stop)})
	}
}

// project puts a request into messages; neighbours of one role are joined.
func project(req model.Request, m Model) Request {
	out := Request{ID: "m" + strings.ToLower(rand.Text()[:12]), Model: m.ID, Options: req.Options, Messages: []Message{}, Tools: []Tool{}}
	req.Takes = model.Takes{}
	names := model.NewToolNames(req)
	if m.Tools {
		for _, t := range model.Functions(model.Telling(req).Listed) {
			out.Tools = append(out.Tools, Tool{names.Flat(t.Namespace, t.Name), t.Description, subset.Of(subset.Plain, t.Parameters)})
		}
	}
	if req.System != "" {
		out.say(System, Part{Type: Text, Text: req.System})
	}
	for _, it := range req.Items {
		if it.Hosted {
			continue
		}
		switch it.Kind {
		case model.Message:
			out.message(it, m)
		case model.ToolCall:
			args := model.CallArguments(names.Of(it.Namespace, it.Name), it)
			out.say(Assistant, Part{Type: Call, ID: model.WireCallID(it.CallID), Name: names.Flat(it.Namespace, it.Name), Arguments: args})
		case model.ToolReply:
			if !m.Images {
				it.Images = nil
			}
			out.say(User, Part{
				Type: Result, ID: model.WireCallID(it.CallID), IsError: it.IsError,
				Content: append([]Part{{Type: Text, Text: model.ResultText(it)}}, images(it, m)...),
			})
		}
	}
	return out
}

func (r *Request) message(it model.Item, m Model) {
	role := User
	switch it.Role {
	case model.Assistant:
		role = Assistant
	case model.Developer:
		it.Text = "<developer>\n" + it.Text + "\n</developer>"
	}
	if strings.TrimSpace(it.Text) != "" {
		r.say(role, Part{Type: Text, Text: it.Text})
	}
	if list := images(it, m); len(list) > 0 {
		r.say(role, list...)
	}
}

func images(it model.Item, m Model) []Part {
	if !m.Images {
		return nil
	}
	var out []Part
	for _, im := range it.Images {
		out = append(out, Part{Type: Image, MimeType: im.MimeType, Data: im.Data})
	}
	return out
}

func (r *Request) say(role Role, parts ...Part) {
	if n := len(r.Messages); n > 0 && r.Messages[n-1].Role == role {
		r.Messages[n-1].Content = append(r.Messages[n-1].Content, parts...)
		return
	}
	r.Messages = append(r.Messages, Message{role, parts})
}
