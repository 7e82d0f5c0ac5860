package prompt

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"companion/agent/model"
	"companion/session"
	"companion/tools"
)

// ErrInput: a part of an input cannot be used.
var ErrInput = errors.New("input")

// Check says what of an input cannot be used, as an ErrInput; images tells
// whether the model sees them.
func Check(in []session.Input, images bool, modelID string) error {
	for i, p := range in {
		why := ""
		switch p.Type {
		case "text":
		case "selection", "file", "diagnostics":
			if p.URI == "" {
				why = "a " + p.Type + " needs a uri"
			}
		case "image":
			data, err := base64.StdEncoding.DecodeString(p.Data)
			switch {
			case !images:
				why = modelID + " cannot see images; leave it out or choose another model"
			case err != nil:
				why = "the data is not base64: " + err.Error()
			case len(data) == 0 || !strings.HasPrefix(p.MimeType, "image/"):
				why = fmt.Sprintf("%d bytes of type %q are no image", len(data), p.MimeType)
			}
		case "skill":
			why = fmt.Sprintf("skills are not there yet; say what %q should do", p.Name)
		default:
			why = fmt.Sprintf("unknown type %q; the types are text, selection, file, diagnostics and image", p.Type)
		}
		if why != "" {
			return fmt.Errorf("%w[%d]: %s", ErrInput, i, why)
		}
	}
	return nil
}

// Said is what a person wrote in an input, without what was attached to it.
func Said(in []session.Input) string {
	var parts []string
	for _, p := range in {
		if p.Type == "text" {
			parts = append(parts, p.Text)
		}
	}
	return strings.TrimSpace(strings.Join(parts, "\n"))
}

// Message renders what a person gave as one item. Parts that cannot be read
// are told as such rather than left out.
func Message(in []session.Input, roots []string) model.Item {
	it := model.Item{Kind: model.Message, Role: model.User}
	var parts []string
	for _, p := range in {
		switch p.Type {
		case "image":
			data, err := base64.StdEncoding.DecodeString(p.Data)
			if err != nil {
				parts = append(parts, fmt.Sprintf("(an image that could not be read: %v)", err))
				continue
			}
			it.Images = append(it.Images, model.Image{MimeType: p.MimeType, Data: data})
		default:
			if s := render(p, roots); s != "" {
				parts = append(parts, s)
			}
		}
	}
	it.Text = strings.Join(parts, "\n\n")
	if it.Text == "" && len(it.Images) == 0 {
		it.Text = "(no input)"
	}
	return it
}

func render(p session.Input, roots []string) string {
	name := rel(roots, localPath(p.URI))
	switch p.Type {
	case "text":
		return strings.TrimRight(p.Text, "\r\n")
	case "file":
		return "File: " + name
	case "skill":
		return "Use the skill " + p.Name + "."
	case "selection":
		head := "Selection in " + name + place(p.Range) + ":"
		if p.Text == "" {
			return strings.TrimSuffix(head, ":")
		}
		return head + "\n```\n" + strings.TrimRight(p.Text, "\n") + "\n```"
	case "diagnostics":
		return problems(name, p.Diags)
	}
	return fmt.Sprintf("(input of the unknown type %q)", p.Type)
}

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// place renders an LSP range as " 12:1-14:5", 1-based; "" when there is none.
func place(raw json.RawMessage) string {
	var r struct{ Start, End position }
	if len(raw) == 0 || json.Unmarshal(raw, &r) != nil {
		return ""
	}
	return fmt.Sprintf(" %d:%d-%d:%d", r.Start.Line+1, r.Start.Character+1, r.End.Line+1, r.End.Character+1)
}

// problems renders diagnostics as the diagnostics tool does: "REL:LINE:COL:
// SEVERITY: MESSAGE [SOURCE CODE]" a line.
func problems(name string, raw json.RawMessage) string {
	var list []struct {
		Range    struct{ Start position } `json:"range"`
		Severity int                      `json:"severity"`
		Code     any                      `json:"code"`
		Source   string                   `json:"source"`
		Message  string                   `json:"message"`
	}
	if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return "Fix the problems in: " + name
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Fix these diagnostics in %s:", name)
	for _, d := range list {
		t := tools.Diagnostic{Severity: tools.Severity(d.Severity), Code: code(d.Code), Source: d.Source, Message: d.Message}
		t.Range.Start.Line, t.Range.Start.Character = d.Range.Start.Line, d.Range.Start.Character
		b.WriteString("\n" + t.Line(name))
	}
	return b.String()
}

// code is an LSP diagnostic code, a string or a number.
func code(v any) string {
	switch c := v.(type) {
	case string:
		return c
	case float64:
		return fmt.Sprintf("%.0f", c)
	}
	return ""
}

// localPath is the path of a file URI; other URIs stay as they are.
func localPath(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return uri
	}
	p := u.Path
	if len(p) > 2 && p[0] == '/' && p[2] == ':' { // /C:/…
		p = p[1:]
	}
	return filepath.FromSlash(p)
}

// Section is the text of a context provider as the model sees it; before says
// that the model was given one already.
func Section(name, text string, before bool) string {
	switch {
	case text != "":
		return "<" + name + ">\n" + text + "\n</" + name + ">"
	case before:
		return "<" + name + ">\n(nothing any more)\n</" + name + ">"
	}
	return ""
}

// rel is path as the model is told it: from the working folder, slashes, or
// whole when elsewhere.
func rel(roots []string, path string) string {
	if len(roots) > 0 {
		r, err := filepath.Rel(roots[0], path)
		if err == nil && r != ".." && !strings.HasPrefix(r, ".."+string(filepath.Separator)) {
			return filepath.ToSlash(r)
		}
	}
	return filepath.ToSlash(path)
}
