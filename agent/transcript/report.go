package transcript

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"

	"companion/session"
	"companion/tools"
)

// Report puts a diagnostics report into the form of the log.
func Report(r *tools.Report) json.RawMessage {
	out := session.DiagReport{
		Status: string(r.Status), Checked: r.Checked, Candidates: r.Candidates,
		New: diagnostics(r.New), Fixed: diagnostics(r.Fixed), Remaining: r.Remaining,
	}
	raw, err := json.Marshal(out)
	if err != nil { // every part was made by json.Marshal
		return nil
	}
	return raw
}

func diagnostics(list []tools.Diagnostic) []json.RawMessage {
	out := make([]json.RawMessage, 0, len(list))
	for _, d := range list {
		uri := d.URI
		if uri == "" {
			uri = fileURI(d.Path)
		}
		raw, err := json.Marshal(map[string]any{
			"uri":      uri,
			"range":    map[string]position{"start": position(d.Range.Start), "end": position(d.Range.End)},
			"severity": max(1, int(d.Severity)), "code": d.Code, "source": d.Source, "message": d.Message,
		})
		if err == nil {
			out = append(out, raw)
		}
	}
	return out
}

// position in the form of LSP: 0-based, utf-16.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// fileURI is the URI of a canonical path.
func fileURI(path string) string {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // C:/…
	}
	return (&url.URL{Scheme: "file", Path: p}).String()
}
