package guard

import (
	"fmt"
	"strings"
	"testing"
)

func TestCirclesAreToldOnceThenEndTheTurn(t *testing.T) {
	same := func(int) Call { return Call{Name: "read", Arguments: "{}", Result: "x"} }
	cases := map[string]struct {
		call func(i int) Call
		told int // step at which the model is told, 1-based; 0 = never
		end  int // step at which the turn ends; 0 = never
	}{
		"same call":                 {same, 3, 4},
		"same call, other results":  {func(i int) Call { return Call{Name: "run", Result: fmt.Sprint(i)} }, 3, 4},
		"a circle of two":           {func(i int) Call { return Call{Name: fmt.Sprint(i % 2), Result: "x"} }, 8, 9},
		"bad calls":                 {func(i int) Call { return Call{Name: fmt.Sprint(i), Bad: true} }, 3, 4},
		"bad calls with good ones":  {func(i int) Call { return Call{Name: fmt.Sprint(i), Bad: i%3 != 0} }, 0, 0},
		"always something new":      {func(i int) Call { return Call{Name: "read", Arguments: fmt.Sprint(i)} }, 0, 0},
		"two of a kind, then other": {func(i int) Call { return Call{Name: "r", Arguments: fmt.Sprint(i / 2), Result: fmt.Sprint(i)} }, 0, 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var g Guard
			told, end := 0, 0
			for i := range 30 {
				tell, limit := g.Observe([]Call{c.call(i)})
				if tell != "" && told == 0 {
					told = i + 1
				}
				if tell != "" && limit != "" {
					t.Error("told and ended at once")
				}
				if limit != "" {
					end = i + 1
					break
				}
			}
			if told != c.told || end != c.end {
				t.Errorf("told at %d, ended at %d; want %d, %d", told, end, c.told, c.end)
			}
		})
	}
}

func TestCallsOfAStepCountTogether(t *testing.T) {
	var g Guard
	a, b := Call{Name: "a"}, Call{Name: "b"}
	for i, step := range [][]Call{{a, b}, {a}, {a, b}, {a}, {b, a}} {
		if tell, limit := g.Observe(step); tell != "" || limit != "" {
			t.Errorf("step %d: %q %q", i, tell, limit)
		}
	}
	g = Guard{}
	var tell string
	for range 3 {
		tell, _ = g.Observe([]Call{a, b})
	}
	if !strings.Contains(tell, "same call (a) 3 times") {
		t.Errorf("told %q", tell)
	}
}
