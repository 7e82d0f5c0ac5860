package lspbridge

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"companion/lspbridge/editor"
)

// askTrust asks once for each folder whose project configuration is ignored
// because nobody said that the folder is trusted. Until then it stays ignored.
func (s *Server) askTrust() {
	if s.backend.Untrusted == nil || s.backend.Trust == nil {
		return
	}
	s.spawn(func() {
		for _, p := range s.backend.Untrusted() {
			switch {
			case s.distrusted.Load(): // the editor has asked already
				s.editor.LogMessage(slog.LevelInfo, ignored(p))
			case s.firstAsk(p.Root):
				s.askTrustOf(p)
			}
		}
	})
}

// firstAsk reports whether nobody was asked about the root in this session.
func (s *Server) firstAsk(root string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.asked, root) {
		return false
	}
	s.asked = append(s.asked, root)
	return true
}

func ignored(p ProjectConfig) string {
	return editor.Plain(fmt.Sprintf("Companion ignores %s in %s: the folder is not trusted.", strings.Join(p.Found, ", "), p.Root))
}

func (s *Server) askTrustOf(p ProjectConfig) {
	title := fmt.Sprintf("Companion ignores %s in %s until you trust this folder: it can start programs and change where requests go.", strings.Join(p.Found, ", "), p.Root)
	label, err := s.editor.AskTrust(s.ctx, p.Root, title)
	switch {
	case err != nil && s.ctx.Err() == nil:
		s.editor.ShowMessage(slog.LevelInfo, ignored(p))
	case err != nil || label == "": // closed: asked again in the next session
	default:
		s.backend.Trust(s.ctx, p.Root, label == editor.TrustYes)
	}
}
