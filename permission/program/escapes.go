package program

import (
	"regexp"
	"slices"
	"strings"
)

// Escapes says by which argument a command runs another or writes where its
// name promises less, "" = by none that is known. A prefix rule does not cover
// such a command; a rule that names it whole does.
func Escapes(words []string) string {
	if len(words) == 0 {
		return ""
	}
	args := words[1:]
	name := Name(words[0])
	if name == "git" {
		return gitEscapes(args)
	}
	if bad := badOptions(name, args); bad != "" {
		return bad
	}
	switch name {
	case "awk", "gawk", "mawk", "nawk":
		for _, a := range args {
			if strings.ContainsAny(a, "|>@&") || strings.Contains(a, "system") || strings.Contains(a, "getline") {
				return a
			}
		}
	case "sed", "gsed":
		return sedEscapes(args)
	case "date":
		for i, a := range args {
			if !strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "+") && (i == 0 || args[i-1] != "-d" && args[i-1] != "-r" && args[i-1] != "--date" && args[i-1] != "--reference") {
				return a
			}
		}
	case "less", "more", "vi", "vim", "nvim", "view", "ex":
		for _, a := range args {
			if strings.HasPrefix(a, "+") {
				return a
			}
		}
	case "make", "gmake":
		for _, a := range args {
			if strings.ContainsRune(a, '=') {
				return a
			}
		}
	case "uniq":
		if len(operands(args, "fsw")) > 1 {
			return "the file that it writes"
		}
	case "env", "find":
		for _, a := range args {
			if a == "-delete" || strings.HasPrefix(a, "-fprint") || a == "-fls" {
				return a
			}
		}
	}
	return ""
}

// risky are the options of one program that write or run; long ones may be
// abbreviated, as getopt does.
type risky struct {
	short string
	long  []string
	one   bool // long options have one dash, two are taken too (Go's flags)
}

func badOptions(name string, args []string) string {
	table := map[string]risky{
		"sort":   {short: "o", long: []string{"output", "compress-program"}},
		"tree":   {short: "oR", long: []string{"output"}},
		"date":   {short: "sf", long: []string{"set", "file"}},
		"rg":     {long: []string{"pre", "hostname-bin"}},
		"ag":     {long: []string{"pager"}},
		"fd":     {short: "xX", long: []string{"exec", "exec-batch"}},
		"fdfind": {short: "xX", long: []string{"exec", "exec-batch"}},
		"tar":    {short: "IFP", long: []string{"to-command", "use-compress-program", "checkpoint-action", "rsh-command", "rmt-command", "info-script", "new-volume-script", "absolute-names"}},
		"rsync":  {short: "e", long: []string{"rsh", "rsync-path"}},
		"man":    {short: "PHC", long: []string{"pager", "html", "config-file"}},
		"less":   {short: "oOkT", long: []string{"log-file", "LOG-FILE", "lesskey-file", "lesskey-src", "lesskey-content"}},
		"vim":    {short: "csSuUW", long: []string{"cmd"}},
		"awk":    {short: "filEo", long: []string{"file", "include", "load", "exec"}},
		"sed":    {short: "if", long: []string{"in-place", "file"}},
		"make":   {short: "fCIE", long: []string{"file", "makefile", "directory", "eval", "include-dir"}},
		"go":     {one: true, long: []string{"exec", "toolexec", "vettool", "overlay", "modfile", "ldflags", "gccgoflags", "C"}},
		"npm":    {long: []string{"script-shell", "shell", "prefix", "node-options", "userconfig", "globalconfig"}},
		"cargo":  {long: []string{"config", "manifest-path"}},
		"curl": {short: "oOKTFdcD", long: []string{
			"output", "output-dir", "remote-name", "remote-name-all", "config", "upload-file", "form", "data", "data-ascii", "data-binary", "data-raw", "data-urlencode", "json",
			"cookie-jar", "dump-header", "trace", "trace-ascii", "stderr", "libcurl", "etag-save", "hsts", "alt-svc",
		}},
		"wget":    {short: "OPei", long: []string{"output-document", "execute", "input-file", "use-askpass", "post-file", "config"}},
		"ssh":     {short: "oFSEL", long: nil},
		"scp":     {short: "oFSD", long: nil},
		"split":   {long: []string{"filter"}},
		"zip":     {short: "T", long: []string{"unzip-command"}},
		"gcc":     {short: "B", one: true, long: []string{"wrapper", "fplugin", "specs"}},
		"file":    {short: "C", long: []string{"compile"}},
		"xxd":     {short: "r"},
		"tcpdump": {short: "zwW"},
		"psql":    {short: "ocf", long: []string{"output", "command", "file"}},
		"docker":  {short: "vH", long: []string{"privileged", "volume", "mount", "host", "entrypoint"}},
	}
	for from, to := range map[string]string{
		"gawk": "awk", "mawk": "awk", "nawk": "awk", "gsed": "sed", "gmake": "make", "vi": "vim", "nvim": "vim", "view": "vim", "ex": "vim",
		"gtar": "tar", "bsdtar": "tar", "pnpm": "npm", "yarn": "npm", "sftp": "scp", "g++": "gcc", "cc": "gcc", "clang": "gcc", "podman": "docker", "more": "less",
	} {
		if name == from {
			name = to
		}
	}
	r, ok := table[name]
	if !ok {
		return ""
	}
	for i, a := range args {
		if !strings.HasPrefix(a, "-") || a == "-" {
			if name == "tar" && i == 0 && strings.ContainsAny(a, r.short) { // tar xIf …
				return a
			}
			continue
		}
		flag, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if strings.HasPrefix(a, "--") || r.one {
			if slices.ContainsFunc(r.long, func(l string) bool {
				return flag == l || !r.one && flag != "" && strings.HasPrefix(l, flag)
			}) {
				return a
			}
		}
		if !strings.HasPrefix(a, "--") && !r.one && strings.ContainsAny(a[1:], r.short) && r.short != "" {
			return a
		}
	}
	return ""
}

// harmlessSed are the scripts of sed that only print or replace.
var harmlessSed = regexp.MustCompile(`^(([0-9]+|\$)(,([0-9]+|\$))?)?[pdq=]$|^s/([^/\\]|\\[^\n])*/([^/\\]|\\[^\n])*/[gpI0-9]*$|^s\|[^|\\]*\|[^|\\]*\|[gpI0-9]*$`)

func sedEscapes(args []string) string {
	script := false
	for i, a := range args {
		switch {
		case a == "-e" || a == "--expression":
			if i+1 == len(args) || !harmlessSed.MatchString(args[i+1]) {
				return a
			}
			script = true
		case strings.HasPrefix(a, "-") && strings.Trim(a, "-nErsuz") != "":
			return a
		}
	}
	if script {
		return ""
	}
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			if harmlessSed.MatchString(a) {
				return ""
			}
			return a
		}
	}
	return ""
}

// gitEscapes knows git's own options before the sub-command, those by which a
// sub-command runs or writes, and the sub-commands that run what they are told.
func gitEscapes(args []string) string {
	sub, rest := "", []string(nil)
	for i, a := range args {
		if !strings.HasPrefix(a, "-") {
			sub, rest = a, args[i+1:]
			break
		}
		switch a {
		case "--no-pager", "--version", "--help", "--no-optional-locks", "--no-replace-objects", "--literal-pathspecs", "--no-lazy-fetch":
		default:
			return a // -c, -C, --exec-path, --git-dir, …
		}
	}
	for _, a := range rest {
		if strings.HasPrefix(a, "ext::") || strings.HasPrefix(a, "fd::") {
			return a
		}
		name, _, _ := strings.Cut(a, "=")
		for _, bad := range []string{
			"--output", "--ext-diff", "--textconv", "--open-files-in-pager", "--upload-pack", "--receive-pack", "--exec", "--no-index",
			"--extcmd", "--config", "--template", "--output-directory", "--directory-prefix",
		} {
			if name == bad || len(name) > 4 && strings.HasPrefix(bad, name) { // git takes abbreviations
				if bad == "--config" && sub != "clone" {
					continue
				}
				return a
			}
		}
		if strings.HasPrefix(a, "-O") || len(a) > 1 && a[0] == '-' && a[1] != '-' &&
			(sub == "rebase" && strings.ContainsRune(a, 'x') || sub == "difftool" && strings.ContainsRune(a, 'x') || sub == "clone" && strings.ContainsAny(a, "cu")) {
			return a
		}
	}
	switch sub {
	case "config":
		for _, a := range rest {
			switch a {
			case "--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list":
				return ""
			}
		}
		if len(rest) > 1 {
			return "config"
		}
	case "submodule":
		if slices.Contains(rest, "foreach") {
			return "foreach"
		}
	case "bisect":
		if slices.Contains(rest, "run") {
			return "run"
		}
	case "filter-branch", "send-email", "instaweb", "web--browse", "difftool", "mergetool", "daemon", "shell", "credential", "hook", "for-each-repo", "p4", "svn":
		return sub
	}
	return ""
}

// operands are the arguments that are no options; short options in values take
// the next word.
func operands(args []string, values string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--":
			return append(out, args[i+1:]...)
		case len(a) > 1 && a[0] == '-':
			if a[1] != '-' && strings.IndexByte(values, a[len(a)-1]) >= 0 && len(a) == 2 {
				i++
			}
		default:
			out = append(out, a)
		}
	}
	return out
}
