package lspbridge

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"companion/lspbridge/editor"
	"companion/lspbridge/rpc"
)

// askTrust asks once for each folder whose project configuration is ignored
// because nobody said that the folder is trusted. Until then it stays ignored.
func (s *Server) askTrust() {
	if s.backend.Untrusted == nil || s.backend.Trust == nil {
		return
	}
	s.spawn(func() {
		for _, p := range s.backend.Untrusted() {
			s.askTrustOf(p)
		}
	})
}

func (s *Server) askTrustOf(p ProjectConfig) {
	files := strings.Join(p.Found, ", ")
	title := fmt.Sprintf("Companion ignores %s in %s until you trust this folder: it can start programs and change where requests go.", files, p.Root)
	label, err := s.editor.AskTrust(s.ctx, p.Root, title)
	switch {
	case err != nil && s.ctx.Err() == nil:
		s.editor.ShowMessage(slog.LevelInfo, editor.Plain(fmt.Sprintf("Companion ignores %s in %s: the folder is not trusted.", files, p.Root)))
	case err != nil || label == "": // closed: asked again in the next session
	default:
		s.backend.Trust(s.ctx, p.Root, label == editor.TrustYes)
	}
}

// didChangeTrust handles companion/workspace/didChangeTrust.
func (s *Server) didChangeTrust(_ context.Context, r *rpc.Request) (any, error) {
	var p struct {
		Folders []struct {
			URI     string `json:"uri"`
			Trusted bool   `json:"trusted"`
		} `json:"folders"`
	}
	if err := rpc.Decode(r.Params, "", &p); err != nil {
		return nil, err
	}
	for _, f := range p.Folders {
		root, ok := folderPath(f.URI)
		if !ok {
			s.log.Warn("trust of a folder that is none", "uri", f.URI)
			continue
		}
		s.backend.Workspace.SetReadOnly(root, !f.Trusted)
		if s.backend.Trust != nil {
			s.later.do(func() { s.backend.Trust(s.ctx, root, f.Trusted) })
		}
	}
	return nil, nil
}
