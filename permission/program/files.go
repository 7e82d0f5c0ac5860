package program

import (
	"slices"
	"strings"
)

// Name is a command's name without folder and .exe, in lower case.
func Name(word string) string {
	word = strings.ToLower(word)
	if i := strings.LastIndexAny(word, `/\`); i >= 0 {
		word = word[i+1:]
	}
	return strings.TrimSuffix(word, ".exe")
}

// Written are the arguments of a file command that name what it changes.
func Written(name string, args []string) []string {
	var names, after []string
	ended := false
	for i, a := range args {
		switch {
		case !ended && a == "--":
			ended = true
		case !ended && len(a) > 1 && a[0] == '-':
			switch value, glued := strings.CutPrefix(a, "-o"); {
			case a == "-o" && i+1 < len(args):
				after = append(after, args[i+1])
			case glued:
				after = append(after, strings.TrimPrefix(value, "="))
			case name == "go":
				if _, value, ok := strings.Cut(a, "profile="); ok {
					after = append(after, value)
				}
			}
		case a != "":
			names = append(names, a)
		}
	}
	switch name {
	case "tee", "touch", "mkdir", "rm", "rmdir", "truncate", "unlink", "shred", "mv":
		return names
	case "cp", "ln", "install", "rsync":
		return names[max(0, len(names)-1):]
	case "chmod", "chown", "chgrp":
		return names[min(1, len(names)):]
	case "go", "gcc", "cc", "clang", "g++", "clang++", "rustc", "sort":
		return after
	case "dd":
		var out []string
		for _, n := range names {
			if to, ok := strings.CutPrefix(n, "of="); ok {
				out = append(out, to)
			}
		}
		return out
	}
	return nil
}

// NamesOnly tells of commands that use the names in their arguments, not what the
// files hold.
func NamesOnly(name string) bool {
	return slices.Contains([]string{
		"echo", "printf", "ls", "stat", "basename", "dirname", "realpath", "readlink", "test", "[", "touch", "mkdir", "rm", "rmdir", "unlink", "cd", "pwd",
		"which", "type", "chmod", "chown", "chgrp", "tree", "du", "true", "false", ":", "set", "find", "git-check-ignore", "truncate", "command", "time",
	}, name)
}

// Reads tells of commands that show, copy or send what the files named hold.
func Reads(name string) bool {
	return Interpreter(name) || slices.Contains([]string{
		"cat", "tac", "head", "tail", "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "bat", "batcat", "nl", "rev", "cut", "sort", "uniq", "wc", "fold", "fmt", "pr",
		"column", "paste", "join", "comm", "cmp", "diff", "sdiff", "vimdiff", "od", "xxd", "hexdump", "hd", "strings", "base64", "base32", "md5sum", "sha1sum", "sha256sum",
		"cp", "mv", "ln", "install", "dd", "zip", "gzip", "bzip2", "xz", "zstd", "7z", "cpio", "jq", "yq", "source", ".", "bash", "sh", "dash", "zsh", "ksh", "tee",
		"curl", "wget", "nc", "openssl", "gpg", "age", "ssh-keygen", "ssh-add", "mail", "code", "subl", "pbcopy", "xclip", "xsel", "iconv", "expand", "file", "look", "split", "csplit", "tr", "dotenv", "env", "export", "mapfile", "type.exe", "cksum",
	}, name)
}

// Interpreter tells whether a command runs code of another language that it is
// given, in which commands may be named.
func Interpreter(name string) bool {
	name = strings.TrimRight(name, "0123456789.-")
	return slices.Contains([]string{
		"python", "pypy", "perl", "ruby", "node", "nodejs", "deno", "bun", "php", "lua", "luajit", "tclsh", "wish", "guile", "racket", "julia", "r", "rscript",
		"awk", "gawk", "mawk", "nawk", "sed", "gsed", "ed", "ex", "vi", "vim", "nvim", "view", "emacs", "nano", "make", "gmake", "bmake", "cmake", "ninja", "just", "task",
		"tar", "gtar", "bsdtar", "rsync", "man", "less", "more", "osascript", "jshell", "groovy", "scala", "elixir", "iex", "erl", "ghci", "ocaml", "irb", "ipython",
		"tsx", "ts-node", "npx", "bunx", "uvx", "pipx", "m", "gdb", "sqlite", "mysql", "psql", "docker", "podman", "kubectl", "cscript", "wscript", "mshta", "split", "zip", "ffmpeg", "ssh", "scp", "sftp",
	}, name)
}
