package command

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"companion/permission/paths"
	"companion/permission/program"
)

const (
	maxNested = 6       // shells inside shells
	maxParts  = 400     // commands of one line
	maxDirs   = 8       // folders that one command may run in
	maxLine   = 1 << 18 // bytes of one line
	maxWords  = 1000    // words of one command whose files are looked at
)

// Parse takes a line apart that starts in the absolute folder cwd. shell is ""
// for bash and its kin; any other shell's lines are not understood.
func Parse(src, cwd, shell string) Line {
	w := &walker{line: &Line{}, src: src, dirs: []string{cwd}}
	switch {
	case shell != "":
		w.unclear("it is for " + shell + ", which is not understood")
		w.guess(src, true)
	case strings.ContainsRune(src, 0) || len(src) > maxLine:
		w.unclear("it is no shell line")
		w.guess(src, true)
	default:
		w.parse()
	}
	if len(w.line.Commands)+len(w.line.Touches) == 0 {
		w.unclear("it holds no command")
	}
	return *w.line
}

type walker struct {
	line  *Line
	src   string
	dirs  []string
	depth int
	stdin *Word // what the present command is given to read, nil = not known
	// inner: below here it is another program that runs commands, or text that
	// only may be run; see Simple.Sure.
	unsure bool
}

func (w *walker) unclear(why string) {
	if w.line.Unclear == "" {
		w.line.Unclear = why
	}
}

func (w *walker) parse() {
	if why := odd(w.src); why != "" {
		w.unclear(why)
	}
	if nests(w.src) {
		w.unclear("it nests too deeply")
		w.guess(w.src, true)
		return
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(w.src), "")
	if err != nil {
		w.unclear("it does not parse")
		w.guess(w.src, true)
		return
	}
	w.stmts(file.Stmts)
}

// maxOpen bounds what may stand open in a text at once: the parser recurses for
// each.
const maxOpen = 2000

// nests tells whether brackets, or words that open a command, stand too deep.
// Words are counted while they follow each other: the next of another kind
// begins anew.
func nests(src string) bool {
	depth, opening := 0, 0
	for _, f := range strings.FieldsFunc(src, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == ';' }) {
		switch f {
		case "if", "while", "until", "time", "!", "coproc", "{", "(", "then", "do", "else", "elif", "-", "eval", "--":
			opening++
		default:
			opening = 0
		}
		for _, r := range f {
			switch r {
			case '(', '{', '[', '`':
				depth++
			case ')', '}', ']':
				depth = max(0, depth-1)
			case '-', '!', '~', '+':
				opening++
			}
		}
		if depth > maxOpen || opening > maxOpen {
			return true
		}
	}
	return false
}

// code takes a text apart that a shell inside the line runs.
func (w *walker) code(src string, sure bool) {
	if w.depth == maxNested || len(w.line.Commands) > maxParts {
		w.unclear("it nests too deeply")
		w.guess(src, true)
		return
	}
	in := &walker{line: w.line, src: src, dirs: w.dirs, depth: w.depth + 1, unsure: w.unsure || !sure}
	in.parse()
}

// source is a node as it is written.
func (w *walker) source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from < 0 || to > len(w.src) || from > to {
		return "…"
	}
	return w.src[from:to]
}

func (w *walker) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		w.stmt(s)
	}
}

// nested takes the statements apart that stand anywhere below a node.
func (w *walker) nested(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			w.stmt(n)
			return false
		case *syntax.Redirect, nil:
			return true
		}
		return true
	})
}

func (w *walker) stmt(s *syntax.Stmt) {
	if s.Background || s.Coprocess || s.Disown {
		w.unclear("a part goes on in the background")
	}
	stdin := w.stdin
	for _, r := range s.Redirs {
		w.redirect(r)
	}
	switch c := s.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		w.call(c)
	case *syntax.BinaryCmd:
		w.stmt(c.X)
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			w.stdin = &Word{Text: w.source(c.X)} // what it prints may stand in it
		}
		w.stmt(c.Y)
	case *syntax.Subshell:
		w.stmts(c.Stmts)
	case *syntax.Block:
		w.stmts(c.Stmts)
	case *syntax.IfClause:
		w.ifClause(c)
	case *syntax.TimeClause:
		w.add([]Word{{Text: "time", Known: true}}, "")
		if c.Stmt != nil {
			w.stmt(c.Stmt)
		}
	case *syntax.FuncDecl:
		w.unclear("it defines a function")
		w.nested(c.Body)
	default: // loops, case, declarations, arithmetic, tests, coprocesses
		w.unclear("it holds more than simple commands")
		w.nested(c)
	}
	w.stdin = stdin
}

func (w *walker) ifClause(c *syntax.IfClause) {
	for ; c != nil; c = c.Else {
		w.stmts(c.Cond)
		w.stmts(c.Then)
	}
}

func (w *walker) redirect(r *syntax.Redirect) {
	if r.N != nil && strings.Trim(r.N.Value, "0123456789") != "" {
		w.unclear("it names a file descriptor by a variable")
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		w.stdin = nil
		if text, ok := heredoc(r); ok {
			w.stdin = &Word{Text: text, Known: true}
			return
		}
		if r.Hdoc != nil {
			w.unclear("a here-document is not literal")
			w.nested(r.Hdoc)
			w.guess(w.source(r.Hdoc), false)
		}
		return
	}
	got := w.words(r.Word)
	target := got[0]
	if len(got) > 1 {
		target.Known = false
	}
	switch {
	case r.Op == syntax.WordHdoc:
		w.stdin = &target
		if !target.Known {
			w.unclear("a here-string is not literal")
		}
		return
	case r.Op == syntax.DplIn || r.Op == syntax.DplOut:
		if target.Known && (target.Text == "-" || len(target.Text) == 1 && target.Text[0] >= '0' && target.Text[0] <= '2') {
			return
		}
		if r.Op == syntax.DplIn || target.Known && strings.Trim(target.Text, "0123456789-") == "" {
			w.unclear("it uses a file descriptor that is not a standard one")
			return
		}
	}
	if !target.Known {
		w.unclear("the file of a redirection is not known")
	}
	read := r.Op == syntax.RdrIn || r.Op == syntax.RdrInOut
	write := r.Op != syntax.RdrIn
	if read {
		w.stdin = nil
	}
	w.file(target, read, write)
}

// file notes what a redirection opens.
func (w *walker) file(target Word, read, write bool) {
	switch path := filepath.ToSlash(target.Text); {
	case path == "/dev/null", write && !read && (path == "/dev/stdout" || path == "/dev/stderr"), read && !write && path == "/dev/stdin":
		return
	case strings.HasPrefix(path, "/dev/tcp/") || strings.HasPrefix(path, "/dev/udp/"):
		w.unclear("it opens a connection")
		return
	case strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/"):
		w.unclear("it opens what a process has open")
	}
	if read {
		w.line.Touches = append(w.line.Touches, Touch{Path: target.Text, Dirs: w.dirs, Glob: target.Glob, Reader: true})
	}
	if write {
		w.line.Touches = append(w.line.Touches, Touch{Path: target.Text, Dirs: w.dirs, Glob: target.Glob, Write: true})
	}
}

// harmlessVars change how a program words things, not what it does: any other
// variable in front of a command makes it ask.
var harmlessVars = []string{
	"LANG", "LANGUAGE", "TZ", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "CI",
	"GOOS", "GOARCH", "CGO_ENABLED", "RUST_BACKTRACE", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE",
}

func harmlessVar(name string) bool {
	return slices.Contains(harmlessVars, name) || strings.HasPrefix(name, "LC_")
}

func (w *walker) call(c *syntax.CallExpr) {
	for _, a := range c.Assigns {
		w.nested(a)
		if a.Array != nil || a.Index != nil || a.Append || a.Name == nil || !harmlessVar(a.Name.Value) {
			w.unclear("it sets a variable that may change what runs")
		} else if a.Value != nil && !w.literal(a.Value).Known {
			w.unclear("it sets a variable to what is not known")
		}
		if a.Value != nil {
			if v := w.literal(a.Value); strings.ContainsAny(v.Text, " ;&|\n") {
				w.code(v.Text, false)
			}
		}
	}
	var words []Word
	for _, a := range c.Args {
		words = append(words, w.words(a)...)
	}
	if len(words) > 0 {
		w.run(words)
	}
}

// run notes a simple command and what it runs in turn.
func (w *walker) run(words []Word) {
	if len(w.line.Commands) > maxParts {
		w.unclear("it has too many parts")
		return
	}
	w.add(words, "")
	if !words[0].Known {
		w.unclear("which command runs is not known before it does")
		if words[0].Text == "" {
			return
		}
	}
	for _, a := range words[1:] {
		if !a.Known {
			w.unclear("a word is not known before it runs: " + a.Text)
		}
	}
	name := program.Name(words[0].Text)
	w.changesShell(name, words[1:])
	if len(words) <= maxWords && len(w.line.Touches) <= maxWords {
		w.touches(name, words)
	} else {
		w.unclear("it has too many words")
	}
	if wrapper, ok := wrappers()[name]; ok {
		if !wrapper(w, words) {
			w.unclear(name + " runs what is not understood")
			w.tails(words)
		}
		return
	}
	if program.Interpreter(name) || program.Escapes(Simple{Words: words}.Texts()) != "" {
		w.guess(strings.Join(Simple{Words: words[1:]}.Texts(), " "), false)
		if w.stdin != nil {
			w.guess(w.stdin.Text, false)
		}
	} else if mayRun(name) {
		for i := 2; i <= min(len(words), maxTails); i++ {
			w.line.Commands = append(w.line.Commands, Simple{Words: words[i-1:], Dirs: w.dirs, Unclear: "guessed"})
		}
	}
}

// maxTails bounds the words of a command behind which another may begin.
const maxTails = 32

func (w *walker) add(words []Word, why string) {
	w.line.Commands = append(w.line.Commands, Simple{Words: words, Dirs: w.dirs, Sure: !w.unsure, Unclear: why})
}

// changesShell follows cd, and knows which builtins change what later commands
// mean.
func (w *walker) changesShell(name string, args []Word) {
	switch name {
	case "cd":
		w.cd(args)
	case "pushd", "popd", "hash", "enable", "alias", "unalias", "shopt", "source", ".", "trap", "exec", "export", "declare", "typeset",
		"local", "readonly", "read", "mapfile", "readarray", "unset", "let", "getopts", "bind", "complete", "compgen", "history", "fc", "set", "coproc", "wait", "ulimit", "umask", "disown", "bg", "fg":
		if !(name == "set" && safeSet(args)) {
			w.unclear(name + " changes the shell itself")
		}
	case "test", "[", "printf":
		for _, a := range args {
			if strings.ContainsAny(a.Text, "$`") && strings.Contains(a.Text, "[") {
				w.unclear("an index may run a command")
				w.guess(a.Text, false)
			}
		}
	}
}

func safeSet(args []Word) bool {
	for _, a := range args {
		switch a.Text {
		case "-e", "-u", "-x", "-o", "pipefail", "-eu", "-ex", "-ux", "-eux", "-euo", "-eo", "-uo", "-euxo", "-exo":
		default:
			return false
		}
	}
	return len(args) > 0
}

// cd adds the folder that the line goes to to those that later parts may run in.
func (w *walker) cd(args []Word) {
	if len(args) != 1 || !args[0].Known || args[0].Text == "" || strings.HasPrefix(args[0].Text, "-") {
		w.unclear("where cd goes is not known")
		return
	}
	if os.Getenv("CDPATH") != "" && !strings.HasPrefix(args[0].Text, ".") && !strings.HasPrefix(args[0].Text, "/") {
		w.unclear("CDPATH is set")
	}
	out := slices.Clone(w.dirs)
	for _, d := range w.dirs {
		to := paths.Join(d, args[0].Text)
		real := paths.Canonical(to)
		if real != filepath.Clean(to) { // "cd .." goes elsewhere for the shell than for the kernel
			w.unclear("cd goes through a link")
		}
		if !slices.Contains(out, real) {
			out = append(out, real)
		}
	}
	if len(out) > maxDirs {
		w.unclear("it changes the folder too often")
		out = out[:maxDirs]
	}
	w.dirs = out
}

// tails notes every part of a wrapper's words that may be the command it runs.
func (w *walker) tails(words []Word) {
	for i := 1; i < len(words); i++ {
		text := words[i].Text
		if text != "" && !strings.HasPrefix(text, "-") {
			w.line.Commands = append(w.line.Commands, Simple{Words: words[i:], Dirs: w.dirs, Sure: !w.unsure})
		}
		if strings.ContainsAny(text, " \t\n;|&$`(") {
			w.code(text, true)
		}
	}
}

// guess notes the commands that a text may hold which no shell's parser takes:
// every tail of its words.
func (w *walker) guess(src string, sure bool) {
	words := strings.FieldsFunc(src, func(r rune) bool { return strings.ContainsRune(" \t\r\n;|&()`$<>{}[]\"'\\,!=\x00", r) })
	for i := range words {
		if i == maxParts {
			break
		}
		s := Simple{Dirs: w.dirs, Sure: sure && !w.unsure, Unclear: "guessed"}
		for _, t := range words[i:min(len(words), i+32)] {
			s.Words = append(s.Words, Word{Text: t, Known: true})
		}
		w.line.Commands = append(w.line.Commands, s)
	}
	// A quote or a backslash inside a name does not hide it.
	joined := strings.NewReplacer(`"`, "", `'`, "", `\`, "", "\x00", "").Replace(src)
	for i, f := range strings.Fields(joined) {
		if i == maxParts {
			break
		}
		w.line.Commands = append(w.line.Commands, Simple{Words: []Word{{Text: f, Known: true}}, Dirs: w.dirs, Sure: sure && !w.unsure, Unclear: "guessed"})
	}
}
