package preset

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"companion/diagnostics/lspclient"
	"companion/diagnostics/wire"
)

// Finding is what Doctor saw of one preset.
type Finding struct {
	Name    string
	OK      bool   // it answered initialize
	Path    string // of the program, "" = not found
	Version string // as the server or its program tells it
	Text    string // one line: that it works, or why not and how to install it
}

// Examine starts the server once, at w.Root, and says whether it answers.
func (p Preset) Examine(ctx context.Context, w Where, dial wire.Dialer, patience time.Duration) Finding {
	f := Finding{Name: p.Name}
	cmd, err := p.Find(w)
	if err != nil {
		f.Text = err.Error()
		return f
	}
	f.Path = cmd.Path
	options, err := p.Options(w, cmd.Path)
	if err != nil {
		f.Text = err.Error()
		return f
	}
	t, err := dial(ctx, cmd)
	if err == nil {
		var c *lspclient.Client
		c, err = lspclient.Start(ctx, t, lspclient.Config{
			Name: p.Name, Roots: []string{w.Root}, InitializationOptions: options, Settings: p.Settings,
			Profile: p.Profile, InitTimeout: patience,
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
	case f.Version == "" && !w.Fake:
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
