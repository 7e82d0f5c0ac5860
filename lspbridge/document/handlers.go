package document

import (
	"encoding/json"
	"log/slog"
	"strings"
	"sync"

	"companion/lspbridge/rpc"
	"companion/text"
	"companion/workspace"
)

// Handlers are the notifications about documents. All fields but
// Lost and Log are required.
type Handlers struct {
	Workspace *workspace.Workspace
	Encoding  text.Encoding // of the positions that the editor sends
	// Opened hears the canonical path of each file that is opened.
	Opened func(path string)
	// Folders hears the URIs of added and removed workspace folders.
	Folders func(added, removed []string)
	// Settings hears didChangeConfiguration's settings; nil = to be pulled.
	Settings func(settings json.RawMessage)
	// Disk hears canonical paths that changed on disk; it must not block.
	Disk func(paths []string)
	// Lost hears of a document whose changes cannot be followed any more, and why;
	// nil = nobody.
	Lost func(uri string, err error)
	Log  *slog.Logger

	mu     sync.Mutex
	strays map[string]bool // URIs that were changed but not open, told once
}

// ID names a document.
type ID struct {
	URI string `json:"uri"`
}

// Served reports whether documents of the URI's scheme are mirrored: files and
// unsaved buffers. All others get empty answers.
func Served(uri string) bool {
	scheme, _, ok := strings.Cut(uri, ":")
	return ok && (strings.EqualFold(scheme, "file") || strings.EqualFold(scheme, "untitled"))
}

// need decodes params and checks that they name a document.
func need(r *rpc.Request, v any, id *ID) error {
	if err := rpc.Decode(r.Params, "", v); err != nil {
		return err
	}
	if id.URI == "" {
		return rpc.BadParam("textDocument.uri", "missing")
	}
	return nil
}
