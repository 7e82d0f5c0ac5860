package offline

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"companion/agent/model"
)

// Bounds of a turn.
const (
	maxAsks   = 3 // for diagnostics that are not known yet, running
	maxPasses = 3 // over all files
)

const freeAnswer = "No language model is set up, so I cannot answer or write code: I can only fix problems for which a language server " +
	"offers a fix (ask \"Fix the problems in: PATH\"); to have a model, set companion.model to openai/…, anthropic/…, gemini/… with its key in " +
	"OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, or to compatible/… with COMPANION_COMPATIBLE_BASE_URL for a server of your own."

// next is the plan's step after a transcript.
func next(items []model.Item) step {
	said, t := record(items)
	p := &plan{tape: t, task: readTask(said), seen: map[string][]problem{}, sure: map[string]knowledge{}, said: map[string]string{}, why: map[string][]string{}, tried: map[string]bool{}}
	var want *wanted
	if err := p.run(); errors.As(err, &want) {
		return want.step
	} else if err != nil {
		return step{text: "I stop here: " + err.Error() + ". Ask again to go on from the files as they are now."}
	}
	return step{text: freeAnswer}
}

// plan is one turn, run from its start.
type plan struct {
	tape
	task task

	seen   map[string][]problem // path → what was last known
	sure   map[string]knowledge
	said   map[string]string   // why nothing is known, by path
	met    bool                // something that is wanted was there
	order  []string            // paths of seen, as they came up
	why    map[string][]string // problem key → why each of it was given up
	tried  map[string]bool     // source actions that were tried, by path and kind
	done   []fix
	stuck  []string // what could not be taken back
	barred []string // reasons for which calls were not allowed, each once
	cut    bool     // the bound of calls was reached

	actions struct { // the last offer of code actions; valid until a text changes
		path string
		line int
		list []action
	}
}

// fix is a change that was kept.
type fix struct {
	path, title string
	count       int      // of problems that it fixed
	messages    []string // of those, as far as told
}

func (p *plan) run() error {
	if p.task.free {
		_, err := p.say(freeAnswer)
		return err
	}
	for {
		err := p.all()
		if errors.Is(err, errBudget) {
			p.cut = true
		} else if err != nil {
			return err
		}
		after, err := p.say(p.summary())
		if err != nil {
			return err
		}
		for _, text := range after { // new errors that came late, maybe elsewhere
			for _, d := range problems(text) {
				if len(p.task.files) > 0 && d.state != "fixed" {
					p.task.add(d.path)
					if named, ok := p.task.targets[d.path]; ok {
						p.task.targets[d.path] = append(named, d.message)
					}
				}
			}
		}
	}
}

// all goes over the files until nothing can be done any more.
func (p *plan) all() error {
	for range maxPasses {
		files := p.task.files
		if len(files) == 0 {
			var err error
			if files, err = p.project(); err != nil {
				return err
			}
		}
		before := len(p.done)
		for _, path := range files {
			if err := p.file(path); err != nil {
				return err
			}
		}
		if len(files) < 2 || len(p.done) == before {
			return nil
		}
	}
	return nil
}

// project asks for the diagnostics of everything.
func (p *plan) project() ([]string, error) {
	list, _, err := p.ask("")
	if err != nil {
		return nil, err
	}
	var files []string
	for _, d := range list {
		if p.task.wants(d) && !slices.Contains(files, d.path) {
			files = append(files, d.path)
		}
	}
	return files, nil
}

type diagnosticsArgs struct {
	Paths    []string `json:"paths,omitempty"`
	Severity string   `json:"severity,omitempty"`
}

// ask gives the diagnostics of a file ("" = the project), asking again a
// bounded number of times while they are not known.
func (p *plan) ask(path string) ([]problem, knowledge, error) {
	args := diagnosticsArgs{}
	if path != "" {
		args.Paths = []string{path}
	}
	if p.task.mild {
		args.Severity = "hint"
	}
	var list []problem
	var sure knowledge
	for range maxAsks {
		res, err := p.call("diagnostics", args)
		if err != nil {
			return nil, unknown, err
		}
		if list, sure = readDiagnostics(res); sure != unknown || res.failed {
			if sure == noServer || res.failed {
				p.said[path] = firstParagraph(res.text)
			}
			break
		}
	}
	if path != "" {
		list = slices.DeleteFunc(list, func(d problem) bool { return d.path != path })
		p.learn(path, list, sure)
		return list, sure, nil
	}
	p.learn("", nil, sure)
	for _, d := range list {
		p.learn(d.path, append(p.seen[d.path], d), sure)
	}
	return list, sure, nil
}

func (p *plan) learn(path string, list []problem, sure knowledge) {
	if _, ok := p.sure[path]; !ok {
		p.order = append(p.order, path)
	}
	p.seen[path], p.sure[path] = list, sure
	p.met = p.met || slices.ContainsFunc(list, p.task.wants)
}

// importish are messages that organising the imports may mend.
var importish = regexp.MustCompile(`(?i)\bimport|undefined|not defined|cannot find name|unresolved|undeclared`)

// file fixes what can be fixed in one file.
func (p *plan) file(path string) error {
	for {
		list, sure, err := p.ask(path)
		if err != nil || sure != known {
			return err
		}
		changed, err := p.fileOnce(path, list)
		if err != nil || !changed {
			return err
		}
	}
}

// fileOnce makes one change, or finds that none is left to try.
func (p *plan) fileOnce(path string, list []problem) (changed bool, err error) {
	open := p.open(list)
	if slices.ContainsFunc(open, func(d problem) bool { return importish.MatchString(d.message) }) {
		if changed, err = p.source(path, "source.organizeImports", list); changed || err != nil {
			return changed, err
		}
	}
	for _, d := range open {
		if changed, err = p.quickfix(d, list); changed || err != nil {
			return changed, err
		}
	}
	if slices.ContainsFunc(list, p.task.wants) {
		return p.source(path, "source.fixAll", list)
	}
	return false, nil
}

// open are the wanted problems that were not given up, errors first. Of several
// with one message as many of the first are passed over as were given up.
func (p *plan) open(list []problem) []problem {
	var out []problem
	skip := map[string]int{}
	for _, d := range list {
		if !p.task.wants(d) {
			continue
		}
		if skip[d.key()]++; skip[d.key()] > len(p.why[d.key()]) {
			out = append(out, d)
		}
	}
	slices.SortStableFunc(out, func(a, b problem) int {
		switch {
		case a.isError() == b.isError():
			return 0
		case a.isError():
			return -1
		}
		return 1
	})
	return out
}

func (p *plan) giveUp(d problem, why string) { p.why[d.key()] = append(p.why[d.key()], why) }

type lspArgs struct {
	Action string   `json:"action"`
	Path   string   `json:"path"`
	Line   int      `json:"line,omitempty"`
	Only   []string `json:"only,omitempty"`
	ID     string   `json:"id,omitempty"`
}

// source tries the one action of a kind of the whole file, once a turn.
func (p *plan) source(path, kind string, list []problem) (changed bool, err error) {
	if p.tried[path+"\x00"+kind] {
		return false, nil
	}
	p.tried[path+"\x00"+kind] = true
	offers, _, err := p.offers(lspArgs{Action: "code_actions", Path: path, Line: 1, Only: []string{kind}})
	if err != nil {
		return false, err
	}
	p.actions.path = ""
	var fit []action
	for _, a := range offers {
		if below(a.kind, kind) && a.disabled == "" {
			fit = append(fit, a)
		}
	}
	if len(fit) != 1 {
		return false, nil
	}
	changed, _, err = p.apply(path, fit[0], problem{path: path}, list)
	return changed, err
}

func (p *plan) offers(args lspArgs) (list []action, why string, err error) {
	res, err := p.call("lsp", args)
	if err != nil {
		return nil, "", err
	}
	if res.failed {
		if p.bars(res) {
			return nil, "asking for quick fixes was not allowed", nil
		}
		return nil, "asking for quick fixes failed: " + firstParagraph(res.text), nil
	}
	return readActions(res.text), "", nil
}

// quickfix tries the fix for one problem; it gives the problem up where there
// is none to take, or the fix was taken back.
func (p *plan) quickfix(d problem, list []problem) (changed bool, err error) {
	if p.actions.path != d.path || p.actions.line != d.line {
		offers, why, err := p.offers(lspArgs{Action: "code_actions", Path: d.path, Line: d.line, Only: []string{"quickfix"}})
		if err != nil {
			return false, err
		}
		if why != "" {
			p.giveUp(d, why)
			return false, nil
		}
		p.actions.path, p.actions.line, p.actions.list = d.path, d.line, offers
	}
	a, why := choose(p.actions.list, d)
	if why != "" {
		p.giveUp(d, why)
		return false, nil
	}
	changed, why, err = p.apply(d.path, a, d, list)
	if why != "" {
		p.giveUp(d, why)
	}
	return changed, err
}

// apply applies an action and keeps it only if problems fell and none is new.
// changed: the text is, or was for a while, another one. why: why the change is
// not there any more.
func (p *plan) apply(path string, a action, target problem, before []problem) (changed bool, why string, err error) {
	p.actions.path = ""
	res, err := p.call("lsp", lspArgs{Action: "apply_code_action", Path: path, ID: a.id})
	if err != nil {
		return false, "", err
	}
	if res.failed {
		if p.bars(res) {
			return false, fmt.Sprintf("applying %q was not allowed", a.title), nil
		}
		return false, fmt.Sprintf("applying %q failed: %s", a.title, firstParagraph(res.text)), nil
	}
	n, fixed, bad, err := p.judge(path, res, target, before)
	if err != nil {
		return true, "", err
	}
	if bad == "" {
		p.done = append(p.done, fix{path, a.title, n, fixed})
		return true, "", nil
	}
	why = fmt.Sprintf("%q %s and was taken back", a.title, bad)
	left, err := p.takeBack(res.text)
	if err != nil {
		return true, "", err
	}
	if left != "" {
		why = fmt.Sprintf("%q %s, and could not be taken back (%s): undo it by hand", a.title, bad, left)
		p.stuck = append(p.stuck, path+": "+why)
	}
	return true, why, nil
}

// judge reads what an applied action did: how many problems it fixed and which,
// as far as that is told; bad says what speaks against it.
func (p *plan) judge(path string, res result, target problem, before []problem) (n int, fixed []string, bad string, err error) {
	d := readFeedback(res.text)
	if d.new > 0 {
		return 0, nil, strings.TrimSpace("brought new errors" + quoted(d.firstNews)), nil
	}
	for _, x := range d.problems {
		if x.state == "fixed" {
			fixed = append(fixed, x.message)
		}
	}
	if len(fixed) == 0 && target.message != "" {
		fixed = []string{target.message}
	}
	if d.known && d.fixed > 0 {
		return d.fixed, fixed, "", nil
	}
	// The block counts errors and may not know yet: look.
	after, sure, err := p.ask(path)
	if err != nil {
		return 0, nil, "", err
	}
	if sure != known {
		return 0, nil, "could not be checked (diagnostics are not known yet)", nil
	}
	gone, came := compare(before, after)
	for _, c := range came {
		if c.isError() || target.message != "" && !target.isError() {
			return 0, nil, "brought new problems" + quoted(c.message), nil
		}
	}
	if len(gone) == 0 || target.message != "" && !target.isError() && !slices.Contains(gone, target.message) {
		return 0, nil, "changed nothing for the better", nil
	}
	return len(gone), gone, "", nil
}

func quoted(message string) string {
	if message == "" {
		return ""
	}
	return " (" + message + ")"
}

// compare gives the messages that are gone and the problems that came, as
// multisets by message: lines move.
func compare(before, after []problem) (gone []string, came []problem) {
	left := map[string]int{}
	for _, d := range before {
		left[d.severity+d.key()]++
	}
	for _, d := range after {
		if left[d.severity+d.key()]--; left[d.severity+d.key()] < 0 {
			came = append(came, d)
		}
	}
	for _, d := range before {
		if k := d.severity + d.key(); left[k] > 0 {
			left[k]--
			gone = append(gone, d.message)
		}
	}
	return gone, came
}

type editArgs struct {
	Path  string `json:"path"`
	Edits []edit `json:"edits"`
}

type readArgs struct {
	Path   string `json:"path"`
	Offset int    `json:"offset"` // 1-based
	Limit  int    `json:"limit"`
}

// takeBack undoes the diff in an apply result by inverse edits. left says what
// could not be undone, "" when all is.
func (p *plan) takeBack(text string) (left string, err error) {
	files, ok := readDiff(text)
	if !ok {
		return "the result holds no complete diff", nil
	}
	for i := len(files) - 1; i >= 0; i-- {
		f := files[i]
		if f.whole {
			return f.path + " was created, deleted or renamed", nil
		}
		if left, err = p.takeFileBack(f); left != "" || err != nil {
			return left, err
		}
	}
	return "", nil
}

// contexts are the lines around a diff that are taken in turn until an edit is
// unique.
var contexts = [...]int{8, 40, 400}

func (p *plan) takeFileBack(f fileDiff) (left string, err error) {
	res, err := p.call("edit", editArgs{f.path, f.inverse()})
	if err != nil || !res.failed {
		return "", err
	}
	if left = firstParagraph(res.text); p.bars(res) {
		return left, nil
	}
	from, to := f.span()
	for _, n := range contexts {
		first := max(1, from-n)
		read, err := p.call("read", readArgs{f.path, first, to + n - first})
		if err != nil {
			return "", err
		}
		lines, at := readLines(read.text)
		e, ok := f.widened(lines, at)
		if read.failed || !ok {
			return left, nil
		}
		res, err := p.call("edit", editArgs{f.path, []edit{e}})
		if err != nil || !res.failed {
			return "", err
		}
	}
	return left, nil
}
