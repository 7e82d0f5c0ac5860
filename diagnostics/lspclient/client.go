package lspclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/sourcegraph/conc"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"companion/diagnostics/wire"
)

// Profile says how one kind of server tells diagnostics.
type Profile struct {
	// Pull offers textDocument/diagnostic. Servers change their behaviour when
	// it is offered, so it is set only where pulled answers were measured.
	Pull bool
	// Registers says that the pull provider comes by client/registerCapability
	// after initialized; Await gives it a second.
	Registers bool
	// Tsserver asks semanticDiagnosticsSync by typescript.tsserverRequest.
	Tsserver bool
	// Barrier sends documentSymbol after a change, which ends clangd's debounce.
	Barrier bool
	// Both says that pushed and pulled lists are of different origin
	// (rust-analyzer's own, and cargo's) and count together.
	Both bool
	// Publishes says that the server is known to publish each version of an
	// open file, also one that it was asked about.
	Publishes bool
	// Packaged is the language whose files the server judges only within a
	// package: when it refuses one, what it publishes is no judgement of it.
	Packaged string
	// Burst is the silence that ends the server's publishes after an edit; 0 =
	// 50 ms.
	Burst time.Duration
	// Own and Cross seed the expected latency of an edited file's and of other
	// files' diagnostics.
	Own, Cross time.Duration
}

// What a server is started and talked to with.
type (
	Transport = wire.Transport
	Command   = wire.Command
	Dialer    = wire.Dialer
)

// Config of one server.
type Config struct {
	Name                  string   // "gopls"; goes into Diagnostic.Server
	Roots                 []string // workspace folders, canonical; [0] is the root
	InitializationOptions json.RawMessage
	Settings              json.RawMessage // object that workspace/configuration is answered from
	Profile               Profile
	Language              func(path string) string // LSP language id
	InitTimeout           time.Duration            // 0 = 10 s
	Changed               func(path string)        // a file's diagnostics changed; on the read goroutine
	Log                   *slog.Logger             // nil = discard
}

// Errors of talking to a server.
var (
	// ErrNeverAnswered: the server did not answer initialize in time.
	ErrNeverAnswered = errors.New("never answered initialize")
	// ErrDown: the server ended or the talk with it broke.
	ErrDown = wire.ErrDown
)

// Client is the talk with one server.
type Client struct {
	cfg  Config
	t    *wire.Outbox
	conn *wire.Peer
	wg   conc.WaitGroup
	ctx  context.Context // ends with the client
	stop context.CancelFunc
	once sync.Once
	down chan struct{}

	mu          sync.Mutex
	caps        wire.Capabilities
	initialized time.Time
	version     string // the server's own, "" = not told
	files       map[string]*file
	spelled     map[string]string // path → URI, for documents with their own spelling
	seq         uint64            // of sync and publish events
	changed     uint64            // seq of the last change of any file
	wake        chan struct{}     // closed and renewed when something arrives
	lastSync    time.Time
	lastPush    time.Time
	versioned   bool                               // a publish of an open document carried a version
	published   bool                               // there was a publish at all
	spent       bool                               // somebody waited in vain
	pullers     map[string]string                  // registration → identifier
	watchers    map[string][]wire.Watcher          // registration → globs
	capture     func(params json.RawMessage) error // takes workspace/applyEdit
	own, cross  wire.Latency
}

// Start performs the handshake on t. When it fails the server is killed; the
// error says how it ended.
func Start(ctx context.Context, t Transport, cfg Config) (*Client, error) {
	if cfg.InitTimeout == 0 {
		cfg.InitTimeout = 10 * time.Second
	}
	if cfg.Profile.Burst == 0 {
		cfg.Profile.Burst = 50 * time.Millisecond
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Changed == nil {
		cfg.Changed = func(string) {}
	}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	c := &Client{
		cfg: cfg, t: wire.NewOutbox(t), ctx: life, stop: stop, down: make(chan struct{}),
		files: map[string]*file{}, spelled: map[string]string{}, wake: make(chan struct{}),
		pullers: map[string]string{}, watchers: map[string][]wire.Watcher{},
		versioned: cfg.Profile.Publishes,
		own:       wire.NewLatency(cfg.Profile.Own), cross: wire.NewLatency(cfg.Profile.Cross),
	}
	c.conn = wire.NewPeer(c.t, c.handle, func(err error) { cfg.Log.Warn("talk with a language server", "server", cfg.Name, "err", err) })
	c.wg.Go(c.t.Run)
	c.wg.Go(func() {
		_ = c.conn.Run()
		c.fail()
	})
	if err := c.initialize(ctx); err != nil {
		c.Kill()
		if how := t.Exit(); how != "" {
			err = fmt.Errorf("%w (%s)", err, how)
		}
		return nil, err
	}
	return c, nil
}

func (c *Client) initialize(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.InitTimeout)
	defer cancel()
	params := map[string]any{
		"processId":        os.Getpid(),
		"clientInfo":       map[string]any{"name": "companion"},
		"rootPath":         c.cfg.Roots[0],
		"rootUri":          string(uri.File(c.cfg.Roots[0])),
		"workspaceFolders": c.folders(),
		"capabilities":     wire.ClientCapabilities(c.cfg.Profile.Pull),
	}
	if len(c.cfg.InitializationOptions) > 0 {
		params["initializationOptions"] = c.cfg.InitializationOptions
	}
	var raw json.RawMessage
	if err := c.Request(ctx, protocol.MethodInitialize, params, &raw); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("%s %w within %s", c.cfg.Name, ErrNeverAnswered, c.cfg.InitTimeout)
		}
		return err
	}
	var res struct {
		Capabilities wire.Capabilities `json:"capabilities"`
		ServerInfo   struct {
			Version string `json:"version"`
		} `json:"serverInfo"`
	}
	if err := json.Unmarshal(raw, &res); err != nil {
		return fmt.Errorf("%s: answer to initialize: %w", c.cfg.Name, err)
	}
	c.mu.Lock()
	c.caps, c.version, c.initialized = res.Capabilities, res.ServerInfo.Version, time.Now()
	if id, ok := res.Capabilities.Pull(); ok {
		c.pullers["initialize"] = id
	}
	c.mu.Unlock()
	if err := c.notify(protocol.MethodInitialized, map[string]any{}); err != nil {
		return err
	}
	if len(c.cfg.Settings) > 0 {
		return c.notify(protocol.MethodWorkspaceDidChangeConfiguration, map[string]any{"settings": c.cfg.Settings})
	}
	return nil
}

func (c *Client) folders() []map[string]any {
	var out []map[string]any
	for _, r := range c.cfg.Roots {
		out = append(out, map[string]any{"uri": string(uri.File(r)), "name": filepath.Base(r)})
	}
	return out
}

// Request sends a request and decodes its result, unless result is nil; when
// ctx ends first, the server is told with $/cancelRequest. A dead server gives
// ErrDown.
func (c *Client) Request(ctx context.Context, method string, params any, result *json.RawMessage) error {
	raw, err := c.conn.Call(ctx, method, params)
	switch {
	case err != nil && ctx.Err() != nil:
		return err
	case err != nil:
		return fmt.Errorf("%s: %s: %w", c.cfg.Name, method, err)
	case result != nil:
		*result = wire.OrNull(raw)
	}
	return nil
}

func (c *Client) notify(method string, params any) error {
	if err := c.conn.Notify(method, params); err != nil {
		return fmt.Errorf("%s: %s: %w", c.cfg.Name, method, err)
	}
	return nil
}

// Done is closed once the server is gone.
func (c *Client) Done() <-chan struct{} { return c.down }

// Exit says how the server ended, "" while it lives.
func (c *Client) Exit() string {
	select {
	case <-c.down:
		return c.t.Exit()
	default:
		return ""
	}
}

// Version is the server's own version as it told it.
func (c *Client) Version() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version
}

func (c *Client) fail() {
	c.once.Do(func() {
		c.stop()
		_ = c.t.Close()
		c.t.Kill()
		close(c.down)
		c.mu.Lock()
		c.broadcast()
		c.mu.Unlock()
	})
}

// Kill ends the server at once and waits until it is gone.
func (c *Client) Kill() {
	c.fail()
	c.wg.Wait()
}

// Close asks the server to shut down, for as long as ctx allows, and kills
// what is left of its process group.
func (c *Client) Close(ctx context.Context) {
	select {
	case <-c.down:
	default:
		if c.Request(ctx, protocol.MethodShutdown, nil, nil) == nil {
			_ = c.notify(protocol.MethodExit, nil)
		}
	}
	c.Kill()
}

// broadcast wakes everyone who waits; c.mu is held.
func (c *Client) broadcast() {
	close(c.wake)
	c.wake = make(chan struct{})
}
