package lspbridge

import (
	"context"
	"log/slog"
	"strings"

	"companion/changes"
	"companion/lspbridge/command"
	"companion/lspbridge/companion"
	"companion/lspbridge/document"
	"companion/lspbridge/editor"
	"companion/lspbridge/lens"
	"companion/lspbridge/rpc"
	"companion/lspbridge/wire"
	"companion/tools"
)

// companionRows are the companion/* methods as rows of the table.
func companionRows() []method {
	var out []method
	for _, m := range companion.FromEditor() {
		out = append(out, method{
			name: m.Name, notification: m.Notification(), loose: m.Name == "companion/status" || m.Name == "companion/turn/stop",
			handle: func(s *Server, ctx context.Context, r *rpc.Request) (any, error) {
				return m.Handle(s.companion, ctx, r, r.Params, "")
			},
		})
	}
	return out
}

// offer makes the handlers of tier 1 over what Build made.
func (s *Server) offer(b *Backend, owner string) {
	s.companion = &companion.Handlers{
		Workspace: b.Workspace, NewTurn: b.Agent.NewTurn, Stop: b.Agent.Stop,
		Threads: b.Threads, Reader: b.Reader, Turns: b.Turns, Tools: b.EditorTools, Changes: b.Changes,
		Specs: func() ([]tools.Spec, int) {
			return call(b.Tools), call(b.Revision)
		},
		Stand:  b.Stand,
		Models: b.Models, Register: b.RegisterModels, State: s.statusNow,
		Owner: owner, Log: s.log, Encoding: s.editor.Encoding, ToUTF16: s.docs.ToUTF16, FromUTF16: s.docs.FromUTF16,
		Started: func(r *rpc.Request, t companion.Turn, title string) { s.started(r, t, command.Kind("turn"), title) },
		Adopt:   s.adopt, Follow: s.turns.follow, Trust: s.trust,
	}
}

// listen tells the editor what changes besides turns.
func (s *Server) listen(b *Backend) {
	var ends []func()
	flags := s.editor.Client.Companion
	if b.EditorTools != nil && (flags.Events || flags.ToolCalls) {
		ends = append(ends, b.EditorTools.OnChange(func(revision int) {
			s.editor.Notify("companion/tools/didChange", wire.ToolsChanged{Revision: revision})
		}))
	}
	if b.Changes != nil {
		ends = append(ends, b.Changes.OnChange(func(thread string, paths []string) {
			if flags.Events || flags.Review {
				uris := make([]string, len(paths))
				for i, p := range paths {
					uris[i] = wire.FileURI(p)
				}
				s.editor.Notify("companion/changes/didChange", wire.ChangesChanged{ThreadID: thread, URIs: uris})
			}
			s.lenses.Refresh()
		}))
	}
	if flags.Files {
		ends = append(ends, b.Workspace.Observe(s.editor.Observe))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unhear = append(s.unhear, ends...)
}

// registerTools registers those that initialize brought.
func (s *Server) registerTools(o wire.InitializationOptions) {
	if len(o.Tools) == 0 && len(o.Namespaces) == 0 {
		return
	}
	out, err := s.companion.RegisterTools(wire.ToolsRegisterParams{Owner: s.companion.Owner, Tools: o.Tools, Namespaces: o.Namespaces})
	if err != nil {
		s.log.Warn("tools of initialize", "err", err)
		return
	}
	s.rejected = out.Rejected
}

// tellRejected says which tools of initialize were not registered; a request
// has an answer for that, initialize has none.
func (s *Server) tellRejected() {
	for _, r := range s.rejected {
		s.editor.LogMessage(slog.LevelWarn, editor.Plain("Companion: the tool "+r.Name+" was not registered ("+r.Code+"): "+r.Message))
	}
}

// trust takes what the user says of a folder.
func (s *Server) trust(folder string, trusted bool) {
	s.distrusted.Store(!trusted) // editors trust a window, not a folder
	s.backend.Workspace.SetReadOnly(folder, !trusted)
	if s.backend.Trust != nil {
		s.later.Do(func() { s.backend.Trust(s.ctx, folder, trusted) })
	}
}

// progress handles $/progress of an editor: parts of what it was asked.
func (s *Server) progress(_ context.Context, r *rpc.Request) (any, error) {
	return nil, s.editor.Progressed(r.Params)
}

// showText shows a text as a document at tier 0. A client that has the commands
// or the review itself shows the answer that it gets, where it likes.
func (s *Server) showText(name, text string) {
	if c := s.editor.Client.Companion; c.Commands || c.Review {
		return
	}
	s.spawn(func() {
		path, err := s.keepText(name, text)
		if err != nil {
			s.log.Warn("not kept", "name", name, "err", err)
		}
		if path == "" || !s.editor.ShowDocument(s.ctx, path) {
			s.editor.LogMessage(slog.LevelInfo, text)
		}
	})
}

func (s *Server) newLenses() *lens.Handler {
	h := &lens.Handler{Pending: s.pending, Spawn: s.spawn}
	if c := s.editor.Client; c.Workspace.CodeLens.RefreshSupport && !c.Companion.Review {
		h.Ask = func() { s.editor.RefreshLenses(s.ctx) }
	}
	return h
}

// codeLens handles textDocument/codeLens.
func (s *Server) codeLens(ctx context.Context, r *rpc.Request) (any, error) {
	return s.lenses.List(ctx, r)
}

// pending are the hunks of a document that lenses show.
func (s *Server) pending(id string) []changes.Hunk {
	if s.backend.Pending == nil || s.editor.Client.Companion.Review || !document.Served(id) {
		return nil
	}
	f, err := s.backend.Workspace.ResolveURI(id)
	if err != nil {
		return nil
	}
	return s.backend.Pending(f.Path)
}

// statusNow is the result of companion/status.
func (s *Server) statusNow() wire.Status {
	st := call(s.backend.Status)
	st.Missing = s.editor.Client.Missing()
	return st
}

// tellMissing says, when the first turn starts, what the client does not offer
// and what is done instead.
func (s *Server) tellMissing() {
	if missing := s.editor.Client.Missing(); len(missing) > 0 {
		s.editor.LogMessage(slog.LevelInfo, "Companion: this editor offers "+strings.Join(missing, "; "))
	}
}
