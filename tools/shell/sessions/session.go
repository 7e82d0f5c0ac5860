package sessions

import (
	"context"
	"sync"
	"time"

	"github.com/sourcegraph/conc"

	"companion/tools/shell/output"
	"companion/tools/shell/proc"
)

// Options of Store.Start.
type Options struct {
	Thread  string
	Command string
	Dir     string // absolute
	Env     []string
	Shell   string // see proc.Options
	Login   bool
	// Cols and Rows are the size of the terminal; 0 = pipes.
	Cols, Rows int
	// Deadline kills the command after so long; 0 = never.
	Deadline time.Duration
	// Listen hears the output from the beginning; see output.Listen.
	Listen func(string)
}

// Why is the reason for which a command was ended; "" = it ended by itself.
type Why string

// The reasons.
const (
	Deadline Why = "deadline" // Options.Deadline passed
	Asked    Why = "asked"    // Stop was called
	Closed   Why = "closed"   // its thread or the store was closed
	Room     Why = "room"     // another session needed its place
)

// End is how a command ended.
type End struct {
	proc.End
	Why  Why
	Took time.Duration
	At   time.Time
}

// Session is one command, running or ended.
type Session struct {
	Options
	Begun time.Time

	id   int // 0 = the call that started it has it yet; guarded by the store
	p    *proc.Process
	out  *output.Output
	stop chan Why
	done chan struct{}
	end  End // after done
	own  conc.WaitGroup

	mu     sync.Mutex // one taker of output at a time
	drawn  [2]int     // columns and rows, as resized
	looked time.Time  // when output was taken last
	marked time.Time
}

func start(o Options, dir, name string) (*Session, error) {
	s := &Session{Options: o, Begun: time.Now(), stop: make(chan Why, 1), done: make(chan struct{}), drawn: [2]int{o.Cols, o.Rows}}
	var p *proc.Process
	ready := make(chan struct{})
	s.out = output.New(output.Options{Dir: dir, Name: name, Cols: o.Cols, Rows: o.Rows, Reply: func(b []byte) {
		<-ready
		p.Reply(b)
	}})
	s.out.Listen(o.Listen)
	var err error
	p, err = proc.Start(proc.Options{
		Command: o.Command, Dir: o.Dir, Env: o.Env, Shell: o.Shell, Login: o.Login, Cols: o.Cols, Rows: o.Rows, Out: s.out,
	})
	s.p = p
	close(ready)
	if err != nil {
		s.out.Close()
		return nil, err
	}
	s.own.Go(s.watch)
	return s, nil
}

// watch sees the command to its end.
func (s *Session) watch() {
	defer close(s.done)
	var late <-chan time.Time
	if s.Options.Deadline > 0 {
		timer := time.NewTimer(s.Options.Deadline)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-s.p.Ended():
	case s.end.Why = <-s.stop:
		s.p.Stop()
	case <-late:
		s.end.Why = Deadline
		s.p.Stop()
	}
	s.end.End = s.p.Reap()
	s.end.At = time.Now()
	s.end.Took = s.end.At.Sub(s.Begun)
	s.out.Close()
}

// Stop ends the command: politely first, and for certain after a moment. It
// does not wait; Done tells. The first reason counts.
func (s *Session) Stop(why Why) {
	select {
	case s.stop <- why:
	default:
	}
}

// kill ends it at once.
func (s *Session) kill(why Why) {
	s.Stop(why)
	if !s.Ended() {
		s.p.Kill()
	}
}

// Done is closed when the command and what is left of it have ended.
func (s *Session) Done() <-chan struct{} { return s.done }

// Ended tells whether it has.
func (s *Session) Ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// End is how it ended; only after Done.
func (s *Session) End() End { return s.end }

// Terminal tells whether the command has one, and its size.
func (s *Session) Terminal() (has bool, cols, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.p.Terminal(), s.drawn[0], s.drawn[1]
}

// Waited is what ended a Wait.
type Waited string

// The ends of waiting.
const (
	Finished Waited = "finished" // the command has ended
	Yielded  Waited = "yielded"  // the time is over
	Stopped  Waited = "stopped"  // the context is
	Secret   Waited = "secret"   // a line is asked for that the terminal does not show
)

// secretLook is how often a terminal is looked at for a prompt that hides what
// is typed; seen twice it counts.
const secretLook = 150 * time.Millisecond

// Wait waits for the end, at most d. Of a terminal it returns when a password
// is asked for, too.
func (s *Session) Wait(ctx context.Context, d time.Duration) Waited {
	timer := time.NewTimer(d)
	defer timer.Stop()
	var look <-chan time.Time
	if s.p.Terminal() {
		ticker := time.NewTicker(secretLook)
		defer ticker.Stop()
		look = ticker.C
	}
	for seen := 0; ; {
		select {
		case <-s.done:
			return Finished
		case <-ctx.Done():
			return Stopped
		case <-timer.C:
			return Yielded
		case <-look:
			if !s.Hidden() {
				seen = 0
			} else if seen++; seen == 2 {
				return Secret
			}
		}
	}
}

// Hidden tells whether a prompt stands there whose answer the terminal does not
// show.
func (s *Session) Hidden() bool { return s.p.Secret() && s.out.Prompt() != "" }

// Listen gives the output that follows to emit; nil = to nobody.
func (s *Session) Listen(emit func(string)) { s.out.Listen(emit) }

// Take gives the output since the last Take.
func (s *Session) Take() output.Taken {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looked = time.Now()
	return s.out.Take(s.Ended())
}

// Mark gives the time of the last Mark, at first that of its beginning.
func (s *Session) Mark() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.marked
	s.marked = time.Now()
	if before.IsZero() {
		return s.Begun
	}
	return before
}

// Unread tells whether there is output that was not taken.
func (s *Session) Unread() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Last().After(s.looked)
}

// Output is what it wrote.
func (s *Session) Output() *output.Output { return s.out }

// Write types into the terminal; see proc.Process.Write.
func (s *Session) Write(b []byte, deadline time.Time) (int, error) { return s.p.Write(b, deadline) }

// Interrupt does what ^C does, where there is no terminal.
func (s *Session) Interrupt() { s.p.Interrupt() }

// Resize gives the terminal another size.
func (s *Session) Resize(cols, rows int) error {
	if err := s.p.Resize(cols, rows); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drawn = [2]int{cols, rows}
	s.out.Resize(cols, rows)
	return nil
}
