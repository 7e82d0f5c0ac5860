package offline

import (
	"fmt"
	"slices"
	"strings"
)

// listed is how many problems the last message names at most.
const listed = 30

// summary is the last message: what was fixed and what is left, with reasons.
func (p *plan) summary() string {
	var b strings.Builder
	left := p.left()
	messages := 0
	for _, f := range p.done {
		messages += max(1, f.count)
	}
	switch {
	case len(p.done) > 0:
		fmt.Fprintf(&b, "Fixed %s with %s of the language server (no model was used):", count(messages, "problem"), count(len(p.done), "fix", "fixes"))
		for _, f := range p.done {
			fmt.Fprintf(&b, "\n- %s: %s", f.path, f.title)
			if len(f.messages) > 0 {
				fmt.Fprintf(&b, " (%s)", strings.Join(f.messages, "; "))
			}
		}
	case len(p.barred) > 0:
		fmt.Fprintf(&b, "Fixed nothing, because it was not allowed: %s", p.barred[0])
	case len(left) > 0:
		b.WriteString("Fixed nothing: no problem has a fix of a language server that could be taken (no model is set up).")
	}
	for i, s := range p.barred {
		if i > 0 || len(p.done) > 0 {
			fmt.Fprintf(&b, "\n\nNot allowed: %s", s)
		}
	}
	for _, s := range p.stuck {
		fmt.Fprintf(&b, "\n\nAttention: %s", s)
	}
	if len(left) > 0 {
		fmt.Fprintf(&b, "\n\n%s left:", count(len(left), "problem"))
		given := map[string]int{}
		for i, d := range left {
			if i == listed {
				fmt.Fprintf(&b, "\n- and %d more", len(left)-listed)
				break
			}
			fmt.Fprintf(&b, "\n- %s:%d: %s", d.path, d.line, d.message)
			if n := given[d.key()]; n < len(p.why[d.key()]) {
				fmt.Fprintf(&b, " (%s)", p.why[d.key()][n])
				given[d.key()]++
			}
		}
	}
	if p.cut {
		fmt.Fprintf(&b, "\n\nI stopped after %d calls; ask again to go on.", maxCalls)
	}
	if doubt := p.doubts(); len(doubt) > 0 {
		b.WriteString("\n\n" + strings.Join(doubt, "\n"))
	} else if len(p.task.targets) > 0 && !p.met {
		b.WriteString("\n\nThe language servers report none of the named problems now, so there was nothing that I could fix.")
	} else if len(left) == 0 {
		b.WriteString("\n\nNo problem is left" + p.where() + ".")
	}
	return strings.TrimSpace(b.String())
}

// left are the wanted problems of what was last known.
func (p *plan) left() []problem {
	var out []problem
	for _, path := range p.order {
		for _, d := range p.seen[path] {
			if p.task.wants(d) {
				out = append(out, d)
			}
		}
	}
	return out
}

// doubts are the files of which nothing is known.
func (p *plan) doubts() []string {
	var out []string
	for _, path := range p.order {
		name := path
		if name == "" {
			name = "the project"
		}
		switch said := p.said[path]; {
		case p.sure[path] == unknown && said != "":
			out = append(out, fmt.Sprintf("I could not ask for the problems of %s: %s", name, said))
		case p.sure[path] == unknown:
			out = append(out, fmt.Sprintf("The diagnostics of %s are not known yet: I cannot say whether it has problems. Ask again in a moment.", name))
		case p.sure[path] == noServer:
			out = append(out, fmt.Sprintf("No language server answers for %s, so I cannot see its problems; \"companion doctor\" says how to install one. %s", name, said))
		}
	}
	return out
}

func (p *plan) where() string {
	files := slices.DeleteFunc(slices.Clone(p.order), func(s string) bool { return s == "" })
	if len(p.task.files) == 0 || len(files) == 0 {
		return " in the project"
	}
	return " in " + strings.Join(files, ", ")
}

// count is "1 problem" or "3 problems".
func count(n int, one string, many ...string) string {
	switch {
	case n == 1:
		return "1 " + one
	case len(many) > 0:
		return fmt.Sprintf("%d %s", n, many[0])
	}
	return fmt.Sprintf("%d %ss", n, one)
}
