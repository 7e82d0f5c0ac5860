package lent

import (
	"crypto/sha256"
	"encoding/hex"

	"companion/internal/editortest/fake/buffer"
)

// Edit is the params of companion/edit/apply.
type Edit struct {
	URI      string            `json:"uri"`
	Version  *int              `json:"version"`
	BaseHash string            `json:"baseHash"`
	Edits    []buffer.TextEdit `json:"edits"`
	Create   bool              `json:"create"`
	Delete   bool              `json:"delete"`
	RenameTo string            `json:"renameTo"`
	Save     bool              `json:"save"`
	Label    string            `json:"label"`
}

// Refusal is why an editor does not make the edit of a buffer, "" = it does.
func (e Edit) Refusal(open bool, text string, version int) string {
	switch {
	case !open:
		return "notOpen"
	case e.Create || e.Delete || e.RenameTo != "":
		return "unsupported"
	case e.Version != nil && *e.Version != version:
		return "versionMismatch"
	case e.BaseHash != Hash(text):
		return "conflict"
	}
	return ""
}

// Hash of a text as companion/edit/apply has it.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}
