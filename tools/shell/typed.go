package shell

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"companion/tools"
	"companion/tools/shell/proc"
	"companion/tools/shell/sessions"
)

// typed are the effects of typing chars into a session. A yes for its command
// covers what the program is told, unless the program takes commands: then each
// text is judged as a line that is not understood, and as a line of bash too
// where rules may forbid it. Keys that interrupt, end input or end a line ask
// for nothing; in modes without changes all else does.
func typed(call tools.Call, s *sessions.Session, id int, chars string) []tools.Effect {
	if strings.Trim(chars, interrupt+"\x04\r\n") == "" {
		return nil
	}
	to := takesCommands(s.Command)
	if to == "" && (call.Mode == tools.ModeAsk || call.Mode == tools.ModePlan) {
		to = "a running program"
	}
	if to == "" {
		return nil
	}
	line := strings.Trim(chars, "\r\n")
	effects := []tools.Effect{{Kind: tools.Command, Command: line, Shell: fmt.Sprintf("session %d (%s)", id, to)}}
	if to == "a shell" {
		effects = append(effects, tools.Effect{Kind: tools.Command, Command: line, Shell: proc.Foreign()})
	}
	return effects
}

// takesCommands says what in a line may run what is typed into it; "" = nothing
// that is known to. It looks at words, however they are quoted, and takes a line
// that is not plain for one that does.
func takesCommands(line string) string {
	plain := strings.NewReplacer(`"`, "", "'", "", `\`, "").Replace(line)
	if strings.ContainsAny(plain, "$`*?[{~<") {
		return "a line that is not plain"
	}
	words := strings.FieldsFunc(plain, func(r rune) bool { return strings.ContainsRune(" \t\r\n;|&()>=,:@", r) })
	found := ""
	for _, w := range words {
		name := strings.TrimRight(strings.TrimSuffix(strings.ToLower(filepath.Base(w)), ".exe"), "0123456789.-")
		switch {
		case slices.Contains(shells(), name):
			return "a shell"
		case slices.Contains(interpreters(), name):
			found = name
		}
	}
	return found
}

func shells() []string {
	return []string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "busybox", "su", "sudo", "doas", "ssh", "mosh", "telnet", "nc", "ncat", "socat", "script", "shell", "screen", "tmux", "chroot", "nsenter", "unshare", "docker", "podman", "kubectl", "exec", "xargs", "parallel", "env", "at", "batch", "eval", "source", "."}
}

func interpreters() []string {
	return []string{
		"python", "ipython", "bpython", "ptpython", "pypy", "node", "nodejs", "deno", "bun", "ts-node", "tsx", "ruby", "irb", "pry", "perl", "php", "psysh", "lua", "luajit", "r", "rscript", "radian",
		"julia", "ghci", "ghc", "stack", "cabal", "ocaml", "utop", "scala", "sbt", "jshell", "groovy", "groovysh", "kotlin", "kotlinc", "clojure", "clj", "lein", "elixir", "iex", "erl", "racket", "guile", "sbcl",
		"clisp", "tclsh", "wish", "expect", "fish", "csh", "tcsh", "nu", "xonsh", "pwsh", "powershell", "cmd", "osascript", "awk", "gawk", "mawk", "sed", "ed", "ex", "vi", "vim", "nvim", "view", "vimdiff", "emacs", "nano",
		"pico", "micro", "helix", "hx", "kak", "joe", "mcedit", "mc", "ranger", "nnn", "lf", "vifm", "less", "more", "most", "man", "info", "top", "htop", "btop", "watch", "gdb", "lldb", "dlv", "pdb", "jdb", "rdb", "bashdb", "strace",
		"sqlite", "mysql", "mariadb", "psql", "pgcli", "mycli", "mongo", "mongosh", "redis-cli", "cqlsh", "clickhouse", "duckdb", "sqlplus", "isql", "ftp", "sftp", "lftp", "smbclient", "gnuplot", "octave", "matlab", "maxima",
		"gp", "sage", "bc", "dc", "m", "make", "git", "tig", "lazygit", "console", "repl", "rails", "tinker", "artisan", "manage.py", "manage.py shell", "nix", "nix-shell", "nix-repl", "poetry", "pipenv", "conda", "gcloud", "aws", "cargo-script", "evcxr", "gore", "yaegi", "cling", "root",
		"fzf", "entr", "dialog", "crontab", "visudo", "vipw", "minicom", "picocom", "cu", "virsh", "cscript", "wscript", "mshta", "jupyter", "swift", "dart", "crystal", "nim", "swipl", "prolog", "coqtop", "lean", "agda", "idris",
	}
}
