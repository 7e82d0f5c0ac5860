package action

import (
	"sync"

	"companion/workspace"
)

// Lines are those of a function, 0-based, both included.
type Lines struct{ First, Last int }

// maxOutlines is how many documents' outlines are kept.
const maxOutlines = 64

// Outline knows where functions were when a document was last parsed. Answers
// never wait for a parse; what a command does is located anew when it runs.
type Outline struct {
	// Parse gives the functions of a text; nil = none are known.
	Parse func(lang, src string) []Lines
	// Later runs a function on another goroutine, one after the other.
	Later func(func())

	mu     sync.Mutex
	known  map[string]outlined // by canonical path
	queued map[string]bool
}

type outlined struct {
	hash  string
	lines []Lines
}

// Inside reports whether the line lay in a function of the document when it was
// last parsed, and has it parsed again when its text is another.
func (o *Outline) Inside(doc workspace.Snapshot, line int) bool {
	if o == nil || o.Parse == nil {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	k := o.known[doc.Path]
	if k.hash != doc.Hash && !o.queued[doc.Path] {
		if o.queued == nil {
			o.queued = map[string]bool{}
		}
		o.queued[doc.Path] = true
		o.Later(func() { o.parse(doc) })
	}
	for _, l := range k.lines {
		if l.First <= line && line <= l.Last {
			return true
		}
	}
	return false
}

func (o *Outline) parse(doc workspace.Snapshot) {
	lang := doc.Lang
	if lang == "" {
		lang = doc.Path
	}
	lines := o.Parse(lang, doc.Text)
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.queued, doc.Path)
	if o.known == nil || len(o.known) >= maxOutlines {
		o.known = map[string]outlined{}
	}
	o.known[doc.Path] = outlined{doc.Hash, lines}
}
