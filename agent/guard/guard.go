// Package guard notices a model that goes round in circles.
//
// Never: judge what a call does; it looks only at whether calls and results
// repeat.
package guard

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
)

// Bounds of going round in circles (tools.md, Gate and cancellation).
const (
	sameLimit  = 3 // the same calls in so many steps running
	badLimit   = 3 // only unknown tools or cut-off arguments in so many steps running
	staleLimit = 6 // steps running without a result that was not seen before
)

// Call is what a Guard sees of a call.
type Call struct {
	Name      string // with its namespace
	Arguments string // the model's bytes
	Result    string
	// Bad: the tool does not exist, or the arguments were cut off and refused.
	Bad bool
	// Poll: the call waits for something, so that repeating it is no circle.
	Poll bool
}

// Circle is what the model does again and again. The zero value is none.
type Circle struct {
	Kind Kind
	What string // for a person: "the model made the same call (read) 3 times running"
	Tell string // for the model
}

// Kind of a circle.
type Kind string

// The kinds. Of Same and Stale a person can judge whether they make sense; Bad
// never does.
const (
	Same  Kind = "same"  // the same calls
	Bad   Kind = "bad"   // unknown tools, or arguments that were cut off
	Stale Kind = "stale" // nothing new
)

// Guard watches the steps of a turn. The zero value is ready.
type Guard struct {
	last             string
	same, bad, stale int
	seen             map[[32]byte]bool
	told             map[Kind]bool
}

// Observe takes the calls of one step, and gives the circle that they close.
// Calls that poll are not looked at.
func (g *Guard) Observe(calls []Call) Circle {
	if g.seen == nil {
		g.seen, g.told = map[[32]byte]bool{}, map[Kind]bool{}
	}
	var sig strings.Builder
	fresh, bad, what := false, true, ""
	for _, c := range calls {
		if c.Poll {
			continue
		}
		if what == "" {
			what = c.Name
		}
		args := plain(c.Arguments)
		fmt.Fprintf(&sig, "%s\x00%s\x01", c.Name, args)
		h := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s", c.Name, args, c.Result))
		fresh = fresh || !g.seen[h]
		g.seen[h] = true
		bad = bad && c.Bad
	}
	if sig.Len() == 0 {
		return Circle{}
	}
	g.same = 1 + run(g.same-1, sig.String() == g.last)
	g.last = sig.String()
	g.bad, g.stale = run(g.bad, bad), run(g.stale, !fresh)
	switch {
	case g.bad >= badLimit:
		return Circle{
			Bad, fmt.Sprintf("the model called unknown tools, or with cut-off arguments, %d times running (last: %s)", g.bad, what),
			fmt.Sprintf("%d times running you have called tools that do not exist, or with arguments that were cut off. Call a listed tool with short, complete arguments, or end and say what is missing.", g.bad),
		}
	case g.same >= sameLimit:
		return Circle{
			Same, fmt.Sprintf("the model made the same call (%s) %d times running", what, g.same),
			fmt.Sprintf("You have made the same call (%s) %d times running and its result will not change. Do something else, or end and say what is missing.", what, g.same),
		}
	case g.stale >= staleLimit:
		return Circle{
			Stale, fmt.Sprintf("%d steps running gave nothing new (last: %s)", g.stale, what),
			fmt.Sprintf("The last %d steps gave no result that you had not seen before. Do something else, or end and say what is missing.", g.stale),
		}
	}
	return Circle{}
}

// Told notes that the model was told of a kind of circle; it is false when it
// was told before.
func (g *Guard) Told(k Kind) bool {
	if g.told[k] {
		return false
	}
	g.told[k] = true
	return true
}

// Reset begins to count anew: a person has judged what was counted.
func (g *Guard) Reset() { *g = Guard{told: g.told, seen: g.seen} }

// plain is arguments without what makes no difference: spaces, and the order of
// properties.
func plain(args string) string {
	var v any
	d := json.NewDecoder(strings.NewReader(args))
	d.UseNumber()
	if d.Decode(&v) != nil || d.More() {
		return args
	}
	out, err := json.Marshal(v)
	if err != nil {
		return args
	}
	return string(out)
}

// run is n+1 while it lasts, else 0.
func run(n int, lasts bool) int {
	if lasts {
		return n + 1
	}
	return 0
}
