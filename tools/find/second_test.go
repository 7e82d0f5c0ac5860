package find

import (
	"slices"
	"testing"
)

// The second set is by another author, who had read neither the index nor its
// tests; each number beside it is what was measured the one time that it was untouched.
func TestQueriesOfAnotherAuthorFindTheirTools(t *testing.T) {
	ix := New(corpus(t))
	for set, want := range map[string]struct {
		n     int
		floor float64
	}{"set": {60, 0.98}, "spare": {26, 0.92}} {
		queries := table(t, "second/labels.tsv", set)
		if len(queries) != want.n {
			t.Errorf("%s has %d queries", set, len(queries))
		}
		share, missed := recall(ix, queries, 8)
		first, _ := recall(ix, queries, 1)
		t.Logf("%s: recall@8 %.3f, recall@1 %.3f", set, share, first)
		if share < want.floor {
			t.Errorf("%s: recall@8 is %.3f, was %.3f", set, share, want.floor)
		}
		for _, q := range missed {
			t.Logf("%s: %q finds none of %v", set, q.text, q.fits)
		}
	}
}

func TestTheNamespaceThatAMessageOfAnotherAuthorNeedsIsNamed(t *testing.T) {
	ix := New(corpus(t))
	for set, want := range map[string]struct {
		n     int
		floor float64
	}{"golden": {30, 0.9}, "spare": {4, 1}} {
		messages := table(t, "second/prompts.tsv", set)
		if len(messages) != want.n {
			t.Errorf("%s has %d messages", set, len(messages))
		}
		named := 0
		for _, m := range messages {
			guesses := ix.Likely(m.text)
			if len(guesses) > 3 {
				t.Errorf("%q: %d guesses", m.text, len(guesses))
			}
			if slices.ContainsFunc(guesses, func(g Guess) bool { return slices.Contains(m.fits, g.Namespace) }) {
				named++
				continue
			}
			t.Logf("%q names %v, not %v", m.text, guesses, m.fits)
		}
		share := float64(named) / float64(len(messages))
		t.Logf("%s: named %.3f", set, share)
		if share < want.floor {
			t.Errorf("%s: the right namespace is named for %.3f of the messages, was %.3f", set, share, want.floor)
		}
	}
}
