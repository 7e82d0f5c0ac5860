package patch

import (
	"strings"
	"testing"
)

func TestAPatchIsShownWhileItIsWritten(t *testing.T) {
	show := patch{}.Preview()
	var seen []string
	text := example(t)
	for i := 0; i < len(text); i += 7 {
		if s := show(text[i:min(len(text), i+7)]); s != "" {
			seen = append(seen, s)
		}
	}
	if len(seen) < 5 || len(seen) > 8 || seen[0] != "A docs/greeting.md (0 lines)\n" {
		t.Errorf("%d previews: %q", len(seen), seen)
	}
	last := seen[len(seen)-1]
	for _, w := range []string{"A docs/greeting.md (3 lines)\nM src/app.py → src/main.py (3 hunks)\nD src/old.py\n", "\nsrc/app.py\n-if __name__"} {
		if !strings.Contains(last, w) {
			t.Errorf("%q lacks %q", last, w)
		}
	}
}

func TestWhatIsShownOfALongPatchIsBounded(t *testing.T) {
	_, long := many(300)
	show := patch{}.Preview()
	last := ""
	for l := range strings.Lines(long) {
		if s := show(l); s != "" {
			last = s
		}
	}
	if n := strings.Count(last, "\n"); n > streamFiles+streamLines || !strings.HasPrefix(last, "(280 files before)\n") {
		t.Errorf("%d lines: %s", n, last)
	}
}
