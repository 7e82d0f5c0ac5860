package lspbridge

import (
	"encoding/json"
	"log/slog"
	"strings"
	"sync"

	"companion/lspbridge/command"
	"companion/lspbridge/editor"
	"companion/lspbridge/rpc"
	"companion/lspbridge/wire"
	"companion/session"
)

// turns are the turns that this connection started and that still run, and the
// threads of all that it ever started.
type turns struct {
	mu      sync.Mutex
	byID    map[string]*turn
	threads map[string]bool
}

func newTurns() *turns { return &turns{byID: map[string]*turn{}, threads: map[string]bool{}} }

func (t *turns) get(id string) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[id]
}

func (t *turns) ours(thread string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.threads[thread]
}

// follow makes the connection hear a thread, or no longer.
func (t *turns) follow(thread string, yes bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if yes {
		t.threads[thread] = true
		return
	}
	delete(t.threads, thread)
}

func (t *turns) add(x *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byID[x.id] = x
	t.threads[x.thread] = true
}

func (t *turns) remove(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byID, id)
}

func (t *turns) byToken(token string) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, x := range t.byID {
		if x.token() == token {
			return x
		}
	}
	return nil
}

// turn is what the bridge keeps of a running turn.
type turn struct {
	thread, id string
	kind       command.Kind
	title      string
	progress   *editor.Progress // nil = not shown

	mu   sync.Mutex
	text string // of the last message.completed
}

func (t *turn) token() string { return "companion/" + t.id }

// started is command.Runner.Started: the turn runs once its command is
// answered.
func (s *Server) started(r *rpc.Request, c command.Turn, kind command.Kind, title string) {
	if s.turns.get(c.ID()) != nil { // its input went to the turn that runs
		r.AfterReply(func() { s.spawn(func() { c.Run(s.ctx) }) })
		return
	}
	t := &turn{thread: c.ThreadID(), id: c.ID(), kind: kind, title: title}
	t.progress = s.editor.NewProgress(t.token(), title)
	s.turns.add(t)
	r.AfterReply(func() {
		s.missing.Do(s.tellMissing)
		if t.progress != nil {
			s.spawn(func() { t.progress.Run(s.ctx) })
		}
		s.spawn(func() {
			defer s.ended(t)
			c.Run(s.ctx)
		})
	})
}

// ended tidies up after a turn, also one that panicked.
func (s *Server) ended(t *turn) {
	t.progress.End("")
	s.turns.remove(t.id)
}

// hear gets every event of the agent; it must not block.
func (s *Server) hear(ev session.Event) {
	if s.editor.Client.Companion.Events && s.turns.ours(ev.Thread) {
		raw, err := wire.EncodeEvent(ev)
		if err != nil {
			s.log.Error("event not sent", "type", ev.Type, "err", err)
		} else {
			s.tell(ev, raw)
		}
	}
	t := s.turns.get(ev.Turn)
	if t == nil {
		return
	}
	switch ev.Type {
	case session.ToolStarted:
		if ev.Tool != nil {
			t.progress.Report(ev.Tool.Activity)
		}
	case session.ToolProgress:
		if ev.Text != "" {
			t.progress.Report(ev.Text)
		}
	case session.MessageCompleted:
		t.mu.Lock()
		t.text = ev.Text
		t.mu.Unlock()
	case session.Warned:
		if !s.editor.Client.Companion.Events {
			s.editor.LogMessage(slog.LevelWarn, "Companion: "+ev.Message)
		}
	case session.TurnCompleted:
		s.completed(t, ev)
	}
}

// tell sends an event; one that is not stored may be left out.
func (s *Server) tell(ev session.Event, raw json.RawMessage) {
	if ev.Seq == 0 {
		s.editor.NotifyLossy("companion/event", raw)
		return
	}
	s.editor.Notify("companion/event", raw)
}

// completed shows at tier 0 how a turn ended.
func (s *Server) completed(t *turn, ev session.Event) {
	t.mu.Lock()
	text := t.text
	t.mu.Unlock()
	t.progress.End(closing(t, ev, text))
	if s.editor.Client.Companion.Events {
		return // the client shows what the events say
	}
	switch {
	case ev.Status == "failed":
		s.editor.ShowMessage(slog.LevelError, "Companion: "+editor.Plain(ev.Error))
	case ev.Status == "limit":
		s.editor.Warn("Companion stopped at a limit: " + editor.Plain(ev.Error))
	}
	if text == "" {
		return
	}
	switch t.kind {
	case command.Ask, command.Explain:
		s.spawn(func() { s.showAnswer(t, text) })
	default:
		s.editor.LogMessage(slog.LevelInfo, text)
		if t.progress == nil {
			s.editor.ShowMessage(slog.LevelInfo, closing(t, ev, text))
		}
	}
}

// closing is the last line of a turn's progress: what the agent says it did.
func closing(t *turn, ev session.Event, text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if first == "" || ev.Status != "completed" || t.kind == command.Ask || t.kind == command.Explain {
		return outcome(ev)
	}
	return cut(editor.Plain(first), maxClosing)
}

// maxClosing bounds the last line of a progress, in bytes.
const maxClosing = 200

func outcome(ev session.Event) string {
	switch ev.Status {
	case "completed":
		return "Done"
	case "stopped":
		return "Stopped"
	case "limit":
		return "Stopped at a limit"
	}
	return "Failed"
}
