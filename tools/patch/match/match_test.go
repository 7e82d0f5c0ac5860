package match

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"companion/text"
	"companion/tools/patch/syntax"
)

// slow finds the places of a hunk without @@ lines, by trying all of them.
func slow(file string, h syntax.Hunk) (places []int, pass Pass) {
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(file), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	var old []string
	for _, l := range h.Lines {
		if l.Op != '+' {
			old = append(old, l.Text)
		}
	}
	plain := strings.NewReplacer("“", `"`, "”", `"`, "‘", "'", "’", "'", "–", "-", "—", "-", "\u00a0", " ", "…", "...")
	same := []func(f, p string) bool{
		func(f, p string) bool { return f == p },
		func(f, p string) bool { return strings.TrimRight(f, " \t") == strings.TrimRight(p, " \t") },
		func(f, p string) bool { return strings.Trim(f, " \t") == strings.Trim(p, " \t") },
		func(f, p string) bool {
			return plain.Replace(strings.Trim(f, " \t")) == plain.Replace(strings.Trim(p, " \t"))
		},
		func(f, p string) bool {
			return plain.Replace(strings.Trim(f, " \t")) == plain.Replace(strings.Trim(strings.ReplaceAll(p, `\"`, `"`), " \t"))
		},
	}
	for pass, eq := range same {
		for at := 0; at+len(old) <= len(lines); at++ {
			ok := true
			for k := range old {
				ok = ok && eq(lines[at+k], old[k])
			}
			if ok {
				places = append(places, at)
			}
		}
		if len(places) > 0 {
			return places, Pass(pass)
		}
	}
	return nil, 0
}

// FuzzMatcherIsTheSlowOne compares the matcher with one that tries all places.
func FuzzMatcherIsTheSlowOne(f *testing.F) {
	f.Add("a\nb\na\nb\n", " a\n-b\n+c")
	f.Add("“x” – y\r\n  z \r\n", " \"x\" - y\n-z\n+q")
	f.Add("a = \"x\"\n", "-a = \\\"x\\\"\n+b")
	f.Fuzz(func(t *testing.T, file, hunk string) {
		if strings.ContainsAny(file+hunk, "\u2002\u2003\u2009\u200a\u202f\u3000\ufeff\v\f'‐‑‒―−‚‛′„‟″\u2004\u2005\u2006\u2007\u2008\u205f\u200b\x00\u00a0") || len(file) > 2000 || !utf8.ValidString(file+hunk) {
			t.Skip() // the slow one knows fewer of them
		}
		var h syntax.Hunk
		for l := range strings.SplitSeq(hunk, "\n") {
			if l == "" || !strings.ContainsRune(" +-", rune(l[0])) || strings.Contains(l, "\r") {
				t.Skip()
			}
			h.Lines = append(h.Lines, syntax.Line{Op: l[0], Text: l[1:]})
		}
		h.Line = 1
		if !h.Changes() || !strings.ContainsAny(hunk[:1]+strings.ReplaceAll(hunk, "\n", ""), " -") || onlyAdds(h) {
			t.Skip()
		}
		places, pass := slow(file, h)
		edits, placed, err := Place(file, []syntax.Hunk{h}, false)
		var miss *Miss
		switch {
		case len(places) == 0:
			if !errors.As(err, &miss) || len(miss.Places) > 0 {
				t.Fatalf("found %+v, %v; there is none", placed, err)
			}
		case len(places) > 1:
			if !errors.As(err, &miss) || len(miss.Places) != len(places) {
				t.Fatalf("%+v, %v; there are %v", placed, err, places)
			}
		default:
			if err != nil || placed[0].Pass != pass {
				t.Fatalf("%+v, %v; it is at %v, pass %v", placed, err, places, pass)
			}
			first := 0
			for _, l := range h.Lines {
				if l.Op != ' ' {
					break
				}
				first++
			}
			if placed[0].Line != places[0]+first+1 {
				t.Fatalf("%+v; it is at %v", placed, places)
			}
			if _, err := text.Apply(file, edits); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func onlyAdds(h syntax.Hunk) bool {
	for _, l := range h.Lines {
		if l.Op != '+' {
			return false
		}
	}
	return true
}

// edited is a file, random edits of it by lines, and hunks that say the same.
func edited(r *rand.Rand) (before, after string, hunks []syntax.Hunk) {
	endings := []string{"\n", "\r\n", "\n", "\r"}
	n := r.IntN(30)
	ending := endings[r.IntN(4)]
	var lines, ends []string
	for i := range n {
		lines = append(lines, fmt.Sprintf("%s%c%s", strings.Repeat(" ", r.IntN(3)), 'a'+rune(r.IntN(4)), strings.Repeat("x", r.IntN(2))))
		ends = append(ends, ending)
		if r.IntN(12) == 0 {
			ends[i] = endings[r.IntN(4)]
		}
	}
	open := n > 0 && r.IntN(3) == 0
	if open {
		ends[n-1] = ""
	}
	for i := range n {
		before += lines[i] + ends[i]
	}
	most, _ := text.Ending(before)
	if most == "" {
		most = "\n"
	}
	var h syntax.Hunk
	type line struct{ text, end string }
	var out []line
	for i := 0; i <= n; i++ {
		for r.IntN(6) == 0 {
			l := fmt.Sprintf("new %d", r.IntN(3))
			h.Lines = append(h.Lines, syntax.Line{Op: '+', Text: l})
			out = append(out, line{l, most})
		}
		if i == n {
			break
		}
		if r.IntN(6) == 0 {
			h.Lines = append(h.Lines, syntax.Line{Op: '-', Text: lines[i]})
			continue
		}
		h.Lines = append(h.Lines, syntax.Line{Op: ' ', Text: lines[i]})
		out = append(out, line{lines[i], ends[i]})
	}
	for i := range out { // an open end stays open, and only the last line is
		last := i == len(out)-1
		switch {
		case open && last && out[i].text != "" && strings.HasPrefix(out[i].text, "new"):
			out[i].end = ""
		case !last && out[i].end == "":
			out[i].end = most
		}
		after += out[i].text + out[i].end
	}
	return before, after, []syntax.Hunk{h}
}

// split cuts a hunk into several at runs of context.
func split(r *rand.Rand, h syntax.Hunk) (out []syntax.Hunk) {
	var cur syntax.Hunk
	for _, l := range h.Lines {
		cur.Lines = append(cur.Lines, l)
		if l.Op == ' ' && r.IntN(5) == 0 && cur.Changes() {
			out = append(out, cur)
			cur = syntax.Hunk{}
		}
	}
	if cur.Changes() {
		out = append(out, cur)
	}
	return out
}

// FuzzEditsComeBack: hunks made of random edits of a random file make those
// edits, or are refused as ambiguous.
func FuzzEditsComeBack(f *testing.F) {
	for i := range uint64(50) {
		f.Add(i, i*7)
	}
	f.Fuzz(func(t *testing.T, a, b uint64) {
		r := rand.New(rand.NewPCG(a, b))
		before, after, hunks := edited(r)
		if !hunks[0].Changes() {
			return
		}
		try := func(hunks []syntax.Hunk, sure bool) {
			edits, _, err := Place(before, hunks, false)
			var miss *Miss
			if !sure && errors.As(err, &miss) && len(miss.Places) > 0 {
				return
			}
			if err != nil {
				t.Fatalf("%q, %+v: %v", before, hunks, err)
			}
			if got, err := text.Apply(before, edits); err != nil || got != after {
				t.Fatalf("%q, %+v:\n got %q (%v)\nwant %q", before, hunks, got, err, after)
			}
		}
		if !onlyAdds(hunks[0]) {
			try(hunks, true)
		}
		parts := split(r, hunks[0])
		for _, h := range parts {
			if onlyAdds(h) {
				return // its place is told otherwise
			}
		}
		try(parts, false)
	})
}
