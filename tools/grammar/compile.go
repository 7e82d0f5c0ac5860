package grammar

import (
	"fmt"
	"strconv"
)

const (
	maxSource = 64 << 10 // bytes of a grammar
	maxDepth  = 64       // groups in groups, terminals in terminals
	maxRepeat = 1000     // of ~n
	maxSize   = 50_000   // productions
)

// Grammar is a compiled Lark grammar.
type Grammar struct {
	prods     []production
	byRule    [][]int // rule → its productions
	terminals []*terminal
	ignore    []*terminal
	start     int // rule
}

// symbol is a rule (its number) or a terminal (the complement of its number).
type symbol int

type production struct {
	rule int
	rhs  []symbol
}

// Compile reads a Lark grammar; the text begins with its rule "start". The
// error names the line.
func Compile(lark string) (*Grammar, error) {
	if len(lark) > maxSource {
		return nil, fmt.Errorf("the grammar has %d bytes, the most is %d", len(lark), maxSource)
	}
	f, err := parse(lark)
	if err != nil {
		return nil, err
	}
	c := &compiler{file: f, g: &Grammar{}, rules: map[string]int{}, terms: map[string]symbol{}}
	if _, ok := f.defs["start"]; !ok {
		return nil, fmt.Errorf("the grammar has no rule start")
	}
	c.g.start = c.rule("start")
	for len(c.todo) > 0 {
		d := c.todo[0]
		c.todo = c.todo[1:]
		if err := c.expand(c.rules[d.name], d.body); err != nil {
			return nil, err
		}
	}
	for _, e := range f.ignore {
		t, err := newTerminal(f, e, "ignored text")
		if err != nil {
			return nil, err
		}
		c.g.ignore = append(c.g.ignore, t)
	}
	return c.g, nil
}

type compiler struct {
	file  *file
	g     *Grammar
	rules map[string]int    // by name
	terms map[string]symbol // by how they are written
	todo  []*definition
}

// rule is the number of a named rule, which is expanded later when it is new.
func (c *compiler) rule(name string) int {
	n, ok := c.rules[name]
	if !ok {
		n = c.fresh()
		c.rules[name] = n
		c.todo = append(c.todo, c.file.defs[name])
	}
	return n
}

func (c *compiler) fresh() int {
	c.g.byRule = append(c.g.byRule, nil)
	return len(c.g.byRule) - 1
}

func (c *compiler) produce(rule int, rhs ...symbol) error {
	if len(c.g.prods) >= maxSize {
		return fmt.Errorf("the grammar has more than %d productions", maxSize)
	}
	c.g.byRule[rule] = append(c.g.byRule[rule], len(c.g.prods))
	c.g.prods = append(c.g.prods, production{rule, rhs})
	return nil
}

// expand gives a rule the productions of its body.
func (c *compiler) expand(rule int, e *expr) error {
	if e.op == choice {
		for _, k := range e.kids {
			if err := c.expand(rule, k); err != nil {
				return err
			}
		}
		return nil
	}
	kids := []*expr{e}
	if e.op == sequence {
		kids = e.kids
	}
	rhs := make([]symbol, len(kids))
	for i, k := range kids {
		s, err := c.symbol(k)
		if err != nil {
			return err
		}
		rhs[i] = s
	}
	return c.produce(rule, rhs...)
}

// symbol stands for an expression within a production.
func (c *compiler) symbol(e *expr) (symbol, error) {
	switch e.op {
	case literal:
		return c.terminal(e, strconv.Quote(e.text)+e.flag)
	case regex:
		return c.terminal(e, "/"+e.text+"/"+e.flag)
	case span:
		return c.terminal(e, strconv.Quote(e.text)+".."+strconv.Quote(e.upTo))
	case named:
		d, ok := c.file.defs[e.text]
		switch {
		case !ok:
			return 0, fmt.Errorf("line %d: %s is not defined", e.line, e.text)
		case isTerminal(e.text):
			return c.terminal(d.body, e.text)
		}
		return symbol(c.rule(e.text)), nil
	case repeat:
		return c.repeat(e)
	}
	n := c.fresh()
	return symbol(n), c.expand(n, e)
}

func (c *compiler) terminal(e *expr, shown string) (symbol, error) {
	if s, ok := c.terms[shown]; ok {
		return s, nil
	}
	t, err := newTerminal(c.file, e, shown)
	if err != nil {
		return 0, err
	}
	c.g.terminals = append(c.g.terminals, t)
	s := ^symbol(len(c.g.terminals) - 1)
	c.terms[shown] = s
	return s, nil
}

// repeat makes left-recursive rules, which cost the recogniser least.
func (c *compiler) repeat(e *expr) (symbol, error) {
	x, err := c.symbol(e.kids[0])
	if err != nil {
		return 0, err
	}
	if e.max >= 0 && e.max < e.min {
		return 0, fmt.Errorf("line %d: from %d to %d times is never", e.line, e.min, e.max)
	}
	must := make([]symbol, e.min)
	for i := range must {
		must[i] = x
	}
	n := c.fresh()
	if e.max < 0 {
		if err := c.produce(n, must...); err != nil {
			return 0, err
		}
		return symbol(n), c.produce(n, symbol(n), x)
	}
	// up to k more: more(k) is empty, or x and up to k-1 more
	more := c.fresh()
	if err := c.produce(more); err != nil {
		return 0, err
	}
	for range e.max - e.min {
		next := c.fresh()
		if err := c.produce(next); err != nil {
			return 0, err
		}
		if err := c.produce(next, x, symbol(more)); err != nil {
			return 0, err
		}
		more = next
	}
	return symbol(n), c.produce(n, append(must, symbol(more))...)
}
