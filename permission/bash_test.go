package permission

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"companion/tools"
)

// ground is a throwaway folder in which real bash runs what was allowed. Its
// PATH holds a few harmless programs, "ok", which is allowed, and "hit", which
// touches the sentinel.
type ground struct {
	bash, bin, work, sentinel string
	before                    string
}

func newGround(t testing.TB) *ground {
	t.Helper()
	bash, err := exec.LookPath("/bin/bash")
	if err != nil {
		t.Skip("bash is not here, by which the analysis is held against the real thing: ", err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	g := &ground{bash: bash, bin: filepath.Join(dir, "bin"), work: filepath.Join(dir, "work"), sentinel: filepath.Join(dir, "sentinel")}
	write := func(path, text string, mode fs.FileMode) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(g.bin, "hit"), "#!/bin/bash\n: > "+g.sentinel+"\n", 0o755)
	write(filepath.Join(g.bin, "ok"), "#!/bin/bash\nexit 0\n", 0o755)
	for _, name := range []string{"a", "b", "sub/c", ".env"} {
		write(filepath.Join(g.work, name), "hit\n", 0o644)
	}
	for _, name := range []string{
		"ls", "cat", "head", "tail", "wc", "sort", "uniq", "grep", "find", "env", "xargs", "timeout", "nice", "nohup", "setsid", "stdbuf", "sed", "awk", "date",
		"bash", "sh", "cut", "tr", "touch", "tee",
	} {
		if path, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(path, filepath.Join(g.bin, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	g.before = g.tree(t)
	return g
}

// tree is every file of the folder with its text.
func (g *ground) tree(t testing.TB) string {
	var b strings.Builder
	err := filepath.WalkDir(g.work, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			fmt.Fprintln(&b, path, err)
			return nil
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %q %v\n", path, text, err)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// run runs a line as exec_command does, and tells whether it touched the sentinel.
func (g *ground) run(t testing.TB, line string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, g.bash, "-c", line)
	cmd.Dir, cmd.Env, cmd.WaitDelay = g.work, []string{"PATH=" + g.bin, "HOME=" + g.work}, time.Second
	_ = cmd.Run() // how it ends does not matter
	err := os.Remove(g.sentinel)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return err == nil
}

// verdict is what the policy says of a line in the ground.
func (g *ground) verdict(opt Options, mode tools.Mode, line string) string {
	inv := &tools.Invocation{
		Call: tools.Call{Mode: mode, Roots: []string{g.work}}, Spec: tools.Spec{Name: "exec_command"},
		Action: tools.Action{Effects: []tools.Effect{runs(line)}, Preview: tools.Preview{Command: line, Cwd: g.work}},
	}
	switch err := New(opt).judge(inv); {
	case err != nil:
		return "deny"
	case inv.Verdict.Allow:
		return "allow"
	}
	return "ask"
}

var (
	onlyOK = Options{Rules: Rules{{Effect: tools.Command, Pattern: "ok *", Action: Allow}}}
	notHit = Options{Rules: Rules{{Effect: tools.Command, Pattern: "hit *", Action: Deny}, {Effect: tools.Command, Pattern: "*", Action: Allow}}}
	// allOK allows wrappers too, so that what they run decides.
	allOK = Options{Rules: append(Rules{{Effect: tools.Command, Pattern: "ok *", Action: Allow}}, wrapRules()...)}
)

func wrapRules() (out Rules) {
	for _, name := range []string{"bash", "sh", "env", "xargs", "timeout", "nice", "nohup", "setsid", "stdbuf", "find", "eval", "command", "time", "sed", "awk", "sort", "exec", "builtin", "test", "printf", "trap", "alias", "hash", "set", "cd", "tee"} {
		out = append(out, Rule{Effect: tools.Command, Pattern: name + " *", Action: Allow})
	}
	return out
}

// check runs what some set of rules allows and does not cover.
func (g *ground) check(t *testing.T, line string) {
	t.Helper()
	if len(line) > 400 || strings.ContainsRune(line, '\x00') {
		return
	}
	strict := g.verdict(onlyOK, tools.ModeEdit, line)
	if strict != "allow" && g.verdict(allOK, tools.ModeEdit, line) != "allow" && g.verdict(notHit, tools.ModeFull, line) != "allow" {
		return
	}
	if g.run(t, line) {
		t.Fatalf("%q ran what is not allowed", line)
	}
	if after := g.tree(t); after != g.before {
		if strict == "allow" {
			t.Fatalf("%q changed files though writes ask:\n%s\nwas\n%s", line, after, g.before)
		}
		g.before = after
	}
}

// tokens are what lines are made of; a byte picks one.
var tokens = []string{
	"hit", "ok", "ls", "cat", "echo", "a", ".env", " ", " ", " ", "\n", "\t", ";", "&", "&&", "||", "|", "|&", "!", "(", ")", "{", "}", "((", "))", "[[", "]]",
	"$(", "`", "<(", ">(", "${", "}", "$", "$'", "'", "\"", "\\", "\\\n", "<", ">", ">>", "<<", "<<<", "<<EOF\n", "\nEOF\n", "<<'EOF'\n", "2>&1", ">/dev/null", "&>", ">&",
	"if ", "then ", "else ", "fi", "for x in ", "; do ", "done", "while ", "case x in x) ", ";; esac", "function f ", "f() ", "f", "select ", "until ", "coproc ", "time ",
	"bash -c ", "sh -c ", "bash", "eval ", "env ", "env -S ", "xargs ", "timeout 5 ", "nice ", "nice -n 5 ", "nohup ", "setsid ", "stdbuf -o0 ", "find . -exec ", " {} ;", " \\;", " {} +", "-exec ",
	"command ", "builtin ", "exec ", "trap ", " EXIT", "alias ", "ls=hit", "hash -p ", "set -e", "cd ", "cd sub", "..", "/", "./", "~", "test ", "[ ", " ]", "-v ", "x[$(hit)]",
	"X=", "PATH=.", "$X", "${X}", "${X:-hit}", "$((", "x", "=", "h", "i", "t", "hi", "it", "{hit,a}", "h{i,}t", "h?t", "hi*", "[h]it", "\\x68it", "\\150it", "#", "# ", ",", "1", "-", "--", "-c", "-x",
	"sed ", "s/a/b/", "s/a/hit/e", "awk ", "BEGIN{system(\"hit\")}", "sort ", "-o", "--output=", "source ", ". ", "printf ", "-v ", "declare ", "export ", "read ", "LC_ALL=C ", "\r", "\u00a0", "\u202e",
}

func line(data []byte) string {
	var b strings.Builder
	for _, c := range data {
		b.WriteString(tokens[int(c)%len(tokens)])
	}
	return b.String()
}

// A command that touches the sentinel is never allowed by rules that do not
// cover it: what is allowed is run by real bash.
func FuzzWhatIsAllowedNeverTouchesTheSentinel(f *testing.F) {
	g := newGround(f)
	index := func(parts ...string) []byte {
		var out []byte
		for _, p := range parts {
			for i, t := range tokens {
				if t == p {
					out = append(out, byte(i))
					break
				}
			}
		}
		return out
	}
	f.Add(index("ls", " ", "&&", " ", "hit"), "ls && hit")
	f.Add(index("bash -c ", "'", "ok", ";", "hit", "'"), "bash -c 'ok; hit'")
	f.Add(index("echo", " ", "$(", "hit", ")"), "echo $(hit)")
	f.Add(index("cat", " ", "<<EOF\n", "$(", "hit", ")", "\nEOF\n"), "cat <<EOF\n$(hit)\nEOF\n")
	f.Add(index("ls", " ", ">", "a"), "ls > sub/new")
	f.Add(index("cd sub", "&&", "cat", " ", "..", "/", "a"), "cd sub && cat ../a")
	f.Add(index("find . -exec ", "ok", " {} +"), "find . -exec ok {} + -exec hit ;")
	f.Add(index("timeout 5 ", "nice ", "ok"), "timeout 5 nice -n 1 ok")
	f.Add(index("if ", "ok", ";", "then ", "ls", ";", "fi"), "if ok; then ls; fi")
	f.Add(index("test ", "-v ", "'", "x[$(hit)]", "'"), "test -v 'x[$(hit)]'")
	f.Add(index("eval ", "\"", "o", "ok", "\""), "eval \"ok\" \\; hit")
	f.Add(index("$'", "\\x68it", "'"), "$'\\x68it'")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		g.check(t, line(data))
		g.check(t, text)
	})
}

// The same on lines that random parts make, in each run of the tests.
func TestWhatIsAllowedNeverTouchesTheSentinel(t *testing.T) {
	g := newGround(t)
	r := rand.New(rand.NewPCG(1, 2))
	for range 6000 {
		data := make([]byte, 1+r.IntN(9))
		for i := range data {
			data[i] = byte(r.IntN(256))
		}
		g.check(t, line(data))
	}
}

// quoted writes a word in one of the ways that bash undoes.
func quoted(r *rand.Rand, word string) string {
	var b strings.Builder
	for i := 0; i < len(word); {
		n := 1 + r.IntN(len(word)-i)
		part := word[i : i+n]
		switch r.IntN(7) {
		case 0:
			b.WriteString("'" + part + "'")
		case 1:
			b.WriteString(`"` + part + `"`)
		case 2:
			b.WriteString(`\` + part)
		case 3:
			fmt.Fprintf(&b, `$'\x%02x%s'`, part[0], part[1:])
		case 4:
			b.WriteString("''" + part + `""`)
		case 5:
			b.WriteString("\\\n" + part)
		default:
			b.WriteString(part)
		}
		i += n
	}
	return b.String()
}

// wrapped puts a command into one of the forms that run it.
func wrapped(r *rand.Rand, cmd string) string {
	q := "'" + strings.ReplaceAll(cmd, "'", `'\''`) + "'"
	forms := []string{
		"ok && %s", "ok; %s", "ok | %s", "false || %s", "ok\n%s", "ok & %s", "(%s)", "{ %s; }", "! %s", "if ok; then %s; fi", "if %s; then ok; fi",
		"for x in 1; do %s; done", "while %s; do break; done", "case x in *) %s;; esac", "f() { %s; }; f", "echo $(%s)", "echo \"$(%s)\"", "echo `%s`", "cat <(%s)",
		"ok > /dev/null; %s", "time %s", "coproc %s", "X=1; %s", "# note\n%s", "[[ -n $(%s) ]]", "x=$(%s)", "echo ${x:-$(%s)}", "cat <<EOF\n$(%s)\nEOF\n", "echo $(( $(%s)1 ))", "ok |& %s",
		"until %s; do :; done", "select x in a; do %s; done <<< 1", "trap -- '' INT; %s",
	}
	runners := []string{
		"bash -c %s", "sh -c %s", "bash -ec %s", "bash -o pipefail -c %s", "bash --norc -c %s", "eval %s", "env bash -c %s", "timeout 9 bash -c %s", "bash <<< %s", "trap %s EXIT", "xargs bash -c %s < /dev/null", "find . -maxdepth 0 -exec bash -c %s \\;",
	}
	if strings.Contains(cmd, "\nEOF\n") || strings.Contains(cmd, "`") || r.IntN(3) == 0 {
		return fmt.Sprintf(runners[r.IntN(len(runners))], q)
	}
	return fmt.Sprintf(forms[r.IntN(len(forms))], cmd)
}

// simple is the denied command behind wrappers that take words.
func simple(r *rand.Rand) string {
	before := []string{
		"", "", "env ", "env A=1 ", "env -u X ", "nice ", "nice -n 3 ", "nohup ", "setsid ", "timeout 9 ", "timeout -k 1 9 ", "timeout --signal=TERM 9 ", "stdbuf -oL ", "command ", "command -p ", "exec ", "A=1 ", "LC_ALL=C ",
		"env nice timeout 9 ", "command env ",
	}
	name := []string{"hit", "hit", "./../bin/hit"}[r.IntN(3)]
	args := []string{"", " x", " 'a b'", " -f x", " 2>/dev/null", " >/dev/null 2>&1", " $X", " *"}[r.IntN(8)]
	pre := before[r.IntN(len(before))]
	if strings.Contains(pre, "-p") { // its own PATH
		name = "./../bin/hit"
	}
	return pre + quoted(r, name) + args
}

// HB-140. A denied command is denied however it is quoted and wrapped; that the
// line would run it is asked of bash.
func TestADenyIsNeverLostByQuotingOrWrapping(t *testing.T) {
	g := newGround(t)
	r := rand.New(rand.NewPCG(3, 4))
	hits, tries := 0, 0
	for range 400 {
		l := simple(r)
		for range r.IntN(3) {
			l = wrapped(r, l)
		}
		tries++
		if got := g.verdict(notHit, tools.ModeFull, l); got != "deny" {
			t.Errorf("%q: %s, want deny", l, got)
		}
		if tries <= 120 && g.run(t, l) {
			hits++
		}
	}
	if hits < 80 {
		t.Errorf("only %d of 120 lines ran the command: the test makes lines that prove nothing", hits)
	}
}

// What stands for the command only when the line runs is not denied, but never
// goes unasked.
func TestADenyIsNeverLostByWhatIsOnlyKnownLater(t *testing.T) {
	g := newGround(t)
	for _, l := range []string{
		"X=hit; $X", "$(echo hit)", "`echo hit`", "h?t", "../bin/h*", "echo hit | bash", "echo hit | xargs env", "printf hit | sh", "X='h it'; ${X// /}", "read X <<< hit; $X", "cat a | bash",
		". a", "source ./a", "bash a", "bash < a", "eval \"$(cat a)\"", "alias z=hit\nz", "hash -p ../bin/hit ok; ok", "awk 'BEGIN{system(\"h\" \"it\")}'", "sed -n '1e hit' a", "sed s/x/y/e a", "find . -maxdepth 0 -exec env h{} +",
		"declare X=hit; $X", "printf -v X hit; $X", "mapfile -C hit -c 1 < a", "enable -n echo", "env -S 'h\\it'", "PATH=../bin:$PATH ok", "BASH_ENV=a bash -c ok", "test -v 'x[$(h\"\"it)]'", "[ -v 'x[$(hi?)]' ]", "command_not_found_handle() { $1; }; nothere",
		"ok 'unterminated", "ok \r hit", "echo $[ $(h''it) ]", "PROMPT_COMMAND=hit bash -i", "sort --compress-program=hit a", "x=hit;\"$x\"", "set -- hit; \"$@\"", "${BASH_SOURCE:-hit}", "h\\\nit", "function ls { hit; }; ls",
	} {
		if got := g.verdict(notHit, tools.ModeFull, l); got == "allow" {
			t.Errorf("%q is allowed", l)
		}
		if got := g.verdict(onlyOK, tools.ModeAgent, l); got == "allow" {
			t.Errorf("%q is allowed by a rule for another command", l)
		}
	}
}
