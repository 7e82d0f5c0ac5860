package openai

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"net/http"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/responses"

	"companion/agent/model"
)

// Name is the provider's name in settings and in Item.RawFor.
const Name = "openai"

// defaultBaseURL is the SDK's own (option.WithEnvironmentProduction), given
// explicitly so that OPENAI_BASE_URL cannot replace it.
const defaultBaseURL = "https://api.openai.com/v1/"

// Options of a Provider.
type Options struct {
	APIKey     string // required
	BaseURL    string // "" = OpenAI's; up to and with /v1
	Headers    map[string]string
	HTTPClient *http.Client // nil = a new one on http.DefaultTransport
}

// Provider speaks to OpenAI.
type Provider struct {
	service responses.ResponseService
	secrets []string
}

// New makes a Provider. Errors: *model.Error of kind auth without a key, of
// kind request for a base URL that is none.
func New(o Options) (*Provider, error) {
	if o.APIKey == "" {
		return nil, &model.Error{Kind: model.ErrAuth, Provider: Name, Text: "no API key; set one for this provider"}
	}
	base := cmp.Or(o.BaseURL, defaultBaseURL)
	if err := model.CheckBaseURL(Name, base); err != nil {
		return nil, err
	}
	secrets := model.Secrets(o.APIKey, o.Headers)
	opts := []option.RequestOption{
		option.WithBaseURL(base),
		option.WithAPIKey(o.APIKey),
		option.WithHTTPClient(model.Client(o.HTTPClient, Name, secrets)),
		option.WithMaxRetries(0),
	}
	for k, v := range o.Headers {
		opts = append(opts, option.WithHeader(k, v))
	}
	return &Provider{service: responses.NewResponseService(opts...), secrets: secrets}, nil
}

// Name implements model.Provider.
func (p *Provider) Name() string { return Name }

// Stream implements model.Provider.
func (p *Provider) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		e := model.NewEmitter(yield)
		params, ok := model.Begin(ctx, e, Name, func() (responses.ResponseNewParams, error) { return project(req) })
		if !ok {
			return
		}
		s := newReading(e, req, p.secrets)
		stream := p.service.NewStreaming(ctx, params)
		defer stream.Close()
		events, open := model.Pump(e, stream, s.event)
		if !open {
			return
		}
		var said *ssestream.StreamError
		switch err := stream.Err(); {
		case errors.As(err, &said):
			e.Fail(model.Refusal(Name, 0, nil, said.Event.Data, p.secrets))
		case err != nil:
			e.Fail(model.StreamError(ctx, Name, err, p.secrets))
		default:
			e.Fail(model.CutStream(ctx, Name, events))
		}
	}
}
