package wire

import (
	"encoding/json"

	"companion/text"
	"companion/tools"
)

// tsPosition is tsserver's: 1-based line and utf-16 offset.
type tsPosition struct {
	Line   int `json:"line"`
	Offset int `json:"offset"`
}

func (p tsPosition) text() text.Position {
	return text.Position{Line: p.Line - 1, Character: p.Offset - 1}
}

// TSDiagnostic is one of tsserver's own diagnostics.
type TSDiagnostic struct {
	Start    tsPosition `json:"start"`
	End      tsPosition `json:"end"`
	Text     string     `json:"text"`
	Code     int        `json:"code"`
	Category string     `json:"category"`
	Source   string     `json:"source"`
}

// Diagnostic renders it as typescript-language-server publishes it, so that
// the two are recognised as one and code actions take it.
func (t TSDiagnostic) Diagnostic() tools.Diagnostic {
	severity := map[string]tools.Severity{"error": tools.Error, "warning": tools.Warning, "suggestion": tools.Hint}[t.Category]
	if severity == 0 {
		severity = tools.Information
	}
	source := t.Source
	if source == "" {
		source = "typescript"
	}
	r := text.Range{Start: t.Start.text(), End: t.End.text()}
	pos := func(p text.Position) map[string]int { return map[string]int{"line": p.Line, "character": p.Character} }
	raw, err := json.Marshal(map[string]any{
		"range": map[string]any{"start": pos(r.Start), "end": pos(r.End)}, "severity": int(severity),
		"code": t.Code, "source": source, "message": t.Text,
	})
	if err != nil {
		raw = nil
	}
	code, _ := json.Marshal(t.Code)
	return tools.Diagnostic{Range: r, Severity: severity, Code: string(code), Source: tag(source), Message: Visible(t.Text), Raw: raw}
}
