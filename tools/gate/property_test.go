package gate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sourcegraph/conc"

	"companion/tools"
)

// Random steps of several threads over a few resources. The reference is what
// the words of doc.go say: no two conflicting calls overlap, conflicting calls
// of a step run in call order (commands that asked aside), all of them end.
func TestRandomStepsKeepTheRules(t *testing.T) {
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 7))
			locks := New()
			var threads [][]one
			for n := range 1 + rnd.IntN(3) {
				threads = append(threads, randomStep(rnd, n))
			}
			said := make([][]string, len(threads))
			var wg conc.WaitGroup
			for i, calls := range threads {
				wg.Go(func() { said[i], _ = step(t, locks, calls...) })
			}
			wg.Wait()
			for i, calls := range threads {
				checkStep(t, seed, calls, said[i])
			}
			if len(locks.held)+len(locks.waiting) > 0 {
				t.Errorf("seed %d: left behind %d held, %d waiting", seed, len(locks.held), len(locks.waiting))
			}
		})
	}
}

func randomStep(rnd *rand.Rand, thread int) []one {
	some := func(most int) time.Duration { return time.Duration(rnd.IntN(most)) * time.Millisecond }
	calls := make([]one, 1+rnd.IntN(14))
	for i := range calls {
		o := one{name: fmt.Sprintf("t%dc%d", thread, i), prepares: some(20), runs: 1 + some(50)}
		switch rnd.IntN(5) {
		case 0: // a command
			o.asks = some(2) * 100
		case 1:
			o.readOnly = true
		default:
			for range 1 + rnd.IntN(2) {
				o.locks = append(o.locks, tools.Lock{Resource: string(rune('f' + rnd.IntN(3))), Shared: rnd.IntN(2) == 0})
			}
			o.readOnly = !slices.ContainsFunc(o.locks, func(l tools.Lock) bool { return !l.Shared })
		}
		calls[i] = o
	}
	return calls
}

func checkStep(t *testing.T, seed uint64, calls []one, said []string) {
	t.Helper()
	at := map[string]int{}
	for i, s := range said {
		at[s] = i
	}
	if len(said) != 2*len(calls) {
		t.Errorf("seed %d: %d calls said %d things", seed, len(calls), len(said))
	}
	for i, a := range calls {
		for _, b := range calls[i+1:] {
			if !conflict(locksOf(a), locksOf(b)) {
				continue
			}
			aFirst := at[a.name+" ends"] < at[b.name+" begins"]
			bFirst := at[b.name+" ends"] < at[a.name+" begins"]
			overtakes := a.asks > 0 && len(a.locks) == 0
			if !aFirst && !(bFirst && overtakes) {
				t.Errorf("seed %d: %s (%v) and %s (%v) overlap or change places", seed, a.name, a.locks, b.name, b.locks)
			}
		}
	}
}

func locksOf(o one) []tools.Lock {
	if len(o.locks) > 0 {
		return o.locks
	}
	return unknown(o.readOnly)
}
