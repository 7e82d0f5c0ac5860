//go:build unix

package sessions

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

func open(t testing.TB, st *Store, o Options) *Session {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	o.Env = append(o.Env, "PATH="+os.Getenv("PATH"))
	s, err := st.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// HB-194: begin and end are told once and nothing comes after the end, in 100
// tries in which a program ends between the start of a wait and its answer.
func TestAnEndIsTheLastThatIsHeard(t *testing.T) {
	st := NewStore("")
	defer st.Close()
	for i := range 100 {
		var mu sync.Mutex
		heard, over, late := "", false, ""
		o := Options{Thread: "t", Command: fmt.Sprintf("sleep 0.0%02d; echo last", i%30), Listen: func(text string) {
			mu.Lock()
			defer mu.Unlock()
			heard += text
			if over {
				late += text
			}
		}}
		if i%2 == 1 {
			o.Cols, o.Rows = 80, 24
		}
		s := open(t, st, o)
		st.Keep(s)
		if s.Wait(context.Background(), time.Duration(i%30)*time.Millisecond) == Yielded {
			s.Wait(context.Background(), time.Minute)
		}
		s.Listen(nil)
		mu.Lock()
		over = true
		mu.Unlock()
		if end := s.End(); end.Code != 0 || end.Why != "" {
			t.Fatalf("try %d: %+v", i, end)
		}
		if got := s.Take(); got.Text != "last\n" {
			t.Fatalf("try %d: %q", i, got.Text)
		}
		mu.Lock()
		if heard != "last\n" || late != "" {
			t.Fatalf("try %d: heard %q, late %q", i, heard, late)
		}
		mu.Unlock()
	}
}

func TestAPasswordPromptEndsAWait(t *testing.T) {
	for name, c := range map[string]struct {
		line string
		tty  bool
		want Waited
	}{
		"a prompt that hides":        {"printf 'Password: '; stty -echo; read x; stty echo; echo", true, Secret},
		"read -s":                    {"read -s -p 'Token: ' x", true, Secret},
		"hidden, and no prompt":      {"stty -echo; sleep 60", true, Yielded},
		"a prompt that shows":        {"read -p 'Name: ' x", true, Yielded},
		"single keys, as REPLs read": {"stty raw -echo; printf '> '; sleep 60", true, Yielded},
		"pipes":                      {"printf 'Password: '; sleep 60", false, Yielded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := NewStore("")
			defer st.Close()
			o := Options{Thread: "t", Command: c.line}
			d := time.Second
			if c.tty {
				o.Cols, o.Rows = 80, 24
			}
			if c.want == Secret {
				d = time.Minute
			}
			s := open(t, st, o)
			if got := s.Wait(context.Background(), d); got != c.want || s.Hidden() != (c.want == Secret) {
				t.Errorf("%s, hidden %v: %q", got, s.Hidden(), s.Take().Text)
			}
		})
	}
}

// HB-131: what a command does to its terminal is its own affair; ours stays.
func TestOurOwnTerminalIsOutOfReach(t *testing.T) {
	st := NewStore("")
	defer st.Close()
	for line, tty := range map[string]bool{
		"stty -echo; sleep 0.2; stty -a | grep -o -- '-echo '": true,
		"(exec 9</dev/tty) 2>/dev/null && echo reached":        false,
	} {
		o := Options{Thread: "t", Command: line}
		if tty {
			o.Cols, o.Rows = 80, 24
		}
		s := open(t, st, o)
		<-s.Done()
		text := s.Take().Text
		if tty != strings.Contains(text, "-echo") || strings.Contains(text, "reached") {
			t.Errorf("%s: %q", line, text)
		}
	}
	s := open(t, st, Options{Thread: "t", Command: "stty size; sleep 0.1; stty -a", Cols: 99, Rows: 33})
	<-s.Done()
	if text := s.Take().Text; !strings.Contains(text, "33 99") || strings.Contains(text, "-echo ") {
		t.Errorf("a new terminal has what another set: %q", text)
	}
}

func TestTerminalsAreTypedIntoAndResized(t *testing.T) {
	st := NewStore("")
	defer st.Close()
	s := open(t, st, Options{Thread: "t", Command: "read a; echo got $a; read b; echo $b; stty size", Cols: 80, Rows: 24})
	type step struct{ chars, want string }
	for _, c := range []step{{"one\r", "got one"}, {"", ""}, {"two\r", "two\n30 100"}} {
		if c.chars == "" {
			if err := s.Resize(100, 30); err != nil {
				t.Fatal(err)
			}
		} else if _, err := s.Write([]byte(c.chars), time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		text := ""
		for deadline := time.Now().Add(20 * time.Second); !strings.Contains(text, c.want); {
			if time.Now().After(deadline) {
				t.Fatalf("%q did not come: %q", c.want, text)
			}
			s.Wait(context.Background(), 20*time.Millisecond)
			text += s.Take().Text
		}
	}
	<-s.Done()
	if n, err := s.Write([]byte("x"), time.Now().Add(time.Second)); err == nil {
		t.Errorf("%d bytes were typed after the end", n)
	}
}

func TestAProgramThatDoesNotReadHoldsNobody(t *testing.T) {
	st := NewStore("")
	defer st.Close()
	s := open(t, st, Options{Thread: "t", Command: "stty raw -echo; echo up; sleep 600", Cols: 80, Rows: 24})
	for !strings.Contains(s.Take().Text, "up") {
		s.Wait(context.Background(), 10*time.Millisecond)
	}
	begun := time.Now()
	n, err := s.Write([]byte(strings.Repeat("x", 1<<20)), time.Now().Add(300*time.Millisecond))
	if err == nil || n == 1<<20 || time.Since(begun) > 10*time.Second {
		t.Errorf("%d bytes, %v, after %s", n, err, time.Since(begun))
	}
}
