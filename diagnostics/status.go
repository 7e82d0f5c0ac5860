package diagnostics

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"companion/diagnostics/lspclient"
)

// ServerStatus is one server at one root.
type ServerStatus struct {
	Name, Root string
	State      State
	Version    string // as the server told it
	Starts     int    // how often it was started
	Open       int    // files that it holds
	Err        string // why it is broken, or how it ended last
}

// Status lists the servers that were started, sorted by name and root.
func (s *Service) Status() []ServerStatus {
	s.mu.Lock()
	var all []*instance
	for _, in := range s.instances {
		all = append(all, in)
	}
	s.mu.Unlock()
	var out []ServerStatus
	for _, in := range all {
		in.mu.Lock()
		st := ServerStatus{Name: in.preset.Name, Root: in.root, State: in.state, Starts: in.starts}
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
		out = append(out, st)
	}
	slices.SortFunc(out, func(a, b ServerStatus) int { return strings.Compare(a.Name+"\x00"+a.Root, b.Name+"\x00"+b.Root) })
	return out
}

// Restart ends the servers of that name ("" = all) and starts them again, the
// broken ones too; it gives the names and roots of what was restarted.
func (s *Service) Restart(name string) []string {
	s.mu.Lock()
	var old []*instance
	for k, in := range s.instances {
		if (name == "" || k.preset == name) && !s.closed {
			old = append(old, in)
			delete(s.instances, k)
		}
	}
	s.mu.Unlock()
	var out []string
	for _, in := range old {
		in.stop()
		if c := in.now(); c != nil {
			c.Kill()
		}
		in.set(Broken, nil, fmt.Errorf("%s was restarted", in.preset.Name))
		s.instance(in.preset, in.root)
		out = append(out, in.preset.Name+" at "+in.root)
	}
	slices.Sort(out)
	return out
}

// Finding is what Doctor saw of one preset.
type Finding struct {
	Name    string
	OK      bool   // it answered initialize
	Path    string // of the program, "" = not found
	Version string // as the server or its program tells it
	Text    string // one line: that it works, or why not and how to install it
}

// Doctor starts every preset's server once at root and says whether it answers.
func (s *Service) Doctor(ctx context.Context, root string) []Finding {
	var out []Finding
	for _, p := range s.presets {
		out = append(out, s.examine(ctx, p, root))
	}
	return out
}

func (s *Service) examine(ctx context.Context, p Preset, root string) Finding {
	f := Finding{Name: p.Name}
	cmd, err := s.command(p, root)
	if err != nil {
		f.Text = err.Error()
		return f
	}
	f.Path = cmd.Path
	t, err := s.dial(ctx, cmd)
	if err == nil {
		var c *lspclient.Client
		c, err = lspclient.Start(ctx, t, lspclient.Config{
			Name: p.Name, Roots: []string{root}, InitializationOptions: p.Init, Settings: p.Settings,
			Profile: p.Profile, InitTimeout: s.fixed(p).Initialize, Log: s.opt.Log,
		})
		if err == nil {
			f.OK, f.Version = true, oneLine(c.Version())
			cctx, cancel := context.WithTimeout(ctx, 2*time.Second)
			c.Close(cctx)
			cancel()
		}
	}
	switch {
	case err != nil:
		f.Text = fmt.Sprintf("%s does not work: %v; to install it: %s", filepath.Base(cmd.Path), err, p.Install)
		return f
	case f.Version == "" && s.opt.Dial == nil:
		f.Version = versionOf(ctx, cmd)
	}
	f.Text = strings.TrimSpace(fmt.Sprintf("%s answers initialize %s", cmd.Path, f.Version))
	return f
}

// versionOf asks the program itself, for servers that do not tell.
func versionOf(ctx context.Context, cmd lspclient.Command) string {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	run := exec.CommandContext(ctx, cmd.Path, "--version")
	run.Env, run.WaitDelay = cmd.Env, time.Second
	out, err := run.Output()
	if err != nil {
		return ""
	}
	first, _, _ := bytes.Cut(out, []byte("\n"))
	return oneLine(string(first))
}

// oneLine keeps gopls' JSON version and other chatter short.
func oneLine(v string) string {
	v = strings.TrimSpace(v)
	if i := strings.Index(v, `"Version":"`); strings.HasPrefix(v, "{") && i >= 0 {
		v, _, _ = strings.Cut(v[i+len(`"Version":"`):], `"`)
	}
	if len(v) > 80 {
		v = v[:80]
	}
	return v
}
