package find

import "testing"

// Pairs of Porter2's published vocabulary, and words of tools.
func TestWordsOfOneStemMeet(t *testing.T) {
	for word, want := range map[string]string{
		"consigned": "consign", "consistency": "consist", "consolingly": "consol", "knitted": "knit", "knightly": "knight", "kneeling": "kneel",
		"ties": "tie", "cries": "cri", "gas": "gas", "this": "this", "kiwis": "kiwi", "hopping": "hop", "hoping": "hope", "luxuriated": "luxuri",
		"repositories": "repositori", "repository": "repositori", "queries": "queri", "query": "queri", "deployment": "deploy", "deployed": "deploy",
		"issues": "issu", "issue": "issu", "searching": "search", "files": "file", "filing": "file", "creating": "creat", "create": "creat", "creates": "creat",
		"branches": "branch", "merged": "merg", "merge": "merg", "communication": "communic", "generate": "generat", "generator": "generat",
		"conditional": "condit", "rational": "ration", "goodness": "good", "hopeful": "hope", "agreed": "agre", "feed": "feed", "bed": "bed",
		"says": "say", "dyed": "dy", "naïve": "naïve", "v2": "v2", "ab": "ab", "": "",
	} {
		if got := stem(word); got != want {
			t.Errorf("stem(%q) = %q, want %q", word, got, want)
		}
	}
}

func FuzzAStemIsNoLongerThanItsWordByMoreThanALetter(f *testing.F) {
	for _, s := range []string{"", "ing", "eed", "ying", "yyyy", "aaaa", "ization", "sses"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got := stem(s); len(got) > len(s)+1 || got == "" && s != "" {
			t.Errorf("stem(%q) = %q", s, got)
		}
	})
}
