package supervise

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"companion/diagnostics/lspclient"
	"companion/diagnostics/preset"
	"companion/diagnostics/wire"
)

// State of a server.
type State string

// The states. Broken is for good, until Restart.
const (
	Starting   State = "starting"
	Ready      State = "ready"
	Restarting State = "restarting"
	Broken     State = "broken"
)

// maxStarts is how often one server is started before it counts as broken:
// once and three restarts.
const maxStarts = 4

// settledFor is how long a server must have lived for its restarts to be
// forgiven.
const settledFor = 5 * time.Minute

// Config of one Server.
type Config struct {
	Preset   preset.Preset
	Where    preset.Where
	Dial     wire.Dialer
	Patience time.Duration             // for the answer to initialize
	Changed  func(path string)         // see lspclient.Config
	Ready    func(c *lspclient.Client) // a fresh client wants its documents; may block
	Log      *slog.Logger
}

// Server is one server of one preset at one root, over its restarts.
type Server struct {
	cfg  Config
	ctx  context.Context
	stop context.CancelFunc

	mu     sync.Mutex
	state  State
	err    error // why it is broken, or how it ended last
	client *lspclient.Client
	starts int
	waited bool // someone waited for this start to its bound
	change chan struct{}
}

// New gives a server that Run starts; it stops with ctx.
func New(ctx context.Context, cfg Config) *Server {
	ctx, stop := context.WithCancel(ctx)
	return &Server{cfg: cfg, ctx: ctx, stop: stop, state: Starting, change: make(chan struct{})}
}

// Preset is what the server was made from.
func (in *Server) Preset() preset.Preset { return in.cfg.Preset }

// Root is the project folder that it serves.
func (in *Server) Root() string { return in.cfg.Where.Root }

// Run starts the server and starts it again when it dies, with back-off; it
// returns when the server is broken or stopped.
func (in *Server) Run() {
	for in.ctx.Err() == nil {
		began := time.Now()
		client, err := in.start()
		if err != nil {
			// Nothing that would differ the next time: no restart.
			in.set(Broken, nil, err)
			return
		}
		in.set(Ready, client, nil)
		in.cfg.Ready(client)
		select {
		case <-client.Done():
		case <-in.ctx.Done():
			client.Kill()
			return
		}
		if in.ctx.Err() != nil {
			return
		}
		starts := in.count(time.Since(began) > settledFor, 0)
		err = fmt.Errorf("%s ended: %s", in.cfg.Preset.Name, client.Exit())
		if starts >= maxStarts {
			in.set(Broken, nil, fmt.Errorf("%w; it was started %d times and is not started again", err, starts))
			return
		}
		in.cfg.Log.Warn("language server ended", "server", in.cfg.Preset.Name, "root", in.cfg.Where.Root, "err", err)
		in.set(Restarting, nil, err)
		select {
		case <-time.After(250 * time.Millisecond << in.starts):
		case <-in.ctx.Done():
		}
	}
}

func (in *Server) start() (*lspclient.Client, error) {
	in.count(false, 1)
	cmd, err := in.cfg.Preset.Find(in.cfg.Where)
	if err != nil {
		return nil, err
	}
	options, err := in.cfg.Preset.Options(in.cfg.Where, cmd.Path)
	if err != nil {
		return nil, err
	}
	t, err := in.cfg.Dial(in.ctx, cmd)
	if err != nil {
		return nil, fmt.Errorf("%s does not work: %w; to install it: %s", in.cfg.Preset.Name, err, in.cfg.Preset.Install)
	}
	c, err := lspclient.Start(in.ctx, t, lspclient.Config{
		Name: in.cfg.Preset.Name, Roots: []string{in.cfg.Where.Root}, InitializationOptions: options,
		Settings: in.cfg.Preset.Settings, Profile: in.cfg.Preset.Profile, Language: in.cfg.Preset.Language,
		InitTimeout: in.cfg.Patience, Changed: in.cfg.Changed, Log: in.cfg.Log,
	})
	if err != nil {
		return nil, fmt.Errorf("%s (%s) does not work: %w; to install it: %s", in.cfg.Preset.Name, cmd.Path, err, in.cfg.Preset.Install)
	}
	return c, nil
}

// count gives how often the server was started, anew or with more added.
func (in *Server) count(anew bool, more int) int {
	in.mu.Lock()
	defer in.mu.Unlock()
	if anew {
		in.starts = 1
	}
	in.starts += more
	return in.starts
}

func (in *Server) set(s State, c *lspclient.Client, err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.ctx.Err() != nil && s != Broken {
		return
	}
	in.state, in.client, in.err = s, c, err
	if s == Ready {
		in.waited = false
	}
	close(in.change)
	in.change = make(chan struct{})
}

// Now gives the running client, or nil.
func (in *Server) Now() *lspclient.Client {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.client
}

// ErrStarting: the server is not ready within the bound.
var ErrStarting = errors.New("is still starting")

// Wait gives the client once it is ready. A start that somebody waited for in
// vain is not waited for again.
func (in *Server) Wait(ctx context.Context) (*lspclient.Client, error) {
	for {
		in.mu.Lock()
		client, state, err, change, waited := in.client, in.state, in.err, in.change, in.waited
		in.mu.Unlock()
		switch {
		case client != nil:
			return client, nil
		case state == Broken:
			return nil, err
		case waited:
			return nil, fmt.Errorf("%s %w", in.cfg.Preset.Name, ErrStarting)
		}
		select {
		case <-change:
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				in.mu.Lock()
				in.waited = true
				in.mu.Unlock()
			}
			return nil, fmt.Errorf("%s %w", in.cfg.Preset.Name, ErrStarting)
		}
	}
}

// Stop ends the server for good; reason is what a caller of Wait hears. A
// polite shutdown is up to the client's Close before.
func (in *Server) Stop(reason error) {
	in.stop()
	if c := in.Now(); c != nil {
		c.Kill()
	}
	in.set(Broken, nil, reason)
}

// Reason is why the server is not there, as far as known.
func (in *Server) Reason() error {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.err
}

// Status is how one server is.
type Status struct {
	Name, Root string
	State      State
	Version    string // as the server told it
	Starts     int    // how often it was started
	Open       int    // files that it holds
	Err        string // why it is broken, or how it ended last
}

// Status tells how the server is now.
func (in *Server) Status() Status {
	in.mu.Lock()
	st := Status{Name: in.cfg.Preset.Name, Root: in.cfg.Where.Root, State: in.state, Starts: in.starts}
	if in.err != nil {
		st.Err = in.err.Error()
	}
	c := in.client
	in.mu.Unlock()
	if c != nil {
		st.Version = c.Version()
		for _, path := range c.Files() {
			if c.IsOpen(path) {
				st.Open++
			}
		}
	}
	return st
}
