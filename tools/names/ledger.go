package names

import (
	"fmt"
	"strings"
)

// Trust is how far a source of tools is believed about names.
type Trust int

// The levels of Trust.
const (
	Ours    Trust = iota // its names are kept from all others, in any spelling
	Server               // MCP: it alone may have names that begin with mcp
	Foreign              // it gets what is left
)

// Claim is the names that one tool wants.
type Claim struct {
	Name, Namespace string
	Aliases         []string
	Owner           string
	Trust           Trust
	Text            string // of the namespace
}

// Kind says why a name could not be had.
type Kind string

// The kinds of a Clash.
const (
	Taken          Kind = "taken"     // a tool has it, or has it as an alias
	Reserved       Kind = "reserved"  // it is one of ours in another spelling, or kept for MCP servers
	NamespaceTaken Kind = "namespace" // the namespace is another owner's
)

// Clash is a name that two want; who had it first keeps it.
type Clash struct {
	Kind  Kind
	Name  string // full name, alias or namespace
	Wants string // the owner that was refused
	Holds string // who has it
}

func (c *Clash) Error() string {
	switch c.Kind {
	case NamespaceTaken:
		return fmt.Sprintf("namespace %s of %s belongs to %s: take another one", c.Name, c.Wants, c.Holds)
	case Reserved:
		return fmt.Sprintf("tool name %q of %s is reserved for %s: take another name, or a namespace", c.Name, c.Wants, c.Holds)
	}
	return fmt.Sprintf("tool name %q of %s is taken by %s: the first one counts", c.Name, c.Wants, c.Holds)
}

// Rules are what a registry does about names from outside.
type Rules struct {
	// Strict refuses all of a change in which one name clashes.
	Strict bool
	// Warn hears of the first clash of each name, with the registry locked; it
	// must not call it.
	Warn func(*Clash)
}

// Ledger is who has which name. It is not safe for concurrent use.
type Ledger struct {
	claims   map[string]Claim  // by full name
	aliases  map[string]string // → full name
	reserved map[string]string // spellings of names of ours → full name
	spaces   map[string]*space
}

// space is a namespace: whose it is, and its one description.
type space struct {
	owner, text string
	tools       int
}

// NewLedger has no names.
func NewLedger() *Ledger {
	return &Ledger{map[string]Claim{}, map[string]string{}, map[string]string{}, map[string]*space{}}
}

// Take gives a tool its names, or says why it cannot have them.
func (l *Ledger) Take(c Claim) *Clash {
	full := Full(c.Namespace, c.Name)
	all := append([]string{full}, c.Aliases...)
	if clash := l.clash(c, all); clash != nil {
		return clash
	}
	l.claims[full] = c
	for _, a := range c.Aliases {
		l.aliases[a] = full
	}
	if c.Trust == Ours {
		for _, n := range all {
			l.reserved[Spelling(n)] = full
		}
	}
	if c.Namespace == "" {
		return nil
	}
	s := l.spaces[c.Namespace]
	if s == nil {
		s = &space{owner: c.Owner}
		l.spaces[c.Namespace] = s
	}
	if s.tools++; s.text == "" {
		s.text = c.Text
	}
	return nil
}

func (l *Ledger) clash(c Claim, all []string) *Clash {
	for _, name := range all {
		if old, ok := l.claims[name]; ok {
			return &Clash{Taken, name, c.Owner, old.Owner}
		}
		if of, ok := l.aliases[name]; ok {
			return &Clash{Taken, name, c.Owner, of + " of " + l.claims[of].Owner}
		}
		if of, ok := l.reserved[Spelling(name)]; ok && c.Trust != Ours {
			return &Clash{Reserved, name, c.Owner, "the built-in tool " + of}
		}
	}
	if c.Trust == Foreign && strings.HasPrefix(strings.ToLower(all[0]), "mcp") {
		return &Clash{Reserved, all[0], c.Owner, "tools of MCP servers"}
	}
	if s := l.spaces[c.Namespace]; s != nil && s.owner != c.Owner {
		return &Clash{NamespaceTaken, c.Namespace, c.Owner, s.owner}
	}
	return nil
}

// Drop frees a tool's names; those of ours stay reserved.
func (l *Ledger) Drop(full string) {
	c, ok := l.claims[full]
	if !ok {
		return
	}
	delete(l.claims, full)
	for _, a := range c.Aliases {
		delete(l.aliases, a)
	}
	if s := l.spaces[c.Namespace]; s != nil {
		if s.tools--; s.tools == 0 {
			delete(l.spaces, c.Namespace)
		}
	}
}

// Of is the full name behind a full name or an alias, "" = nobody has it.
func (l *Ledger) Of(name string) string {
	if _, ok := l.claims[name]; ok {
		return name
	}
	return l.aliases[name]
}

// Aliases are all aliases, to full names. Do not change it.
func (l *Ledger) Aliases() map[string]string { return l.aliases }

// Describe gives a namespace its one description, which is its owner's alone to
// give: the owner of its first tool. A namespace without tools is left alone.
func (l *Ledger) Describe(owner, namespace, text string) (changed bool, clash *Clash) {
	s := l.spaces[namespace]
	switch {
	case s == nil:
		return false, nil
	case s.owner != owner:
		return false, &Clash{NamespaceTaken, namespace, owner, s.owner}
	case s.text == text:
		return false, nil
	}
	s.text = text
	return true, nil
}

// Text describes a namespace, "" where nobody did.
func (l *Ledger) Text(namespace string) string {
	if s := l.spaces[namespace]; s != nil {
		return s.text
	}
	return ""
}
