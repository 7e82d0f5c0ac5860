package compatible

import (
	"context"
	"errors"
	"iter"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"companion/agent/model"
)

// Name is the provider's name in settings and in Item.RawFor.
const Name = "compatible"

// Options of a Provider.
type Options struct {
	APIKey     string // "" = none is sent: most local servers want none
	BaseURL    string // required; up to what stands before /chat/completions
	Headers    map[string]string
	HTTPClient *http.Client // nil = a new one on http.DefaultTransport
}

// Provider speaks to one endpoint.
type Provider struct {
	service openai.ChatCompletionService
	secrets []string
}

// New makes a Provider. Errors: *model.Error of kind request without a base URL
// or for one that is none.
func New(o Options) (*Provider, error) {
	if o.BaseURL == "" {
		return nil, &model.Error{Kind: model.ErrRequest, Provider: Name, Text: "no base URL; set the endpoint's, for example http://127.0.0.1:11434/v1"}
	}
	if err := model.CheckBaseURL(Name, o.BaseURL); err != nil {
		return nil, err
	}
	secrets := model.Secrets(o.APIKey, o.Headers)
	opts := []option.RequestOption{
		option.WithBaseURL(o.BaseURL),
		option.WithHTTPClient(model.Client(o.HTTPClient, Name, secrets)),
		option.WithMaxRetries(0),
	}
	if o.APIKey != "" {
		opts = append(opts, option.WithAPIKey(o.APIKey))
	}
	for k, v := range o.Headers {
		opts = append(opts, option.WithHeader(k, v))
	}
	return &Provider{service: openai.NewChatCompletionService(opts...), secrets: secrets}, nil
}

// Name implements model.Provider.
func (p *Provider) Name() string { return Name }

// Stream implements model.Provider.
func (p *Provider) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		e := model.NewEmitter(yield)
		params, ok := model.Begin(ctx, e, Name, func() (openai.ChatCompletionNewParams, error) { return project(req) })
		if !ok {
			return
		}
		r := newReading(e, req)
		stream := p.service.NewStreaming(ctx, params)
		defer stream.Close()
		events, open := model.Pump(e, stream, func(c openai.ChatCompletionChunk) { r.chunk([]byte(c.RawJSON())) })
		if !open {
			return
		}
		var said *ssestream.StreamError
		switch err := stream.Err(); {
		case errors.As(err, &said):
			e.Fail(model.Refusal(Name, 0, nil, said.Event.Data, p.secrets))
		case err != nil:
			e.Fail(model.StreamError(ctx, Name, err, p.secrets))
		case r.finish == "" || ctx.Err() != nil:
			e.Fail(model.CutStream(ctx, Name, events))
		default:
			r.end()
		}
	}
}
