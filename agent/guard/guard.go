// Package guard notices a model that goes round in circles.
//
// Never: judge what a call does; it looks only at whether calls and results
// repeat.
package guard

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// Bounds of going round in circles (tools.md, Gate and cancellation).
const (
	sameLimit  = 3 // the same calls in so many steps running
	badLimit   = 3 // unknown tools or cut-off arguments in so many steps running
	staleLimit = 6 // steps running without a result that was not seen before
)

// Call is what a Guard sees of a call.
type Call struct {
	Name      string // with its namespace
	Arguments string // the model's bytes
	Result    string
	// Bad: the tool does not exist, or the arguments were cut off and refused.
	Bad bool
}

// Guard watches the steps of a turn. Each kind of circle is told to the model
// once; going on after that ends the turn. The zero value is ready.
type Guard struct {
	last             string
	same, bad, stale int
	seen             map[[32]byte]bool
	told             map[string]bool
}

// Observe takes the calls of one step, at least one. It gives words for the
// model, or the reason for which the turn ends.
func (g *Guard) Observe(calls []Call) (tell, limit string) {
	if g.seen == nil {
		g.seen, g.told = map[[32]byte]bool{}, map[string]bool{}
	}
	var sig strings.Builder
	fresh, bad := false, true
	for _, c := range calls {
		fmt.Fprintf(&sig, "%s\x00%s\x01", c.Name, c.Arguments)
		h := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s", c.Name, c.Arguments, c.Result))
		fresh = fresh || !g.seen[h]
		g.seen[h] = true
		bad = bad && c.Bad
	}
	g.same = run(g.same, sig.String() == g.last)
	if g.same == 0 {
		g.same = 1
	}
	g.last = sig.String()
	g.bad, g.stale = run(g.bad, bad), run(g.stale, !fresh)
	what := calls[0].Name
	switch {
	case g.same >= sameLimit:
		return g.say("same",
			fmt.Sprintf("You have made the same call (%s) %d times running and its result will not change. Do something else, or end and say what is missing.", what, g.same),
			fmt.Sprintf("the model made the same call (%s) %d times running", what, g.same))
	case g.bad >= badLimit:
		return g.say("bad",
			fmt.Sprintf("%d times running you have called tools that do not exist, or with arguments that were cut off. Call a listed tool with short, complete arguments, or end and say what is missing.", g.bad),
			fmt.Sprintf("the model called unknown tools, or with cut-off arguments, %d times running (last: %s)", g.bad, what))
	case g.stale >= staleLimit:
		return g.say("stale",
			fmt.Sprintf("The last %d steps gave no result that you had not seen before. Do something else, or end and say what is missing.", g.stale),
			fmt.Sprintf("%d steps running gave nothing new", g.stale))
	}
	return "", ""
}

// run is n+1 while it lasts, else 0.
func run(n int, lasts bool) int {
	if lasts {
		return n + 1
	}
	return 0
}

func (g *Guard) say(kind, tell, limit string) (string, string) {
	if g.told[kind] {
		return "", limit
	}
	g.told[kind] = true
	return tell, ""
}
