package lspclient

import (
	"encoding/json"
	"slices"
	"sort"
	"time"

	"companion/diagnostics/wire"
	"companion/text"
	"companion/tools"
)

// publish takes textDocument/publishDiagnostics.
func (c *Client) publish(params []byte) {
	var p struct {
		URI         string            `json:"uri"`
		Version     *int32            `json:"version"`
		Diagnostics []json.RawMessage `json:"diagnostics"`
	}
	err := json.Unmarshal(params, &p)
	if err != nil {
		c.cfg.Log.Warn("unreadable publishDiagnostics", "server", c.cfg.Name, "err", err)
	}
	path := wire.PathOf(p.URI)
	if err != nil || path == "" {
		return
	}
	c.mu.Lock()
	f := c.file(path)
	c.seq++
	c.lastPush, c.published = time.Now(), true
	if p.Version != nil && f.open {
		c.versioned = true
	}
	if p.Version != nil && f.open && *p.Version != f.version {
		// Of an older text: it never passes for the present one.
		c.broadcast()
		c.mu.Unlock()
		return
	}
	first := f.push.version != f.version || f.push.seq < f.synced
	f.push = list{have: true, version: f.version, told: p.Version != nil, seq: c.seq, at: time.Now(), items: c.items(path, p.URI, f, p.Diagnostics)}
	if first && f.open && f.push.told {
		c.own.Add(time.Since(f.at))
	}
	if f.push.told || !f.open {
		c.confirm(f)
	}
	c.broadcast()
	c.mu.Unlock()
	c.cfg.Changed(path)
}

// confirm remembers the file's list as that of its present text; c.mu is held.
func (c *Client) confirm(f *file) {
	if f.knownAt.IsZero() {
		f.knownAt = time.Now()
	}
	f.history = append(f.history, Confirmed{Seq: c.seq, Open: f.open, Text: f.text, Items: c.effective(f)})
	if len(f.history) > 2*keep {
		f.history = append([]Confirmed(nil), f.history[len(f.history)-2*keep:]...)
	}
}

// effective is what holds for the file's present text. Of a pushed and a pulled
// list the newer one counts, but for these: where both count; after a pull that
// came after the last change of any file, nothing better can be published; and
// a list that tsserver itself gave is never replaced by an unversioned publish,
// which may be older.
func (c *Client) effective(f *file) []tools.Diagnostic {
	pull, push := f.pull.have && f.pull.version == f.version, f.push.have && f.push.version == f.version
	if pull && push && !c.cfg.Profile.Both {
		newer := f.push.seq > f.pull.seq && f.pull.seq < c.changed && !c.cfg.Profile.Tsserver
		pull, push = !newer, newer
	}
	of := mergeKey{f.push.have, f.pull.have, [3]int32{f.version, f.push.version, f.pull.version}, [3]uint64{f.push.seq, f.pull.seq, c.changed}}
	if f.mergeOf == of {
		return f.merged
	}
	out, seen := []tools.Diagnostic{}, make(map[mergedItem]bool, len(f.push.items)+len(f.pull.items))
	add := func(items []tools.Diagnostic) {
		for _, d := range items {
			if k := (mergedItem{d.Range, d.Code, d.Source, d.Message}); !seen[k] {
				seen[k] = true
				out = append(out, d)
			}
		}
	}
	if pull {
		add(f.pull.items)
	}
	if push {
		add(f.push.items)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Range.Start.Less(out[j].Range.Start) })
	f.merged, f.mergeOf = slices.Clip(out), of
	return f.merged
}

// What effective depends on, and what it takes for one problem.
type (
	mergeKey struct {
		pushed, pulled bool
		versions       [3]int32
		seqs           [3]uint64
	}
	mergedItem struct {
		at                    text.Range
		code, source, message string
	}
)

// items decodes diagnostics; one that cannot be read is left out. Ranges are
// brought inside the text where that is known.
func (c *Client) items(path, id string, f *file, raw []json.RawMessage) []tools.Diagnostic {
	out := make([]tools.Diagnostic, 0, len(raw))
	var x *text.Index
	if f.open && len(raw) > 0 {
		x = text.NewIndex(f.text)
	}
	for _, r := range raw {
		d, err := wire.DecodeDiagnostic(r)
		if err != nil {
			c.cfg.Log.Warn("unreadable diagnostic", "server", c.cfg.Name, "err", err)
			continue
		}
		d.Path, d.URI, d.Server = path, id, c.cfg.Name
		d.Range = wire.Clamp(d.Range, x)
		out = append(out, d)
	}
	return out
}
