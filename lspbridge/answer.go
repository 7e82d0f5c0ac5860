package lspbridge

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// maxMessage bounds what window/showMessage gets, in bytes; editors show it in
// a corner.
const maxMessage = 2000

// showAnswer shows the final answer of ask and explain as the setting
// companion.answers says.
func (s *Server) showAnswer(t *turn, text string) {
	switch call(s.backend.Answers) {
	case "log":
		s.editor.LogMessage(slog.LevelInfo, text)
		return
	case "message":
	default:
		path, err := s.writeAnswer(t, text)
		if err != nil {
			s.log.Warn("the answer was not kept", "err", err)
		}
		if path != "" && s.editor.ShowDocument(s.ctx, path) {
			return
		}
	}
	if len(text) > maxMessage {
		s.editor.LogMessage(slog.LevelInfo, text)
		text = cut(text, maxMessage) + "… (all of it is in the log of this language server)"
	}
	s.editor.ShowMessage(slog.LevelInfo, text)
}

// writeAnswer keeps an answer as Markdown in the state folder; "" when there
// is none.
func (s *Server) writeAnswer(t *turn, text string) (string, error) {
	return s.keepText(fileName(t.id)+".md", "# "+t.title+"\n\n"+strings.TrimRight(text, "\n")+"\n")
}

// keepText writes a text into the state folder, to be shown from there; "" when
// the editor shows no documents.
func (s *Server) keepText(name, content string) (string, error) {
	if s.opt.StateDir == "" || !s.editor.Client.Window.ShowDocument.Support {
		return "", nil
	}
	dir := filepath.Join(s.opt.StateDir, "answers")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("answers: %w", err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		return "", fmt.Errorf("answers: %w", err)
	}
	return path, nil
}

// fileName keeps of an id what every file system takes.
func fileName(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, id)
}

// cut gives at most n bytes of s, whole characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
