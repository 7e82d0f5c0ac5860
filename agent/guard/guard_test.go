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
		"same call":                {same, 3, 4},
		"same call, other results": {func(i int) Call { return Call{Name: "run", Result: fmt.Sprint(i)} }, 3, 4},
		"a circle of two":          {func(i int) Call { return Call{Name: fmt.Sprint(i % 2), Result: "x"} }, 8, 9},
		"the same, written otherwise": {func(i int) Call {
			return Call{Name: "read", Arguments: []string{`{"a":1,"b":2}`, `{ "b": 2, "a": 1 }`}[i%2], Result: fmt.Sprint(i)}
		}, 3, 4},
		"polls":                     {func(int) Call { return Call{Name: "poll", Result: "x", Poll: true} }, 0, 0},
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
				circle := g.Observe([]Call{c.call(i)})
				if circle.Kind == "" {
					continue
				}
				if circle.What == "" || circle.Tell == "" {
					t.Errorf("%+v says nothing", circle)
				}
				if !g.Told(circle.Kind) {
					end = i + 1
					break
				}
				if told == 0 {
					told = i + 1
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
		if c := g.Observe(step); c.Kind != "" {
			t.Errorf("step %d: %+v", i, c)
		}
	}
	g = Guard{}
	poll := Call{Name: "wait", Poll: true}
	var c Circle
	for range 3 {
		if c = g.Observe([]Call{poll}); c.Kind != "" {
			t.Errorf("a poll is %+v", c)
		}
		c = g.Observe([]Call{a, poll, b}) // what polls between and in them changes nothing
	}
	if c.Kind != Same || !strings.Contains(c.Tell, "same call (a) 3 times") {
		t.Errorf("%+v", c)
	}
}

func TestAfterAResetTheSameCountBegins(t *testing.T) {
	var g Guard
	for round := range 3 {
		for i := range 3 {
			if c := g.Observe([]Call{{Name: "read"}}); (c.Kind == Same) != (i == 2) {
				t.Errorf("round %d, call %d: %+v", round, i, c)
			}
		}
		g.Reset()
	}
}
