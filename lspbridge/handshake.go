package lspbridge

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"companion/lspbridge/action"
	"companion/lspbridge/command"
	"companion/lspbridge/companion"
	"companion/lspbridge/document"
	"companion/lspbridge/editor"
	"companion/lspbridge/rpc"
	"companion/lspbridge/wire"

	"go.lsp.dev/protocol"
)

type initParams struct {
	ProcessID  *int `json:"processId"`
	ClientInfo struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"clientInfo"`
	RootPath         *string                    `json:"rootPath"`
	RootURI          *string                    `json:"rootUri"`
	WorkspaceFolders []folder                   `json:"workspaceFolders"`
	Capabilities     editor.Client              `json:"capabilities"`
	Options          wire.InitializationOptions `json:"initializationOptions"`
}

type folder struct {
	URI string `json:"uri"`
}

func decodeInit(params json.RawMessage) (initParams, error) {
	var p initParams
	if err := rpc.Decode(params, "", &p); err != nil {
		return p, err
	}
	if err := p.Capabilities.DecodeFlags(); err != nil {
		return p, err
	}
	if string(p.Options.Settings) == "null" {
		p.Options.Settings = nil
	}
	return p, nil
}

// initialize handles initialize, on the read loop: what comes after it must
// find the workspace.
func (s *Server) initialize(ctx context.Context, r *rpc.Request) (any, error) {
	p, err := decodeInit(slices.Clone(r.Params))
	if err != nil {
		return nil, err
	}
	p.Capabilities.Name = p.ClientInfo.Name
	s.editor.Client, s.editor.Encoding = &p.Capabilities, p.Capabilities.Encoding()
	folders := rootURIs(p)
	roots := s.paths(folders)
	b, err := s.opt.Build(s.ctx, Init{
		Roots: roots, Settings: p.Options.Settings, Trusted: p.Options.Trusted,
		ClientName: p.ClientInfo.Name, ClientVersion: p.ClientInfo.Version,
		Encoding: s.editor.Encoding, Editor: s.editor, Lends: s.editor,
	})
	if err != nil {
		return nil, rpc.Errorf(rpc.InternalError, "companion cannot start here: %v", err)
	}
	s.attach(b, folders, p.ClientInfo.Name)
	s.registerTools(p.Options)
	s.listen(b) // from here on: nothing may be sent before the answer
	if t := p.Options.Trusted; t != nil && !*t {
		s.distrusted.Store(true)
		for _, root := range roots {
			b.Workspace.SetReadOnly(root, true)
		}
	}
	if p.ProcessID != nil {
		s.watchProcess(*p.ProcessID)
	}
	s.setState(running)
	return rpc.Typed{Value: &protocol.InitializeResult{
		Capabilities: s.capabilities(),
		ServerInfo:   protocol.ServerInfo{Name: "companion", Version: protocol.NewOptional(s.opt.Version)},
	}}, nil
}

func (s *Server) capabilities() protocol.ServerCapabilities {
	yes := true
	incremental := protocol.TextDocumentSyncKindIncremental
	kinds := action.Kinds()
	actions := &protocol.CodeActionOptions{ResolveProvider: &yes, CodeActionKinds: make([]protocol.CodeActionKind, len(kinds))}
	for i, k := range kinds {
		actions.CodeActionKinds[i] = protocol.CodeActionKind(k)
	}
	experimental, err := json.Marshal(map[string]any{
		"companion": map[string]any{"version": companion.Version, "methods": companion.Offered()},
	})
	if err != nil {
		panic(fmt.Sprintf("constant data does not encode: %v", err))
	}
	caps := protocol.ServerCapabilities{
		PositionEncoding: protocol.PositionEncodingKind(s.editor.Encoding),
		TextDocumentSync: &protocol.TextDocumentSyncOptions{
			OpenClose: &yes, Change: &incremental, Save: &protocol.SaveOptions{},
		},
		CodeActionProvider: actions,
		Workspace: &protocol.WorkspaceOptions{
			WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{Supported: &yes, ChangeNotifications: protocol.Boolean(true)},
			FileOperations:   document.FileOperations(),
		},
		Experimental: experimental,
	}
	if !s.editor.Client.Companion.Review {
		caps.CodeLensProvider = &protocol.CodeLensOptions{}
	}
	if !s.editor.Client.Companion.Commands { // vscode-languageclient registers every listed id; a duplicate kills the connection
		caps.ExecuteCommandProvider = protocol.ExecuteCommandOptions{Commands: command.Names()}
	}
	return caps
}
