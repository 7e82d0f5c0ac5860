package modeltest

import (
	"fmt"
	"strings"
)

// Break is where a request does not only add to the end of the one before it,
// so that the vendor's prompt cache is lost from there on.
type Break struct {
	Request int // 1-based: of the request that differs
	// Grew: all that differs is that the list of tools has new ones at its end,
	// which Chat and Gemini have no other way for.
	Grew bool
	What string // where, and what stood there before and stands there now
}

func (b Break) String() string { return fmt.Sprintf("request %d: %s", b.Request, b.What) }

// Prefix tells where a thread's requests, element by element (instructions,
// tools, blocks of messages), are no prefix of those that follow; cache marks,
// and definitions that Anthropic leaves out of the prompt, do not count.
func Prefix(v Vendor, requests []Request) []Break {
	var breaks []Break
	for i := 1; i < len(requests); i++ {
		if b := extends(read(v, requests[i-1].Body), read(v, requests[i].Body)); b.What != "" {
			b.Request = i + 1
			breaks = append(breaks, b)
		}
	}
	return breaks
}

func extends(before, now *wire) Break {
	if before.system != now.system {
		return Break{What: "the instructions differ: " + differ(before.system, now.system)}
	}
	if what := shorter(before.listed, now.listed); what != "" {
		return Break{What: what}
	}
	if what := shorter(before.items, now.items); what != "" {
		return Break{What: what}
	}
	if fresh := now.listed[len(before.listed):]; len(fresh) > 0 {
		var names []string
		for _, p := range fresh {
			names = append(names, p.where)
		}
		return Break{Grew: true, What: "the list grew by " + strings.Join(names, ", ")}
	}
	return Break{}
}

// shorter says where before is no prefix of now, "" when it is one.
func shorter(before, now []part) string {
	for i, p := range before {
		if i >= len(now) {
			return fmt.Sprintf("element %d (%s) is gone: %s", i+1, p.where, p.json)
		}
		if p.json != now[i].json {
			return fmt.Sprintf("element %d (%s) differs: %s", i+1, p.where, differ(p.json, now[i].json))
		}
	}
	return ""
}

// differ shows two texts from a little before where they part.
func differ(a, b string) string {
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	cut := func(s string) string {
		return s[min(max(at-40, 0), len(s)):min(at+120, len(s))]
	}
	return fmt.Sprintf("%q became %q", cut(a), cut(b))
}
