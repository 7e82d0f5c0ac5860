package hunk

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"companion/text"
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
	data = data[:min(len(data), 150)]
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
	case back && p.clean() && p.firm(): // all turns' at once
		p.cur, p.stack = p.base, nil
	case len(p.stack) == 1:
		p.cur = o.line()
	}
}

// firm tells whether each turn found a text of an earlier one.
func (p *slot) firm() bool {
	for i, w := range p.stack {
		if i > 0 && w.before == "" {
			return false
		}
	}
	return true
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
	for seed := range uint64(800) {
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

func FuzzTexts(f *testing.F) {
	f.Add("a\nb\n", "a\nB\n", "0\na\nB", "0\na\nC\n")
	f.Add("a\r\nb", "a\rb\n", "\na\rb", "")
	f.Add("", "x", "x\ny", "y")
	f.Fuzz(func(t *testing.T, base, first, user, second string) {
		if len(base)+len(first)+len(user)+len(second) > 2000 {
			return
		}
		n := 0
		by := func(turn string, num int) Author {
			return Author{Turn: turn, Num: num, ID: func() string { n++; return fmt.Sprint("h", n) }}
		}
		fresh := File{Path: "/f", Exists: true, Text: base}.Edited(by("t1", 0), base, first)
		if back, _ := fresh.UndoAll("", All); back.Text != base || len(back.Layers) > 0 {
			t.Fatalf("undo of one edit gives %q, left %+v", back.Text, back.Layers)
		}
		typed := fresh.Seen(true, user, Nobody)
		if back := typed.Seen(true, first, Nobody); !strings.Contains(back.Text, first) {
			t.Fatalf("%q", back.Text)
		}
		for _, turn := range []string{"t1", "t2"} {
			got := typed.Edited(by(turn, 1), user, second)
			sane(t, got, second)
			kept := got
			for _, l := range got.Layers {
				kept, _ = kept.Keep(l.Turn, All)
			}
			if kept.Text != second || len(kept.Layers) > 0 {
				t.Fatalf("keeping all left %+v of %q", kept.Layers, kept.Text)
			}
			back, out := got.UndoAll("", All)
			sane(t, back, back.Text)
			for _, o := range out {
				if o.Outcome == OutcomeConflict {
					return
				}
			}
			if len(back.Layers) > 0 {
				t.Fatalf("all undone, and left %+v", back.Layers)
			}
		}
	})
}

// sane holds for every file that has seen now.
func sane(t *testing.T, f File, now string) {
	t.Helper()
	if f.Text != now {
		t.Fatalf("the text is %q, want %q", f.Text, now)
	}
	for _, l := range f.Layers {
		last := 0
		for _, p := range l.Pieces {
			if p.Start < last || p.End < p.Start || p.End > len(l.Text) || p.ID == "" {
				t.Fatalf("%+v of %q", l.Pieces, l.Text)
			}
			last = p.End
		}
		s := l.settle(now)
		got, err := text.Apply(s.Text, s.edits())
		if err != nil || got != now {
			t.Fatalf("the layer leads to %q (%v), want %q", got, err, now)
		}
		for _, span := range s.spans() {
			if span.Start < 0 || span.End < span.Start || span.End > len(now) {
				t.Fatalf("%+v of %d bytes", span, len(now))
			}
		}
	}
	f.Hunks()
	f.Before("")
}
