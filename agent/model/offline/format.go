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
	itemLine   = regexp.MustCompile(`^(?:(new|fixed|remaining): )?(.+?):(\d+):(\d+): (error|warning|info|hint): (.*)$`)
	itemOrigin = regexp.MustCompile(`^(.*\S) \[([^\[\]]*)\]$`)
	headLine   = regexp.MustCompile(`(?m)^Diagnostics \(.*?\): .*?\b(?:\d+ (?:errors?|warnings?)|[Nn]o (?:problems|errors))`)
	feedback   = regexp.MustCompile(`(?m)^(?:.*\bDiagnostics \(.*?\)|Other files): (.*)$`)
	newErrors  = regexp.MustCompile(`(\d+) new errors?`)
	fixedCount = regexp.MustCompile(`(\d+) fixed`)
	doubtful   = regexp.MustCompile(`(?i)not known|nothing is known|told nothing|does not say|\b[1-9]\d* (?:errors?|warnings?)\b`)
	actionLine = regexp.MustCompile(`^(\S+)\. (.+) \[([^\[\]]*)\]( preferred)?(?: disabled: (.*))?$`)
	fixesLine  = regexp.MustCompile(`^\s+fixes: (.*)$`)
)

// problems reads every item line of a text.
func problems(text string) []problem {
	var out []problem
	for line := range strings.Lines(text) {
		m := itemLine.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(m[3])
		if err != nil {
			continue
		}
		p := problem{state: m[1], path: m[2], line: n, severity: m[5], message: strings.TrimSpace(m[6])}
		if o := itemOrigin.FindStringSubmatch(p.message); o != nil {
			p.message, p.origin = o[1], o[2]
		}
		out = append(out, p)
	}
	return out
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
	lower := strings.ToLower(firstParagraph(r.text))
	switch {
	case strings.Contains(lower, "not known yet"):
		return nil, unknown
	case headLine.MatchString(r.text) && !r.failed:
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
	at := feedback.FindStringIndex(text)
	if at == nil {
		return d
	}
	d.known = true
	for _, m := range feedback.FindAllString(text[at[0]:], -1) {
		d.known = d.known && !doubtful.MatchString(m)
		d.new += number(newErrors, m)
		d.fixed += number(fixedCount, m)
	}
	d.problems = problems(text[at[0]:])
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
		if f == p.message || itemOrigin.ReplaceAllString(f, "$1") == p.message || strings.HasPrefix(f, p.message) {
			return true
		}
	}
	return false
}
