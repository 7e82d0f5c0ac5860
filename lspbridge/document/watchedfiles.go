package document

import (
	"context"

	"companion/lspbridge/rpc"

	"go.lsp.dev/protocol"
)

// DidChangeWatchedFiles handles workspace/didChangeWatchedFiles.
func (h *Handlers) DidChangeWatchedFiles(_ context.Context, r *rpc.Request) (any, error) {
	var p struct {
		Changes []ID `json:"changes"`
	}
	if err := rpc.Decode(r.Params, "", &p); err != nil {
		return nil, err
	}
	h.changed(uris(p.Changes))
	return nil, nil
}

// FileOperations asks to be told of files that the user creates, renames and
// deletes in the editor, and never to be asked before.
func FileOperations() *protocol.FileOperationOptions {
	scheme := "file"
	all := protocol.FileOperationRegistrationOptions{Filters: []protocol.FileOperationFilter{{
		Scheme: &scheme, Pattern: protocol.FileOperationPattern{Glob: "**"},
	}}}
	return &protocol.FileOperationOptions{DidCreate: all, DidRename: all, DidDelete: all}
}

// DidOperateFiles handles workspace/didCreateFiles, didRenameFiles and
// didDeleteFiles.
func (h *Handlers) DidOperateFiles(_ context.Context, r *rpc.Request) (any, error) {
	var p struct {
		Files []struct {
			URI    string `json:"uri"`
			OldURI string `json:"oldUri"`
			NewURI string `json:"newUri"`
		} `json:"files"`
	}
	if err := rpc.Decode(r.Params, "", &p); err != nil {
		return nil, err
	}
	var ids []string
	for _, f := range p.Files {
		ids = append(ids, f.URI, f.OldURI, f.NewURI)
	}
	h.changed(ids)
	return nil, nil
}

// changed tells Disk of the files among the URIs.
func (h *Handlers) changed(ids []string) {
	paths := make([]string, 0, len(ids))
	for _, id := range ids {
		if !Served(id) {
			continue
		}
		if f, err := h.Workspace.ResolveURI(id); err == nil {
			paths = append(paths, f.Path)
		}
	}
	if len(paths) > 0 {
		h.Disk(paths)
	}
}
