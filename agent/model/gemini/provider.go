package gemini

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"strings"

	"google.golang.org/genai"

	"companion/agent/model"
)

// Name is the provider's name in settings and in Item.RawFor.
const Name = "gemini"

// defaultBaseURL is the SDK's own (NewInternalAPIClient), given explicitly so
// that GOOGLE_GEMINI_BASE_URL cannot replace it; the version likewise.
const (
	defaultBaseURL = "https://generativelanguage.googleapis.com/"
	apiVersion     = "v1beta"
)

// Options of a Provider.
type Options struct {
	APIKey     string // required
	BaseURL    string // "" = Google's; with or without /v1beta
	Headers    map[string]string
	HTTPClient *http.Client // nil = a new one on http.DefaultTransport
}

// Provider speaks to Gemini.
type Provider struct {
	config  genai.ClientConfig
	http    *http.Client
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
	base = strings.TrimSuffix(strings.TrimSuffix(base, "/"), "/"+apiVersion)
	headers := http.Header{}
	for k, v := range o.Headers {
		headers.Set(k, v)
	}
	secrets := model.Secrets(o.APIKey, o.Headers)
	return &Provider{
		http:    model.Client(o.HTTPClient, Name, secrets),
		secrets: secrets,
		config: genai.ClientConfig{
			APIKey: o.APIKey, Backend: genai.BackendGeminiAPI,
			HTTPOptions: genai.HTTPOptions{BaseURL: base, APIVersion: apiVersion, Headers: headers},
		},
	}, nil
}

// Name implements model.Provider.
func (p *Provider) Name() string { return Name }

// Stream implements model.Provider.
func (p *Provider) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		e := model.NewEmitter(yield)
		config, ok := model.Begin(ctx, e, Name, func() (*genai.GenerateContentConfig, error) { return project(req) })
		if !ok {
			return
		}
		lines := &tee{}
		client, err := p.client(ctx, lines)
		if err != nil {
			e.Fail(&model.Error{Kind: model.ErrRequest, Provider: Name, Text: model.Redact(err.Error(), p.secrets...)})
			return
		}
		r := newReading(e, req)
		events := 0
		var broke error
		for _, err := range client.Models.GenerateContentStream(ctx, req.Model, nil, config) {
			raw := lines.next()
			if err != nil {
				broke = err
				break
			}
			events++
			if r.chunk(raw); !e.Open() {
				return
			}
		}
		p.finish(ctx, r, events, cmp.Or(lines.failed, broke))
	}
}

// client is made for one stream: its transport copies the stream's lines.
func (p *Provider) client(ctx context.Context, lines *tee) (*genai.Client, error) {
	config := p.config
	config.HTTPOptions.Headers = p.config.HTTPOptions.Headers.Clone()
	own := *p.http
	own.Transport = lines.over(p.http.Transport)
	config.HTTPClient = &own
	return genai.NewClient(ctx, &config)
}

func (p *Provider) finish(ctx context.Context, r *reading, events int, err error) {
	var said genai.APIError
	switch {
	case errors.As(err, &said):
		body, _ := json.Marshal(map[string]any{"error": said})
		r.e.Fail(model.Refusal(Name, said.Code, nil, body, p.secrets))
	case err != nil:
		r.e.Fail(model.StreamError(ctx, Name, err, p.secrets))
	case r.finish == "" && r.blocked == "" || ctx.Err() != nil:
		r.e.Fail(model.CutStream(ctx, Name, events))
	default:
		r.end()
	}
}
