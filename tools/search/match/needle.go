package match

import (
	"bytes"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// A needle is a text that is looked for before an expression is tried.
type needle struct {
	text string
	fold bool // in any case; text is lower-case ASCII then
	at   int  // for fold: the byte of text that is looked for, the rarest
}

// mostNeedles bounds how many alternatives are looked for one after the other;
// beyond, the expression itself is as quick.
const mostNeedles = 12

// needles are texts of which every match holds one; nil = there are none, or
// they are too short to be of use. Only those that are ASCII, or those that no
// other charset writes with other bytes: what is not UTF-8 is searched too.
func needles(re *syntax.Regexp) []needle {
	best := required(re)
	if len(best) > mostNeedles {
		return nil
	}
	for i := range best {
		best[i].at = rarest(best[i].text)
	}
	return best
}

func required(re *syntax.Regexp) []needle {
	switch re.Op {
	case syntax.OpLiteral:
		return literalNeedle(re)
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []needle
		for _, sub := range re.Sub {
			if n := required(sub); better(n, best) {
				best = n
			}
		}
		return best
	case syntax.OpAlternate:
		var all []needle
		for _, sub := range re.Sub {
			n := required(sub)
			if n == nil {
				return nil
			}
			all = append(all, n...)
		}
		return all
	}
	return nil
}

// literalNeedle is the longest run of ASCII in a literal.
func literalNeedle(re *syntax.Regexp) []needle {
	fold := re.Flags&syntax.FoldCase != 0
	best := ""
	for _, run := range strings.FieldsFunc(string(re.Rune), func(r rune) bool { return r >= utf8.RuneSelf || r == '\n' }) {
		if len(run) > len(best) {
			best = run
		}
	}
	if best == "" {
		return nil
	}
	lower := strings.ToLower(best)
	if fold && lower == strings.ToUpper(best) {
		fold = false
	}
	if fold {
		best = lower
	}
	return []needle{{text: best, fold: fold}}
}

// better prefers the set whose shortest text is longer, and fewer of them.
func better(a, b []needle) bool {
	if a == nil || b == nil {
		return a != nil
	}
	if worth(a) != worth(b) {
		return worth(a) > worth(b)
	}
	return len(a) < len(b)
}

func worth(set []needle) int {
	w := 1 << 20
	for _, n := range set {
		v := 2 * min(len(n.text), 8)
		if n.fold {
			v--
		}
		w = min(w, v)
	}
	return w
}

// common are letters from the most frequent in source text; what is not here is
// rarer than all of them.
const common = "etaonrisldcpufmhg_.b,()yv=w;\":x/-0k1"

// rarest is the index of the byte of s that source text holds least often.
func rarest(s string) int {
	at, rank := 0, -1
	for i := range len(s) {
		r := strings.IndexByte(common, s[i])
		if s[i] == ' ' || s[i] == '\t' {
			r = 0
		} else if r < 0 {
			r = len(common)
		}
		if r > rank {
			at, rank = i, r
		}
	}
	return at
}

// finder looks for a set of needles in one text, from left to right.
type finder struct {
	text []byte
	need []needle
	next []int // where each stands next, -1 = no more, -2 = not looked yet
	low  []int // for fold: where the wanted byte stands next in lower case …
	high []int // … and in upper case
}

func newFinder(text []byte, need []needle) *finder {
	n := len(need)
	places := make([]int, 3*n)
	for i := range places {
		places[i] = -2
	}
	return &finder{text, need, places[:n], places[n : 2*n], places[2*n:]}
}

// unsure tells whether a text holds letters that match a needle of ASCII in
// another case, so that the expression has to be asked alone.
func unsure(text []byte, need []needle) bool {
	for _, n := range need {
		if n.fold && (odd(text, n.text, "k", "\u212a") || odd(text, n.text, "s", "\u017f")) { // Kelvin, long s
			return true
		}
	}
	return false
}

func odd(text []byte, needle, letter, other string) bool {
	return strings.Contains(needle, letter) && bytes.Contains(text, []byte(other))
}

// from gives the first place of any needle at or behind pos, or -1.
func (f *finder) from(pos int) (at, length int) {
	at = -1
	for i := range f.need {
		if f.next[i] != -1 && f.next[i] < pos {
			f.next[i] = f.seek(i, pos)
		}
		if p := f.next[i]; p >= 0 && (at < 0 || p < at) {
			at, length = p, len(f.need[i].text)
		}
	}
	return at, length
}

func (f *finder) seek(i, pos int) int {
	n := &f.need[i]
	if !n.fold {
		if p := bytes.Index(f.text[pos:], []byte(n.text)); p >= 0 {
			return pos + p
		}
		return -1
	}
	c := n.text[n.at]
	upper := c
	if c >= 'a' && c <= 'z' {
		upper -= 'a' - 'A'
	}
	for want := pos + n.at; ; want++ {
		p := f.soonest(&f.low[i], c, want)
		if upper != c {
			if q := f.soonest(&f.high[i], upper, want); p < 0 || q >= 0 && q < p {
				p = q
			}
		}
		if p < 0 {
			return -1
		}
		want = p
		start := p - n.at
		if end := start + len(n.text); end <= len(f.text) && foldsTo(f.text[start:end], n.text) {
			return start
		}
	}
}

// soonest keeps in place where c stands next at or behind pos.
func (f *finder) soonest(place *int, c byte, pos int) int {
	if *place == -1 || *place >= pos {
		return *place
	}
	*place = -1
	if pos < len(f.text) {
		if p := bytes.IndexByte(f.text[pos:], c); p >= 0 {
			*place = pos + p
		}
	}
	return *place
}

func foldsTo(b []byte, lower string) bool {
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
