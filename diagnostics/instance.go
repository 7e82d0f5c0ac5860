package diagnostics

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"companion/diagnostics/lspclient"
	"companion/diagnostics/preset"
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

// instance is one server of one preset at one root, over its restarts.
type instance struct {
	svc    *Service
	preset preset.Preset
	root   string
	ctx    context.Context
	stop   context.CancelFunc

	mu     sync.Mutex
	state  State
	err    error // why it is broken, or how it ended last
	client *lspclient.Client
	starts int
	waited bool // someone waited for this start to its bound
	change chan struct{}
}

// run starts the server and starts it again when it dies, with back-off; it
// returns when the server is broken or the service closes.
func (in *instance) run() {
	for in.ctx.Err() == nil {
		began := time.Now()
		client, err := in.start()
		if err != nil {
			// Nothing that would differ the next time: no restart.
			in.set(Broken, nil, err)
			return
		}
		in.set(Ready, client, nil)
		in.svc.reopen(in, client)
		select {
		case <-client.Done():
		case <-in.ctx.Done():
			return
		}
		if time.Since(began) > settledFor {
			in.starts = 1
		}
		err = fmt.Errorf("%s ended: %s", in.preset.Name, client.Exit())
		if in.starts >= maxStarts {
			in.set(Broken, nil, fmt.Errorf("%w; it was started %d times and is not started again", err, in.starts))
			return
		}
		in.svc.opt.Log.Warn("language server ended", "server", in.preset.Name, "root", in.root, "err", err)
		in.set(Restarting, nil, err)
		select {
		case <-time.After(250 * time.Millisecond << in.starts):
		case <-in.ctx.Done():
		}
	}
}

func (in *instance) start() (*lspclient.Client, error) {
	in.starts++
	cmd, err := in.preset.Find(in.svc.where(in.root))
	if err != nil {
		return nil, err
	}
	t, err := in.svc.dial(in.ctx, cmd)
	if err != nil {
		return nil, fmt.Errorf("%s does not work: %w; to install it: %s", in.preset.Name, err, in.preset.Install)
	}
	c, err := lspclient.Start(in.ctx, t, lspclient.Config{
		Name: in.preset.Name, Roots: []string{in.root}, InitializationOptions: in.preset.Init,
		Settings: in.preset.Settings, Profile: in.preset.Profile, Language: in.preset.Language,
		InitTimeout: in.svc.fixed(in.preset).Initialize, Changed: in.svc.changed, Log: in.svc.opt.Log,
	})
	if err != nil {
		return nil, fmt.Errorf("%s (%s) does not work: %w; to install it: %s", in.preset.Name, cmd.Path, err, in.preset.Install)
	}
	return c, nil
}

func (in *instance) set(s State, c *lspclient.Client, err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.state, in.client, in.err = s, c, err
	if s == Ready {
		in.waited = false
	}
	close(in.change)
	in.change = make(chan struct{})
}

// now gives the running client, or nil.
func (in *instance) now() *lspclient.Client {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.client
}

// errStarting: the server is not ready within the bound.
var errStarting = errors.New("is still starting")

// wait gives the client once it is ready. A start that somebody waited for in
// vain is not waited for again.
func (in *instance) wait(ctx context.Context) (*lspclient.Client, error) {
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
			return nil, fmt.Errorf("%s %w", in.preset.Name, errStarting)
		}
		select {
		case <-change:
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				in.mu.Lock()
				in.waited = true
				in.mu.Unlock()
			}
			return nil, fmt.Errorf("%s %w", in.preset.Name, errStarting)
		}
	}
}
