package lspclient

import (
	"encoding/json"
	"sort"
	"strings"
	"time"

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
	if err := json.Unmarshal(params, &p); err != nil {
		c.cfg.Log.Warn("unreadable publishDiagnostics", "server", c.cfg.Name, "err", err)
		return
	}
	path := pathOf(p.URI)
	if path == "" {
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
	f.push = list{
		have: true, version: f.version, told: p.Version != nil, seq: c.seq, at: time.Now(),
		items: c.items(path, p.URI, f, p.Diagnostics),
	}
	if first && f.open && f.push.told {
		c.own.add(time.Since(f.at))
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
// list the newer one counts, except where both do; a list that tsserver itself
// gave is never replaced by an unversioned publish, which may be older.
func (c *Client) effective(f *file) []tools.Diagnostic {
	pull, push := f.pull.have && f.pull.version == f.version, f.push.have && f.push.version == f.version
	if pull && push && !c.cfg.Profile.Both {
		newer := f.push.seq > f.pull.seq && !c.cfg.Profile.Tsserver
		pull, push = !newer, newer
	}
	type key struct {
		r                     text.Range
		code, source, message string
	}
	var out []tools.Diagnostic
	seen := map[key]bool{}
	add := func(items []tools.Diagnostic) {
		for _, d := range items {
			k := key{d.Range, d.Code, d.Source, d.Message}
			if !seen[k] {
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
	return out
}

// items decodes diagnostics; one that cannot be read is left out. Ranges are
// brought inside the text where that is known.
func (c *Client) items(path, id string, f *file, raw []json.RawMessage) []tools.Diagnostic {
	out := make([]tools.Diagnostic, 0, len(raw))
	var x *text.Index
	if f.open && len(raw) > 0 {
		x = text.NewIndex(f.text)
	}
	for _, r := range raw {
		d, err := decodeDiagnostic(r)
		if err != nil {
			c.cfg.Log.Warn("unreadable diagnostic", "server", c.cfg.Name, "err", err)
			continue
		}
		d.Path, d.URI, d.Server = path, id, c.cfg.Name
		d.Range = clamp(d.Range, x)
		out = append(out, d)
	}
	return out
}

type wireRange struct {
	Start, End struct {
		Line      int64 `json:"line"`
		Character int64 `json:"character"`
	}
}

func (w wireRange) text() text.Range {
	return text.Range{
		Start: text.Position{Line: int(w.Start.Line), Character: int(w.Start.Character)},
		End:   text.Position{Line: int(w.End.Line), Character: int(w.End.Character)},
	}
}

func decodeDiagnostic(raw json.RawMessage) (tools.Diagnostic, error) {
	var w struct {
		Range    wireRange       `json:"range"`
		Severity int             `json:"severity"`
		Code     json.RawMessage `json:"code"`
		Source   string          `json:"source"`
		Message  json.RawMessage `json:"message"`
	}
	if err := json.Unmarshal(raw, &w); err != nil {
		return tools.Diagnostic{}, err
	}
	if w.Severity < 1 || w.Severity > 4 {
		w.Severity = 1
	}
	return tools.Diagnostic{
		Range: w.Range.text(), Severity: tools.Severity(w.Severity), Code: scalar(w.Code), Source: w.Source,
		Message: message(w.Message), Raw: raw,
	}, nil
}

// scalar renders a code that is a number or a string.
func scalar(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	if string(raw) == "null" {
		return ""
	}
	return string(raw)
}

// message takes a string or MarkupContent.
func message(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	var m struct {
		Value string `json:"value"`
	}
	_ = json.Unmarshal(raw, &m)
	return m.Value
}

// clamp orders a range and, with an index, brings it inside the text.
func clamp(r text.Range, x *text.Index) text.Range {
	fix := func(p text.Position) text.Position {
		p.Line, p.Character = max(p.Line, 0), max(p.Character, 0)
		if x == nil {
			return p
		}
		return x.Position(x.Offset(p, text.UTF16), text.UTF16)
	}
	r.Start, r.End = fix(r.Start), fix(r.End)
	if r.End.Less(r.Start) {
		r.End = r.Start
	}
	return r
}
