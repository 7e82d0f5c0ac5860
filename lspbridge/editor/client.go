package editor

import (
	"encoding/json"

	"companion/lspbridge/rpc"
	"companion/lspbridge/wire"
	"companion/text"
)

// Client is what the editor can do, as far as companion asks. A zero field
// means no.
type Client struct {
	Workspace struct {
		ApplyEdit     bool `json:"applyEdit"`
		WorkspaceEdit struct {
			DocumentChanges bool `json:"documentChanges"`
			MetadataSupport bool `json:"metadataSupport"`
		} `json:"workspaceEdit"`
		DidChangeConfiguration Dynamic `json:"didChangeConfiguration"`
		DidChangeWatchedFiles  Dynamic `json:"didChangeWatchedFiles"`
		Configuration          bool    `json:"configuration"`
		CodeLens               struct {
			RefreshSupport bool `json:"refreshSupport"`
		} `json:"codeLens"`
	} `json:"workspace"`
	TextDocument struct {
		CodeAction struct {
			Literals *struct{} `json:"codeActionLiteralSupport"`
		} `json:"codeAction"`
		CodeLens *struct{} `json:"codeLens"`
	} `json:"textDocument"`
	Window struct {
		WorkDoneProgress bool `json:"workDoneProgress"`
		ShowDocument     struct {
			Support bool `json:"support"`
		} `json:"showDocument"`
	} `json:"window"`
	General struct {
		PositionEncodings []string `json:"positionEncodings"`
	} `json:"general"`
	Experimental json.RawMessage `json:"experimental"`

	// Name is clientInfo.name, "" = not told.
	Name string `json:"-"`
	// Companion is experimental.companion, see DecodeFlags.
	Companion Flags `json:"-"`
}

// Dynamic tells that a notification can be registered for.
type Dynamic struct {
	DynamicRegistration bool `json:"dynamicRegistration"`
}

// Flags are the surfaces that the client takes over.
type Flags = wire.Flags

// Missing says in words what this client does not offer of what companion would
// use, and what is done instead.
func (c *Client) Missing() []string {
	f := c.Companion
	var out []string
	add := func(have bool, text string) {
		if !have {
			out = append(out, text)
		}
	}
	add(c.Workspace.ApplyEdit || f.Edits, "no workspace/applyEdit: files are changed on disk, those with unsaved changes not at all")
	add(c.versions() || f.Edits, "no documentChanges: edits carry no version, so that the editor cannot see that they are late")
	add(c.Window.WorkDoneProgress || f.Progress || f.Events, "no workDoneProgress: what runs is not shown; stop it by code action")
	add(c.Window.ShowDocument.Support || f.Events, "no showDocument: answers are shown as messages")
	add(c.TextDocument.CodeLens != nil || f.Review, "no codeLens: changes are kept and undone by code actions")
	add(c.TextDocument.CodeAction.Literals != nil, "no codeActionLiteralSupport: actions are plain commands")
	return out
}

// Encoding is the unit of positions: utf-16 when the client offers it or says
// nothing, else the first of its list that companion knows.
func (c *Client) Encoding() text.Encoding {
	var first text.Encoding
	for _, e := range c.General.PositionEncodings {
		switch e := text.Encoding(e); e {
		case text.UTF16:
			return e
		case text.UTF8, text.UTF32:
			if first == "" {
				first = e
			}
		}
	}
	if first == "" {
		return text.UTF16
	}
	return first
}

// versions reports whether edits go as documentChanges with a version. Neovim
// takes them without offering it, and only so drops an edit for a text that the
// user has changed since: it tells of typing up to 150 ms late, and plain
// changes land at places that have moved (0.10, lua/vim/lsp/util.lua).
func (c *Client) versions() bool {
	return c.Workspace.WorkspaceEdit.DocumentChanges || c.Name == neovim
}

// version is v as the client compares it: to Neovim, which opens documents at
// 0, that means no version; what was typed since is above 1.
func (c *Client) version(v *int32) *int32 {
	if c.Name != neovim || v == nil || *v != 0 {
		return v
	}
	one := int32(1)
	return &one
}

// neovim is its clientInfo.name.
const neovim = "Neovim"

// DecodeFlags reads experimental.companion. Experimental is anybody's: whatever
// else it holds, in whatever shape, is allowed.
func (c *Client) DecodeFlags() error {
	var x struct {
		Companion json.RawMessage `json:"companion"`
	}
	if json.Unmarshal(c.Experimental, &x) != nil {
		return nil
	}
	return rpc.Decode(x.Companion, "capabilities.experimental.companion", &c.Companion)
}
