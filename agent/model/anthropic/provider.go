package anthropic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"companion/agent/model"
)

// Name is the provider's name in settings and in Item.RawFor.
const Name = "anthropic"

// defaultBaseURL is the SDK's own (option.WithEnvironmentProduction), given
// explicitly so that ANTHROPIC_BASE_URL cannot replace it.
const defaultBaseURL = "https://api.anthropic.com/"

// Options of a Provider.
type Options struct {
	APIKey     string // required
	BaseURL    string // "" = Anthropic's; without /v1
	Headers    map[string]string
	HTTPClient *http.Client // nil = a new one on http.DefaultTransport
	// Version is the anthropic-version header, for gateways of an older one
	// ("2023-06-01"); "" = the SDK's. With it, fields of newer versions (strict
	// tools, unbuffered arguments) are not sent.
	Version string
	// XAPIKey sends the key as X-Api-Key instead of Authorization: Bearer.
	XAPIKey bool
}

// Provider speaks to Anthropic.
type Provider struct {
	service sdk.MessageService
	secrets []string
	old     bool
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
		option.WithoutEnvironmentDefaults(),
		option.WithBaseURL(base),
		option.WithHTTPClient(model.Client(o.HTTPClient, Name, secrets)),
		option.WithMaxRetries(0),
		option.WithoutOpenTelemetry(),
	}
	if o.XAPIKey {
		opts = append(opts, option.WithHeader("X-Api-Key", o.APIKey))
	} else {
		opts = append(opts, option.WithAPIKey(o.APIKey))
	}
	if o.Version != "" {
		opts = append(opts, option.WithHeader("anthropic-version", o.Version))
	}
	for k, v := range o.Headers {
		opts = append(opts, option.WithHeader(k, v))
	}
	return &Provider{service: sdk.NewMessageService(opts...), secrets: secrets, old: o.Version != ""}, nil
}

// Name implements model.Provider.
func (p *Provider) Name() string { return Name }

// Stream implements model.Provider.
func (p *Provider) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		e := model.NewEmitter(yield)
		var dropped untyped
		opts := []option.RequestOption{dropped.watch()}
		params, ok := model.Begin(ctx, e, Name, func() (sdk.MessageNewParams, error) {
			params, beta, err := project(req, p.old)
			if beta {
				opts = append(opts, option.WithHeaderAdd("anthropic-beta", inlineTools))
			}
			return params, err
		})
		if !ok {
			return
		}
		r := newReading(e, req)
		stream := p.service.NewStreaming(ctx, params, opts...)
		defer stream.Close()
		events, open := model.Pump(e, stream, r.event)
		if !open {
			return
		}
		var said *sdk.Error
		switch err := stream.Err(); {
		case errors.As(err, &said):
			e.Fail(model.Refusal(Name, 0, nil, []byte(said.RawJSON()), p.secrets))
		case err != nil:
			e.Fail(model.StreamError(ctx, Name, err, p.secrets))
		case dropped.first != "":
			e.Fail(model.StreamError(ctx, Name, fmt.Errorf("data without an event line: %s", dropped.first), p.secrets))
		default:
			e.Fail(model.CutStream(ctx, Name, events))
		}
	}
}
