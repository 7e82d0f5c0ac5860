package shape

import (
	"encoding/json"
	"fmt"

	"companion/internal/editortest/fake/buffer"
)

// FileEdit is the edit of one file.
type FileEdit struct {
	TextDocument struct {
		URI     string `json:"uri"`
		Version *int   `json:"version"`
	} `json:"textDocument"`
	Edits       []buffer.TextEdit `json:"edits"`
	Refactoring bool              `json:"-"` // metadata.isRefactoring
}

// ReadApplyEdit checks the form of a workspace/applyEdit and gives its single
// file; documentChanges and metadata tell what the editor offered. An edit that
// can be done all the same has problems only.
func ReadApplyEdit(raw json.RawMessage, documentChanges, metadata bool) (f FileEdit, problems []string, err error) {
	var p struct {
		Label string `json:"label"`
		Edit  struct {
			Changes         map[string][]buffer.TextEdit `json:"changes"`
			DocumentChanges []json.RawMessage            `json:"documentChanges"`
		} `json:"edit"`
		Metadata struct {
			IsRefactoring bool `json:"isRefactoring"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return f, nil, err
	}
	if Has(raw, "metadata") && !metadata {
		problems = append(problems, "has metadata, which was not offered")
	}
	if p.Label == "" {
		problems = append(problems, "has no label")
	}
	f.Refactoring = p.Metadata.IsRefactoring
	if !documentChanges {
		if p.Edit.DocumentChanges != nil || len(p.Edit.Changes) != 1 {
			return f, problems, fmt.Errorf("without documentChanges an edit has changes of exactly one file: %s", raw)
		}
		for uri, edits := range p.Edit.Changes {
			f.TextDocument.URI, f.Edits = uri, edits
		}
		return f, problems, nil
	}
	if p.Edit.Changes != nil || len(p.Edit.DocumentChanges) != 1 {
		return f, problems, fmt.Errorf("an edit has documentChanges of exactly one file: %s", raw)
	}
	one := p.Edit.DocumentChanges[0]
	if Has(one, "kind") {
		return f, problems, fmt.Errorf("a resource operation was not offered: %s", one)
	}
	if err := json.Unmarshal(one, &f); err != nil {
		return f, problems, fmt.Errorf("documentChanges: %w", err)
	}
	var doc struct {
		TextDocument json.RawMessage `json:"textDocument"`
	}
	_ = json.Unmarshal(one, &doc)
	if !Has(doc.TextDocument, "version") {
		return f, problems, fmt.Errorf("textDocument has no version (null when not open): %s", doc.TextDocument)
	}
	return f, problems, nil
}

// Has tells whether a JSON object has a key, null included.
func Has(raw json.RawMessage, key string) bool {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return false
	}
	_, ok := m[key]
	return ok
}
