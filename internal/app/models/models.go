package models

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"companion/agent"
	"companion/agent/model"
	"companion/agent/model/anthropic"
	"companion/agent/model/compatible"
	lent "companion/agent/model/editor"
	"companion/agent/model/gemini"
	"companion/agent/model/offline"
	"companion/agent/model/openai"
	"companion/agent/model/retry"
	"companion/agent/model/script"
	"companion/config"
)

// vendor is one row of the table of providers.
type vendor struct {
	name    string
	keyEnv  string // the vendor's usual variable
	urlEnv  string
	open    func(v vendor, o opening) (model.Provider, error)
	setting string // what to tell a user who has not set it up
}

// opening is what a provider is made from.
type opening struct {
	key, baseURL string
	headers      map[string]string
}

func vendors() []vendor {
	return []vendor{
		{
			"anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", func(_ vendor, o opening) (model.Provider, error) {
				return provider(anthropic.New(anthropic.Options{APIKey: o.key, BaseURL: o.baseURL, Headers: o.headers}))
			}, "set ANTHROPIC_API_KEY, or companion.providers.anthropic.apiKeyEnv to the name of the variable that holds the key",
		},
		{
			"openai", "OPENAI_API_KEY", "OPENAI_BASE_URL", func(_ vendor, o opening) (model.Provider, error) {
				return provider(openai.New(openai.Options{APIKey: o.key, BaseURL: o.baseURL, Headers: o.headers}))
			}, "set OPENAI_API_KEY, or companion.providers.openai.apiKeyEnv to the name of the variable that holds the key",
		},
		{
			"gemini", "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL", func(_ vendor, o opening) (model.Provider, error) {
				return provider(gemini.New(gemini.Options{APIKey: o.key, BaseURL: o.baseURL, Headers: o.headers}))
			}, "set GEMINI_API_KEY, or companion.providers.gemini.apiKeyEnv to the name of the variable that holds the key",
		},
		{
			"compatible", "COMPANION_COMPATIBLE_API_KEY", "COMPANION_COMPATIBLE_BASE_URL", func(_ vendor, o opening) (model.Provider, error) {
				return provider(compatible.New(compatible.Options{APIKey: o.key, BaseURL: o.baseURL, Headers: o.headers}))
			}, "set COMPANION_COMPATIBLE_BASE_URL or companion.providers.compatible.baseUrl to the server's address, up to and with /v1",
		},
	}
}

// provider turns a constructor's typed result into the interface, nil on error.
func provider[P model.Provider](p P, err error) (model.Provider, error) {
	if err != nil {
		return nil, err
	}
	return retry.New(p, retry.Options{}), nil
}

// Vendor is what a person has to know of a provider.
type Vendor struct{ Name, KeyEnv, URLEnv string }

// Vendors are the providers that take a key.
func Vendors() []Vendor {
	var out []Vendor
	for _, v := range vendors() {
		out = append(out, Vendor{v.name, v.keyEnv, v.urlEnv})
	}
	return out
}

// Secrets asks an editor for the key of a provider, "" = it has none.
type Secrets func(ctx context.Context, provider string) (string, error)

// secretTime is how long an editor may take to give a key: it may ask its user.
const secretTime = time.Minute

// Models finds providers; it implements agent.Models. Providers are made when
// first asked for, so that an unused SDK costs nothing.
type Models struct {
	get func(key string) string
	dir string // working folder, for script files

	mu       sync.Mutex
	settings config.Settings
	made     map[string]model.Provider
	scripts  map[string]*script.Provider

	Lent   lent.Models // what the editor lends
	caller lent.Caller // asks them; nil = headless; set once

	secret Secrets           // nil = headless; set once
	keys   map[string]string // that the editor gave, by provider; "" = it has none
}

// New gives the models that settings and environment name. get looks up an
// environment variable; script files are named from dir.
func New(get func(key string) string, dir string, s config.Settings) *Models {
	return &Models{get: get, dir: dir, settings: s, made: map[string]model.Provider{}, scripts: map[string]*script.Provider{}}
}

// Configure takes new settings; providers are made anew.
func (m *Models) Configure(s config.Settings) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settings = s
	m.made = map[string]model.Provider{}
}

// Standard is the model of a thread that names none.
func (m *Models) Standard() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if name := m.get("COMPANION_MODEL"); name != "" {
		return name
	}
	if m.settings.Model != "" {
		return m.settings.Model
	}
	return "offline/quickfix"
}

// Names are the models to choose from: the standard one, those that settings
// have a card of, one of each provider, and what needs none.
func (m *Models) Names() []string {
	out := []string{m.Standard()}
	m.mu.Lock()
	defer m.mu.Unlock()
	out = append(out, slices.Sorted(maps.Keys(m.settings.Models))...)
	for _, v := range vendors() {
		if id, _ := model.DefaultModel(v.name); id != "" {
			out = append(out, v.name+"/"+id)
		}
	}
	out = append(out, "offline/quickfix")
	seen := map[string]bool{}
	return slices.DeleteFunc(out, func(name string) bool {
		again := seen[name]
		seen[name] = true
		return again
	})
}

// Lend sets who asks the editor, before the first Find.
func (m *Models) Lend(models lent.Caller, keys Secrets) { m.caller, m.secret = models, keys }

// Find implements agent.Models. Where no key is set for a provider, the editor
// is asked for one, once.
func (m *Models) Find(name string) (model.Provider, agent.Card, error) {
	if name == "" {
		name = m.Standard()
	}
	p, card, err := m.Known(name)
	prov, _, _ := strings.Cut(name, "/")
	if err != nil && m.askKey(prov) {
		return m.Known(name)
	}
	return p, card, err
}

// askKey asks the editor for a provider's key and tells whether it gave one.
func (m *Models) askKey(provider string) bool {
	if m.secret == nil || !slices.ContainsFunc(vendors(), func(v vendor) bool { return v.name == provider }) {
		return false
	}
	m.mu.Lock()
	_, asked := m.keys[provider]
	m.mu.Unlock()
	if asked {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), secretTime)
	defer cancel()
	key, err := m.secret(ctx, provider)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.keys == nil {
		m.keys = map[string]string{}
	}
	if err == nil { // else it may do better next time
		m.keys[provider] = key
	}
	return key != ""
}

// Known is Find by what is known now: no editor is asked.
func (m *Models) Known(name string) (model.Provider, agent.Card, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	prov, id, _ := strings.Cut(name, "/")
	switch prov {
	case "offline":
		return offline.New(), agent.Card{ID: "offline/quickfix", Offline: true, ContextWindow: 1 << 20}, nil
	case "script":
		return m.script(id)
	case "editor":
		return m.editors(id)
	}
	for _, v := range vendors() {
		if v.name == prov {
			return m.vendor(v, id)
		}
	}
	return nil, agent.Card{}, fmt.Errorf("%w: %q; a model is named provider/model, and the providers are anthropic, openai, gemini, compatible, editor, offline and script", agent.ErrNoModel, name)
}

func (m *Models) vendor(v vendor, id string) (model.Provider, agent.Card, error) {
	if id == "" {
		id, _ = model.DefaultModel(v.name)
	}
	if id == "" {
		return nil, agent.Card{}, fmt.Errorf("%w: %s has no default model; name one as %s/MODEL in companion.model", agent.ErrNoModel, v.name, v.name)
	}
	card := m.card(v.name + "/" + id)
	if p, ok := m.made[v.name]; ok {
		return p, card, nil
	}
	set := m.settings.Providers[v.name]
	keyEnv := v.keyEnv
	if set.APIKeyEnv != "" {
		keyEnv = set.APIKeyEnv
	}
	o := opening{key: m.get(keyEnv), baseURL: m.get(v.urlEnv), headers: set.Headers}
	if o.key == "" {
		o.key = m.keys[v.name]
	}
	if set.BaseURL != "" {
		o.baseURL = set.BaseURL
	}
	p, err := v.open(v, o)
	if err != nil {
		return nil, card, fmt.Errorf("%w: %s/%s: %v; %s", agent.ErrNoModel, v.name, id, err, v.setting)
	}
	m.made[v.name] = p
	return p, card, nil
}

// editors finds a model that the editor lends now.
func (m *Models) editors(id string) (model.Provider, agent.Card, error) {
	l, ok := m.Lent.Find(id)
	if !ok || m.caller == nil {
		return nil, agent.Card{}, fmt.Errorf("%w: the editor lends no model %q; see companion/models/list", agent.ErrNoModel, id)
	}
	return lent.New(m.caller, &m.Lent), m.lentCard(id, l.Images, l.Window()), nil
}

// script opens the file once: its turns are used up across threads.
func (m *Models) script(file string) (model.Provider, agent.Card, error) {
	if file == "" {
		return nil, agent.Card{}, fmt.Errorf("%w: script/ names no file", agent.ErrNoModel)
	}
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(m.dir, path)
	}
	p, ok := m.scripts[path]
	if !ok {
		var err error
		if p, err = script.Open(path); err != nil {
			return nil, agent.Card{}, fmt.Errorf("%w: script/%s: %w", agent.ErrNoModel, file, err)
		}
		p.Trace(m.get("COMPANION_SCRIPT_TRACE"))
		m.scripts[path] = p
	}
	c := agent.Card{ID: "script/" + file, ParallelCalls: true, Images: true, ToolSearch: true, ContextWindow: 1 << 20}
	override(&c, m.settings.Models[c.ID])
	return p, c, nil
}

// Unused tells of scripted turns that nobody asked for.
func (m *Models) Unused() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var errs []error
	for _, p := range m.scripts {
		errs = append(errs, p.Unused())
	}
	return errors.Join(errs...)
}
