package offline

import (
	"regexp"
	"strconv"
	"strings"
)

// problem is one diagnostic as the tools print it.
type problem struct {
	path     string // as printed: from the working folder
	line     int    // 1-based
	severity string // error, warning, info, hint
	message  string // without source and code
	origin   string // "SOURCE CODE", may be empty
	state    string // in feedback: new, fixed, remaining
}

func (p problem) isError() bool { return p.severity == "error" }

// key tells a problem again after lines have moved.
func (p problem) key() string { return p.path + "\x00" + p.message }

var (
	headLine   = regexp.MustCompile(`^Diagnostics \(.*?\): .*?\b(?:\d+ (?:errors?|warnings?)|[Nn]o (?:problems|errors))`)
	feedback   = regexp.MustCompile(`^(?:.*\bDiagnostics \(.*?\)|Other files): `)
	newErrors  = regexp.MustCompile(`(\d+) new errors?`)
	fixedCount = regexp.MustCompile(`(\d+) fixed`)
	doubtful   = regexp.MustCompile(`(?i)not known|nothing is known|told nothing|does not say|\b[1-9]\d* (?:errors?|warnings?)\b`)
	actionLine = regexp.MustCompile(`^(\S+)\. (.+) \[([^\[\]]*)\]( preferred)?(?: disabled: (.*))?$`)
	fixesLine  = regexp.MustCompile(`^\s+fixes: (.*)$`)
)

// problems reads every item line of a text: "STATE: " or nothing, then
// "REL:LINE:COL: SEVERITY: MESSAGE [SOURCE CODE]". It is written out because
// the plan reads every result again at every step.
func problems(text string) []problem {
	var out []problem
	for line := range strings.Lines(text) {
		if p, ok := item(strings.TrimRight(line, "\r\n")); ok {
			out = append(out, p)
		}
	}
	return out
}

func item(line string) (p problem, ok bool) {
	at, rest := -1, ""
	for _, sev := range [...]string{"error", "warning", "info", "hint"} {
		mark := ": " + sev + ": "
		if i := strings.Index(line, mark); i >= 0 && (at < 0 || i < at) {
			at, rest, p.severity = i, line[i+len(mark):], sev
		}
	}
	if at < 0 {
		return problem{}, false
	}
	place := line[:at]
	for _, state := range [...]string{"new", "fixed", "remaining"} {
		if after, found := strings.CutPrefix(place, state+": "); found {
			p.state, place = state, after
		}
	}
	col := strings.LastIndexByte(place, ':')
	if col < 0 {
		return problem{}, false
	}
	row := strings.LastIndexByte(place[:col], ':')
	if row <= 0 {
		return problem{}, false
	}
	if _, err := strconv.Atoi(place[col+1:]); err != nil {
		return problem{}, false
	}
	n, err := strconv.Atoi(place[row+1 : col])
	if err != nil {
		return problem{}, false
	}
	p.path, p.line = place[:row], n
	p.message, p.origin = cutOrigin(strings.TrimSpace(rest))
	return p, true
}

// cutOrigin takes " [SOURCE CODE]" off the end of a message.
func cutOrigin(s string) (message, origin string) {
	i := strings.LastIndex(s, " [")
	if i <= 0 || !strings.HasSuffix(s, "]") || strings.Contains(s[i+2:len(s)-1], "]") {
		return s, ""
	}
	return strings.TrimSpace(s[:i]), s[i+2 : len(s)-1]
}

// knowledge is how sure a diagnostics text is.
type knowledge int

const (
	unknown knowledge = iota // not known yet
	known
	noServer
)

// readDiagnostics reads the result of the diagnostics tool.
func readDiagnostics(r result) ([]problem, knowledge) {
	head := firstParagraph(r.text)
	for line := range strings.Lines(r.text) { // a note may stand before it
		if strings.HasPrefix(line, "Diagnostics") {
			head = strings.TrimSpace(line)
			break
		}
	}
	lower := strings.ToLower(head)
	switch {
	case strings.Contains(lower, "not known yet"):
		return nil, unknown
	case !r.failed && headLine.MatchString(head):
		return problems(r.text), known
	case strings.Contains(lower, "no language server"), strings.Contains(lower, "nothing is known"):
		return nil, noServer
	}
	return nil, unknown
}

func firstParagraph(s string) string {
	head, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return head
}

// delta is what a feedback block says of an edit.
type delta struct {
	seen      bool // there is such a block
	known     bool
	new       int // errors
	fixed     int
	problems  []problem // with their state; none = new
	firstNews string
}

// readFeedback reads "…Diagnostics (…): X new errors, Y fixed, …" and the same
// of other files. Counts of zero may be left out; a line that leaves open what
// was there before leaves the delta unknown.
func readFeedback(text string) delta {
	var d delta
	rest := text
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "Diagnostics (") && !strings.HasPrefix(line, "Other files: ") || !feedback.MatchString(line) {
			if !d.seen {
				rest = rest[len(line):]
			}
			continue
		}
		d.known = (d.known || !d.seen) && !doubtful.MatchString(line)
		d.seen = true
		d.new += number(newErrors, line)
		d.fixed += number(fixedCount, line)
	}
	if !d.seen {
		return delta{}
	}
	d.problems = problems(rest)
	for _, p := range d.problems {
		if (p.state == "new" || p.state == "") && d.firstNews == "" {
			d.firstNews = p.message
		}
	}
	return d
}

func number(form *regexp.Regexp, s string) int {
	m := form.FindStringSubmatch(s)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// action is one code action that is offered.
type action struct {
	id, title, kind string
	preferred       bool
	disabled        string
	fixes           []string
}

func readActions(text string) []action {
	var out []action
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if m := fixesLine.FindStringSubmatch(line); m != nil && len(out) > 0 {
			last := &out[len(out)-1]
			last.fixes = append(last.fixes, strings.TrimSpace(m[1]))
			continue
		}
		if m := actionLine.FindStringSubmatch(line); m != nil {
			out = append(out, action{id: m[1], title: m[2], kind: m[3], preferred: m[4] != "", disabled: m[5]})
		}
	}
	return out
}

// below tells whether kind is base or below it.
func below(kind, base string) bool { return kind == base || strings.HasPrefix(kind, base+".") }

// silencer matches actions that hide a problem instead of fixing it: eslint,
// rust-analyzer, pyright, TypeScript and spelling checkers offer such.
var silencer = regexp.MustCompile(`(?i)\b(disable|ignore|suppress|silence|nolint|noqa)\b|@?ts-(ignore|expect-error|nocheck)|add .* to (user |workspace )?(dictionary|settings)|#\[allow`)

// inventor matches actions that declare what is missing: a stub makes the error
// go away and leaves the program wrong, most of all where a name was misspelt.
var inventor = regexp.MustCompile(`(?i)^(create|declare|generate|implement|stub|add missing|add undefined) .*\b(function|method|variable|constant|class|member|property|field|parameter|type|interface|struct|module|declaration|test|stub)\b`)

// choose takes the quick fix for a problem: the one that is preferred, or the
// only one. why says why none is taken.
func choose(actions []action, p problem) (a action, why string) {
	var fit []action
	titles := map[string]bool{}
	silent, invents := false, ""
	for _, a := range actions {
		if !below(a.kind, "quickfix") || a.disabled != "" || strings.Contains(a.kind, "companion") || !a.concerns(p) || titles[a.title] {
			continue
		}
		if silencer.MatchString(a.title) {
			silent = true
			continue
		}
		if inventor.MatchString(a.title) {
			invents = a.title
			continue
		}
		titles[a.title] = true
		fit = append(fit, a)
	}
	var preferred []action
	for _, a := range fit {
		if a.preferred {
			preferred = append(preferred, a)
		}
	}
	switch {
	case len(preferred) == 1:
		return preferred[0], ""
	case len(fit) == 1:
		return fit[0], ""
	case len(fit) > 1:
		names := make([]string, len(fit))
		for i, a := range fit {
			names[i] = strconv.Quote(a.title)
		}
		return action{}, strconv.Itoa(len(fit)) + " rival fixes are offered and none is preferred: " + strings.Join(names, ", ")
	case invents != "":
		return action{}, "only declaring what is missing is offered: " + strconv.Quote(invents)
	case silent:
		return action{}, "only silencing it is offered"
	}
	return action{}, "no quick fix is offered"
}

// concerns tells whether an action that names what it fixes names p.
func (a action) concerns(p problem) bool {
	if len(a.fixes) == 0 {
		return true
	}
	for _, f := range a.fixes {
		if bare, _ := cutOrigin(f); bare == p.message || strings.HasPrefix(f, p.message) {
			return true
		}
	}
	return false
}
