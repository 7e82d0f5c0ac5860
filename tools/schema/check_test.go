package schema

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// A long value, or a long list of those allowed, is not given back whole.
func TestWhatIsWrongIsSaidInFewWords(t *testing.T) {
	var values []string
	for i := range 5000 {
		values = append(values, fmt.Sprint(i))
	}
	s, err := Compile([]byte(`{"type":"object","properties":{"n":{"enum":[` + strings.Join(values, ",") + `]},"s":{"type":"string","pattern":"^b+$"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Fit([]byte(`{"n":"x","s":"` + strings.Repeat("a", 100_000) + `"}`))
	var bad *Misfit
	if !errors.As(err, &bad) {
		t.Fatal(err)
	}
	for _, want := range []string{"n: value must be one of 0, 1, 2", "characters left out", "4998, 4999", "s: 'aaa", "does not match pattern '^b+$'"} {
		if !strings.Contains(bad.Text, want) {
			t.Errorf("without %q", want)
		}
	}
	if len(bad.Text) > 2000 {
		t.Errorf("%d bytes: %.300s…", len(bad.Text), bad.Text)
	}
}
