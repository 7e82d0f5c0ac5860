package wire

import (
	"encoding/json"

	"companion/tools"
)

// EncodeDiagnostic gives the diagnostic as its server sent it, or as LSP would
// write it: in utf-16.
func EncodeDiagnostic(d tools.Diagnostic) json.RawMessage {
	if len(d.Raw) > 0 {
		return d.Raw
	}
	raw, err := json.Marshal(struct {
		Range    Range          `json:"range"`
		Severity tools.Severity `json:"severity,omitempty"`
		Code     string         `json:"code,omitempty"`
		Source   string         `json:"source,omitempty"`
		Message  string         `json:"message"`
	}{EncodeRange(d.Range), d.Severity, d.Code, d.Source, d.Message})
	if err != nil {
		return nil
	}
	return raw
}
