package editor

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"companion/agent/model"
	lent "companion/agent/model/editor"
	"companion/lspbridge/rpc"
	"companion/lspbridge/wire"
)

// modelSilence is how long a model of the editor may say nothing at all; a long
// answer may take as long as it likes.
const modelSilence = 5 * time.Minute

// parts is an unbounded queue from the connection to the reader of a stream.
type parts struct {
	mu   sync.Mutex
	list []json.RawMessage
	more chan struct{} // holds one
}

func (p *parts) add(v json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, bytes.Clone(v))
	select {
	case p.more <- struct{}{}:
	default:
	}
}

func (p *parts) take() []json.RawMessage {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.list
	p.list = nil
	return l
}

// CallModel implements agent/model/editor.Caller by companion/model/call.
func (e *Editor) CallModel(ctx context.Context, req lent.Request) iter.Seq2[lent.Event, error] {
	return func(yield func(lent.Event, error) bool) {
		call, cancel := context.WithCancel(ctx)
		defer cancel() // withdraws the request when the reader stops
		s := &answer{e: e, yield: yield, queue: &parts{more: make(chan struct{}, 1)}}
		if err := s.run(ctx, call, req); err != nil && !s.over {
			yield(lent.Event{}, err)
		}
	}
}

// answer is what one request brings.
type answer struct {
	e     *Editor
	yield func(lent.Event, error) bool
	queue *parts
	over  bool // the reader wants no more
}

func (s *answer) run(ctx, call context.Context, req lent.Request) error {
	token := s.e.token("model")
	defer s.e.expect(token, s.queue.add)()
	type reply struct {
		result wire.ModelCallResult
		err    error
	}
	done := make(chan reply, 1)
	s.e.spawn(func() {
		r, err := ask[wire.ModelCallResult](call, s.e, s.e.Client.Companion.Models, "companion/model/call", modelParams(req, token), 0)
		done <- reply{r, err}
	})
	silence := time.NewTimer(modelSilence)
	defer silence.Stop()
	for {
		select {
		case <-s.queue.more:
			silence.Reset(modelSilence)
			if err := s.drain(); err != nil {
				return err
			}
		case <-silence.C:
			return fmt.Errorf("%w: companion/model/call, nothing for %v", ErrTimeout, modelSilence)
		case <-ctx.Done():
			return ctx.Err()
		case r := <-done:
			if err := s.drain(); err != nil { // all parts are sent before the result
				return err
			}
			if r.err != nil {
				return modelError(r.err)
			}
			s.tell(lent.Event{End: end(r.result)})
			return nil
		}
		if s.over {
			return nil
		}
	}
}

// modelError leaves of an editor's error its words.
func modelError(err error) error {
	var fault *rpc.Error
	if errors.As(err, &fault) {
		return errors.New(fault.Message)
	}
	return err
}

func (s *answer) tell(ev lent.Event) {
	if !s.over && !s.yield(ev, nil) {
		s.over = true
	}
}

// drain yields the parts that have come; one that cannot be read ends the
// answer, for without it the rest would say something else.
func (s *answer) drain() error {
	for _, raw := range s.queue.take() {
		var p wire.ModelPart
		if err := json.Unmarshal(raw, &p); err != nil {
			return fmt.Errorf("%w: a part of the model's answer: %w", ErrShape, err)
		}
		part := &lent.Part{Type: lent.PartType(p.Type), Text: p.Text, ID: p.ID, Name: p.Name, Arguments: p.Arguments}
		switch part.Type {
		case lent.Text:
		case lent.Call:
			if p.Name == "" {
				return fmt.Errorf("%w: a call of the model without a name", ErrShape)
			}
		default:
			continue // of tomorrow
		}
		s.tell(lent.Event{Part: part})
	}
	return nil
}

func end(r wire.ModelCallResult) *lent.End {
	out := &lent.End{Stop: r.Stop, Error: r.Error}
	if u := r.Usage; u != nil {
		out.Usage = &model.Usage{Input: u.InputTokens, Cached: u.CachedTokens, Output: u.OutputTokens}
	}
	return out
}

// modelParams gives the wire form of a request.
func modelParams(req lent.Request, token string) wire.ModelCallParams {
	p := wire.ModelCallParams{
		RequestID: req.ID, Model: req.Model, Messages: make([]wire.ModelMessage, 0, len(req.Messages)), Tools: make([]wire.ModelTool, 0, len(req.Tools)),
		Options: wire.ModelOptions{MaxOutputTokens: req.Options.MaxOutput, Effort: req.Options.Effort}, PartialResultToken: token,
	}
	for _, m := range req.Messages {
		x := wire.ModelMessage{Role: string(m.Role), Content: make([]wire.ModelPart, 0, len(m.Content))}
		for _, c := range m.Content {
			x.Content = append(x.Content, modelPart(c))
		}
		p.Messages = append(p.Messages, x)
	}
	for _, t := range req.Tools {
		p.Tools = append(p.Tools, wire.ModelTool{Name: t.Name, Description: t.Description, InputSchema: t.Input})
	}
	return p
}

func modelPart(c lent.Part) wire.ModelPart {
	out := wire.ModelPart{
		Type: string(c.Type), Text: c.Text, MimeType: c.MimeType, ID: c.ID, Name: c.Name, Arguments: c.Arguments, IsError: c.IsError,
		Data: base64.StdEncoding.EncodeToString(c.Data),
	}
	for _, r := range c.Content {
		out.Content = append(out.Content, wire.Content{
			Type: string(r.Type), Text: r.Text, MimeType: r.MimeType, Data: base64.StdEncoding.EncodeToString(r.Data),
		})
	}
	return out
}
