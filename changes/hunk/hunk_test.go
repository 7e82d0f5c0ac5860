package hunk

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// slots is an oracle: a text of lines that never change, with places of at most
// one line between them.
type slots struct {
	ending string
	places []slot
	last   string // after the last place: no line ending when it is "end"
	count  int    // of unique lines
}

type slot struct {
	base  string
	stack []written // pending, oldest first
	cur   string
}

type written struct {
	turn         int
	before, text string
}

func (s *slots) text() string {
	var b strings.Builder
	for i, p := range s.places {
		fmt.Fprintf(&b, "anchor %d%s%s", i, s.ending, p.cur)
	}
	return b.String() + s.last
}

func (s *slots) line() string {
	s.count++
	return fmt.Sprintf("line %d%s", s.count, s.ending)
}

// conflict tells whether the user changed what the newest turn wrote.
func (p *slot) conflict() bool {
	n := len(p.stack)
	return n > 0 && p.cur != p.stack[n-1].text
}

// clean tells whether no turn stands on what the user made of another's text.
func (p *slot) clean() bool {
	for i, w := range p.stack {
		if i > 0 && w.before != p.stack[i-1].text {
			return false
		}
	}
	return !p.conflict()
}

// drive makes changes by the bytes of data and compares what becomes of the
// text with the oracle.
func drive(t *testing.T, data []byte) {
	next := func(n int) int {
		if len(data) == 0 {
			return 0
		}
		b := int(data[0])
		data = data[1:]
		return b % n
	}
	o := &slots{ending: []string{"\n", "\r\n", "\r"}[next(3)], last: []string{"", "end", "end\r\n"}[next(3)]}
	for range 2 + next(6) {
		p := slot{}
		if next(4) > 0 {
			p.base = o.line()
		}
		p.cur = p.base
		o.places = append(o.places, p)
	}
	f := File{Path: "/f", Exists: true, Text: o.text()}
	ids := 0
	by := func(turn int) Author {
		return Author{Turn: fmt.Sprint("t", turn), Call: "c", Num: turn, ID: func() string { ids++; return fmt.Sprint("h", ids) }}
	}
	turn := 0
	for len(data) > 0 {
		before := o.text()
		what := "nothing"
		switch next(7) {
		case 0:
			turn++
		case 1, 2:
			what = fmt.Sprint("agent of turn ", turn)
			for range 1 + next(3) {
				o.agent(&o.places[next(len(o.places))], turn)
			}
			f = f.Edited(by(turn), before, o.text())
		case 3, 4:
			what = "user"
			back := next(4) == 0
			o.user(&o.places[next(len(o.places))], back)
			if back || next(2) == 0 { // else it is seen together with what follows
				f = f.Seen(true, o.text(), Nobody)
			}
		case 5:
			what = "undo"
			f = f.Seen(true, before, Nobody)
			which := next(turn + 2)
			if which > turn {
				f, _ = f.UndoAll("", All)
				for n := turn; n >= 0; n-- {
					o.undo(n)
				}
			} else {
				f, _ = f.UndoAll(fmt.Sprint("t", which), All)
				o.undo(which)
			}
			if f.Text != o.text() {
				t.Fatalf("undo of turn %d of %d gives %q, want %q (before: %q)", which, turn, f.Text, o.text(), before)
			}
		case 6:
			what = "keep"
			f = f.Seen(true, before, Nobody)
			for _, l := range f.Layers {
				f, _ = f.Keep(l.Turn, All)
			}
			for i := range o.places {
				p := &o.places[i]
				p.base, p.stack = p.cur, nil
			}
		}
		check(t, f.Seen(true, o.text(), Nobody), o, what)
	}
	f = f.Seen(true, o.text(), Nobody)
	f, _ = f.UndoAll("", All)
	for n := turn; n >= 0; n-- {
		o.undo(n)
	}
	if f.Text != o.text() {
		t.Fatalf("undo of all gives %q, want %q", f.Text, o.text())
	}
}

// check compares what is pending.
func check(t *testing.T, f File, o *slots, what string) {
	t.Helper()
	want, conflicts, clean := 0, 0, true
	for _, p := range o.places {
		clean = clean && p.clean()
		if len(p.stack) > 0 {
			want++
			if p.conflict() {
				conflicts++
			}
		}
	}
	got, over := 0, 0
	for _, h := range f.Hunks() {
		got++
		if h.Conflict {
			over++
		}
	}
	if got != want || over != conflicts {
		t.Fatalf("after %s: %d hunks, %d in conflict; want %d, %d: %+v\n%q", what, got, over, want, conflicts, f.Hunks(), f.Text)
	}
	if text := f.Before("").Text; clean {
		was := o.text()
		base := *o
		base.places = append([]slot(nil), o.places...)
		for i := range base.places {
			base.places[i].cur = base.places[i].base
		}
		if text != base.text() {
			t.Fatalf("after %s: the base is %q, want %q (now %q)", what, text, base.text(), was)
		}
	}
}

func (o *slots) agent(p *slot, turn int) {
	before := p.cur
	p.cur = o.line()
	if n := len(p.stack); n > 0 && p.stack[n-1].turn == turn {
		if p.stack[n-1].text == before {
			p.stack[n-1].text = p.cur
			return
		}
		p.stack = p.stack[:n-1] // the user changed it: this is where the new change starts
	}
	if len(p.stack) == 0 {
		p.base = before
	}
	p.stack = append(p.stack, written{turn, before, p.cur})
}

func (o *slots) user(p *slot, back bool) {
	switch {
	case len(p.stack) == 0:
		p.cur = o.line()
		p.base = p.cur
	case back && len(p.stack) == 1: // takes the agent's change back himself
		p.cur, p.stack = p.base, nil
	case len(p.stack) == 1:
		p.cur = o.line()
	}
}

func (o *slots) undo(turn int) {
	for i := range o.places {
		p := &o.places[i]
		if n := len(p.stack); n > 0 && p.stack[n-1].turn == turn && !p.conflict() {
			p.cur = p.stack[n-1].before
			p.stack = p.stack[:n-1]
		}
	}
}

func TestAnySequenceOfChangesKeepsWhatEachMade(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		data := make([]byte, 10+r.IntN(60))
		for i := range data {
			data[i] = byte(r.UintN(256))
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) { drive(t, data) })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func FuzzChanges(f *testing.F) {
	f.Add([]byte("\x01\x01\x04\x01\x02\x03\x04\x05\x06\x01\x02\x03\x04\x05"))
	f.Add([]byte("\x00\x02\x02\x01\x01\x01\x01\x00\x01\x03\x01\x05\x00"))
	f.Fuzz(drive)
}
