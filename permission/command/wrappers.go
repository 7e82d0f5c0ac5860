package command

import (
	"slices"
	"strings"

	"companion/permission/program"
)

// A wrapper takes the words of a command apart that runs others, and runs what
// it finds. False: they are not understood.
type wrapper func(w *walker, words []Word) bool

// wrappers by name. What runs others and is not taken apart here is in opaque.
func wrappers() map[string]wrapper {
	out := map[string]wrapper{
		"eval": evals, "env": env, "find": find, "xargs": xargs, "exec": plain("a", 0), "trap": opaque, "alias": aliases, "watch": watch,
		"sudo":    prefixed("ugpCTRDrtUh", true, 0, "user group prompt close-from command-timeout chroot chdir role type other-user host"),
		"doas":    prefixed("uCa", true, 0, ""),
		"nice":    prefixed("n", false, 0, "adjustment"),
		"nohup":   prefixed("", false, 0, ""),
		"setsid":  prefixed("", false, 0, ""),
		"timeout": prefixed("sk", false, 1, "signal kill-after"),
		"time":    prefixed("fo", false, 0, "format output"),
		"stdbuf":  prefixed("ioe", false, 0, "input output error"),
		"ionice":  prefixed("cn", false, 0, "class classdata"),
		"chroot":  prefixed("", false, 1, "userspec groups"),
		"taskset": prefixed("", false, 1, ""),
		"busybox": plain("", 0), "toybox": plain("", 0), "builtin": plain("", 0),
		"command": func(w *walker, words []Word) bool {
			if len(words) > 1 && (words[1].Text == "-v" || words[1].Text == "-V") && words[1].Known {
				return true
			}
			return plain("", 0)(w, words)
		},
	}
	for _, sh := range []string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "yash"} {
		out[sh] = shell
	}
	for _, name := range []string{
		"su", "runuser", "pkexec", "gosu", "su-exec", "parallel", "flock", "script", "ssh", "unshare", "nsenter", "strace", "ltrace", "gdb", "perf", "valgrind",
		"fish", "csh", "tcsh", "cmd", "powershell", "pwsh", "wsl", "source", ".", "chrt", "numactl", "firejail", "bwrap", "proot", "fakeroot", "dbus-run-session",
		"xvfb-run", "setarch", "linux32", "linux64", "systemd-run", "unbuffer", "expect", "rlwrap", "torsocks", "proxychains", "proxychains4",
		"direnv", "nix-shell", "at", "batch", "caffeinate", "arch", "start-stop-daemon", "setpriv", "prlimit", "capsh", "tmux", "screen", "entr", "inotifywait",
		"coproc", "hyperfine", "socat", "run-parts", "sg", "newgrp", "chpst", "envdir", "setuidgid", "softlimit", "dotenv", "foreman", "noglob", "nocorrect", "-",
		"jobs", "ld.so", "ld-linux.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "ld-musl-x86_64.so.1", "ld-musl-aarch64.so.1", "runcon", "schroot",
		"systemd-inhibit", "ifne", "chronic", "pee", "mispipe", "tini", "dumb-init", "catatonit", "faketime", "cross-env", "pipenv", "conda", "mamba", "micromamba",
		"mise", "rtx", "asdf", "nix", "guix", "watchexec", "nodemon", "concurrently", "chamber", "doppler", "aws-vault", "dtach", "abduco", "cgexec", "xterm", "pixi", "hatch", "rye", "tox", "nox",
	} {
		out[name] = opaque
	}
	return out
}

// mayRun tells of programs that are not known to take no command among their
// words, as poetry run does. What git, and who only uses or reads files, is
// told is no command.
func mayRun(name string) bool {
	return name != "git" && !program.NamesOnly(name) && (!program.Reads(name) || program.Interpreter(name))
}

// opaque runs others in ways that are not taken apart.
func opaque(*walker, []Word) bool { return false }

// options gives the index of the first word that is no option. values are the
// short options that take one, long the names of long ones that do.
func options(words []Word, values string, long []string) (int, bool) {
	i := 1
	for ; i < len(words); i++ {
		text := words[i].Text
		switch {
		case !words[i].Known:
			return i, strings.IndexAny(text, "-$`*?[{") != 0
		case text == "--":
			return i + 1, true
		case strings.HasPrefix(text, "--"):
			name, _, glued := strings.Cut(text[2:], "=")
			if slices.Contains(long, name) && !glued {
				i++
			}
		case len(text) < 2 || text[0] != '-':
			return i, true
		default:
			if at := strings.IndexAny(text[1:], values); values != "" && at >= 0 && at == len(text)-2 {
				i++
			}
		}
	}
	return i, true
}

// prefixed is a wrapper with options, then skip words, then the command; where
// assigns, NAME=VALUE may stand before it.
func prefixed(values string, assigns bool, skip int, long string) wrapper {
	return func(w *walker, words []Word) bool {
		for _, o := range words[1:] {
			if name := program.Name(words[0].Text); name == "sudo" && o.Known && slices.Contains([]string{"-e", "-i", "-s", "--edit", "--shell", "--login", "--preserve-env"}, o.Text) {
				return false
			}
		}
		i, ok := options(words, values, strings.Fields(long))
		i += skip
		for assigns && i < len(words) && assignment(words[i].Text) {
			w.unclear("it sets a variable that may change what runs")
			i++
		}
		if !ok || i > len(words) {
			return false
		}
		if unknownOption(words[1:min(i, len(words))], values, long) {
			return false
		}
		if i < len(words) {
			w.run(words[i:])
		}
		return true
	}
}

// unknownOption tells whether some option is none that is known to take no value,
// so that what follows might be its value.
func unknownOption(opts []Word, values, long string) bool {
	const bare = "kKnSbHAEiPsBfvpawcV0"
	for _, o := range opts {
		switch {
		case strings.HasPrefix(o.Text, "--"):
			name, _, glued := strings.Cut(strings.TrimPrefix(o.Text, "--"), "=")
			if name != "" && !glued && !slices.Contains(strings.Fields(long), name) &&
				!slices.Contains([]string{"preserve-status", "foreground", "verbose", "portability", "non-interactive", "stdin", "reset-timestamp", "remove-timestamp", "fork", "wait", "ctty", "append", "ignore"}, name) {
				return true
			}
		case strings.HasPrefix(o.Text, "-") && len(o.Text) > 1 && !digit(o.Text[1], 8) && strings.IndexByte(values, o.Text[1]) < 0 && strings.Trim(o.Text[1:], bare) != "":
			return true
		}
	}
	return false
}

// plain is a wrapper whose options take no value but those named.
func plain(values string, skip int) wrapper { return prefixed(values, false, skip, "") }

func assignment(text string) bool {
	name, _, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return false
	}
	for i, r := range name {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return true
}

func env(w *walker, words []Word) bool {
	for i := 1; i < len(words); i++ {
		text := words[i].Text
		switch {
		case !words[i].Known:
			return false
		case text == "-i" || text == "-" || text == "-0" || text == "-v" || text == "--ignore-environment" || text == "--null" || text == "--debug" || text == "--":
		case text == "-u" || text == "--unset":
			i++
		case strings.HasPrefix(text, "-u") || strings.HasPrefix(text, "--unset="):
		case strings.HasPrefix(text, "-"):
			return false // -S splits, -C changes the folder
		case strings.Contains(text, "="):
			name, _, _ := strings.Cut(text, "=")
			if !harmlessVar(name) {
				w.unclear("it sets a variable that may change what runs")
			}
		default:
			w.run(words[i:])
			return true
		}
	}
	return true // prints the environment
}

// aliases stand for commands that later lines may run.
func aliases(w *walker, words []Word) bool {
	for _, a := range words[1:] {
		if _, text, ok := strings.Cut(a.Text, "="); ok {
			w.code(text, true)
		}
	}
	return true
}

func evals(w *walker, words []Word) bool {
	var parts []string
	for i, a := range words[1:] {
		if i == 0 && a.Known && a.Text == "--" {
			continue
		}
		if !a.Known {
			return false
		}
		parts = append(parts, a.Text)
	}
	w.code(strings.Join(parts, " "), true)
	return true
}

func watch(w *walker, words []Word) bool {
	i, ok := options(words, "n", []string{"interval"})
	if !ok || unknownOption(words[1:min(i, len(words))], "n", "interval") {
		return false
	}
	w.unclear("watch does not end")
	return evals(w, append([]Word{words[0]}, words[min(i, len(words)):]...))
}

// shell runs the text after -c, a script, or what it is given to read.
func shell(w *walker, words []Word) bool {
	i, code := 1, false
	for ; i < len(words); i++ {
		text := words[i].Text
		if !words[i].Known {
			return false
		}
		if text == "--" || text == "-" {
			i++
			break
		}
		if len(text) < 2 || text[0] != '-' && text[0] != '+' {
			break
		}
		if strings.HasPrefix(text, "--") {
			if text == "--rcfile" || text == "--init-file" || strings.Contains(text, "=") {
				return false
			}
			continue
		}
		code = code || text[0] == '-' && strings.ContainsRune(text, 'c')
		if strings.ContainsAny(text, "oO") {
			i++
		}
		if strings.ContainsAny(text, "is") {
			w.unclear("it starts a shell that reads commands")
		}
	}
	switch {
	case code && i < len(words):
		if len(words) > i+1 {
			w.unclear("the text of a shell has arguments")
		}
		if !words[i].Known {
			return false
		}
		w.code(words[i].Text, true)
		return true
	case i < len(words):
		w.unclear("it runs a script")
		w.tails(words[i-1:])
		return true
	case w.stdin != nil && w.stdin.Known:
		w.code(w.stdin.Text, true)
		return true
	}
	return false
}

func xargs(w *walker, words []Word) bool {
	i, ok := options(words, "aEILnPsd", []string{"arg-file", "eof", "replace", "max-lines", "max-args", "max-procs", "max-chars", "delimiter"})
	if !ok || i > len(words) {
		return false
	}
	if i == len(words) {
		w.run([]Word{{Text: "echo", Known: true}, {Text: "…"}})
		return true
	}
	w.run(append(slices.Clone(words[i:]), Word{Text: "…"}))
	return true
}

// find runs what stands after -exec and its kin.
func find(w *walker, words []Word) bool {
	for i := 1; i < len(words); i++ {
		switch words[i].Text {
		case "-exec", "-execdir", "-ok", "-okdir":
			end := i + 1
			for end < len(words) && words[end].Text != ";" && (words[end].Text != "+" || words[end-1].Text != "{}") {
				end++
			}
			if end == i+1 || end == len(words) {
				return false
			}
			inner := slices.Clone(words[i+1 : end])
			for j := range inner {
				if strings.Contains(inner[j].Text, "{}") {
					inner[j] = Word{Text: inner[j].Text}
				}
			}
			w.run(inner)
			i = end
		}
	}
	return true
}
